// Builds the page without its data, and from it the C++ source that holds it.
//
//   node assemble.mjs PACKAGES OUT.cc     PACKAGES: the folder node_modules
//
// Style, chart library and program go into index.html, and the policy that allows these and nothing else. The place of
// the data, @data@, stays.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(...path), "utf8");

const IMPORT = /^import \{[^}]*\} from "\.\/(\w+\.js)";\n/gm;

// A module below what it imports, each once; what was exported is in one scope then.
function bundle(name, seen = new Set()) {
  if (seen.has(name)) return "";
  seen.add(name);
  const text = read(here, name);
  const needed = [...text.matchAll(IMPORT)].map(([, other]) => bundle(other, seen));
  return needed.join("") + text.replaceAll(IMPORT, "").replaceAll(/^export /gm, "");
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function page(packages) {
  const style = read(packages, "uplot", "dist", "uPlot.min.css") + read(here, "page.css");
  const library = read(packages, "uplot", "dist", "uPlot.iife.min.js");
  const program = bundle("main.js");
  if (/<\/script|<!--/i.test(library + program)) throw new Error("a script would end the element that holds it");
  const { version } = JSON.parse(read(packages, "uplot", "package.json"));
  const parts = {
    policy: `default-src 'none'; img-src data:; style-src ${hashOf(style)}; script-src ${hashOf(library)} ${hashOf(program)}`,
    style,
    version,
    licence: read(packages, "uplot", "LICENSE").replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    library,
    program,
    data: "@data@",
  };
  return read(here, "index.html").replaceAll(/@(\w+)@/g, (_, name) => parts[name]);
}

const [packages, out] = process.argv.slice(2);
const bytes = [...Buffer.from(page(packages))].join(",").replaceAll(/(.{100,115}),/g, "$1,\n");
writeFileSync(
  out,
  `// Made by assemble.mjs from src/report/page.
#include "report/page_shell.h"

namespace pairbench {
namespace {
constexpr unsigned char kPage[] = {
${bytes}};
}  // namespace

std::string page_shell() {
  return {std::begin(kPage), std::end(kPage)};
}

}  // namespace pairbench
`,
);
