// Elements. Every text becomes a text node: nothing that a document holds can act as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

// Attributes that are functions listen to the event of that name.
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// Cells are texts, nodes or lists of them; the first of a row is its head.
export function table(caption, head, rows, attributes = {}) {
  const headCell = (cell) => element("th", { scope: "col" }, cell);
  const row = ([first, ...rest]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, first),
      rest.map((cell) => element("td", {}, cell)),
    );
  const made = element(
    "table",
    attributes,
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, head.map(headCell))),
    element(
      "tbody",
      {},
      rows.map((cells) => (cells instanceof Node ? cells : row(cells))),
    ),
  );
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

let choices = 0;

// Some of a few words: buttons of which one is pressed. `options`: [{value, text}].
export function choice(title, options, chosen, changed) {
  const name = `choice${++choices}`;
  const option = ({ value, text }) =>
    element(
      "label",
      {},
      element("input", { type: "radio", name, value, checked: value === chosen, change: () => changed(value) }),
      element("span", {}, text),
    );
  return element("fieldset", { class: "choice" }, element("legend", {}, title), options.map(option));
}

// One of many: a list to open.
export function select(title, options, chosen, changed) {
  const list = element(
    "select",
    { change: (event) => changed(options[event.target.selectedIndex].value) },
    options.map(({ value, text }) => element("option", { value, selected: value === chosen }, text)),
  );
  return element("label", { class: "select" }, element("span", {}, title), list);
}

export function button(text, title, pressed) {
  return element("button", { type: "button", title, click: pressed }, text);
}

// The exact number behind what is shown.
export function exact(value, text, attributes = {}) {
  return element("data", { value: value ?? "", ...attributes }, text);
}
