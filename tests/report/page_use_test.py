"""The page of `pairbench report` by pointer and keyboard."""

from browser import Keys
from report_page import PRODUCED, Page, main, several_sizes


class Use(Page):
    def test_a_click_on_a_transport_hides_its_curve(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        parts = ("latency", "distribution")
        before = {part: [self.coloured(part, track) for track in (0, 1)] for part in parts}
        button = self.browser.elements("#key button")[1]
        button.click()
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        for part in parts:
            self.assertGreater(min(before[part]), 50)
            self.assertEqual(self.coloured(part, 1), 0)
            self.assertGreater(self.coloured(part, 0), 50)
        hidden = several_sizes()["transports"][1]["label"]
        self.assertNotIn(hidden, {name for name, _ in self.table("latency")})
        button.click()
        self.assertEqual(self.coloured("latency", 1), before["latency"][1])
        self.assert_quiet()

    def test_zoom_by_keys_buttons_and_pointer(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        everything = self.visited("latency")
        self.assertGreater(len(everything), 2)
        stage = self.browser.element("#latency .stage")
        stage.send_keys("+++")
        self.assertLess(len(self.visited("latency")), len(everything))
        stage.send_keys("0")
        self.assertEqual(len(self.visited("latency")), len(everything))
        over = self.browser.element("#latency .u-over")
        half = over.size["width"] // 2
        pointer = self.browser.pointer()
        pointer.move_to_element_with_offset(over, -half + 5, 0).click_and_hold()
        pointer.move_by_offset(half // 2, 3).move_by_offset(half // 2 - 20, 3).release().perform()
        inside = self.visited("latency")
        self.assertLess(len(inside), len(everything))
        self.assertEqual(inside[0], everything[0])
        self.browser.pointer().double_click(over).perform()
        self.assertEqual(len(self.visited("latency")), len(everything))
        self.assert_quiet()

    def test_linear_and_logarithmic(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        canvas = "return document.querySelector('#latency canvas').toDataURL()"
        pictures = {self.browser.script(canvas)}
        for fieldset in self.browser.elements("#latency-controls .choice")[1:]:
            fieldset.find_elements("css selector", "label")[1].click()
            pictures.add(self.browser.script(canvas))
        self.assertEqual(len(pictures), 3)
        self.assert_quiet()

    def test_the_keyboard_reaches_everything(self) -> None:
        self.open(self.store("several.json", several_sizes()))
        missed = self.browser.script(
            "return [...document.querySelectorAll('button, select, summary, input, a[href], .stage')]"
            ".filter((e) => e.checkVisibility() && e.tabIndex < 0).length"
        )
        self.assertEqual(missed, 0)
        self.browser.elements("#key button")[0].send_keys(Keys.SPACE)
        self.assertEqual(
            self.browser.elements("#key button")[0].get_attribute("aria-pressed"), "false"
        )
        rtt = self.browser.element("#latency-controls input[value=oneway]")
        rtt.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("round trip", self.browser.texts("#latency-figures caption")[0])
        self.browser.element("#latency .stage").send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.texts("#latency .unseen"), ["; ".join(self.tip("latency"))])

    def test_the_document_comes_back_byte_for_byte(self) -> None:
        text = (PRODUCED / "two_hosts.json").read_text()
        text = text.replace("nodeA", "</script>\u2028é").replace("\n", "\r\n")
        path = self.folder / "back.json"
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        self.open(str(path))
        self.browser.element("#download-list a").click()
        saved = self.browser.downloads / "back.json"
        self.browser.wait_for("download", saved.exists)
        self.assertEqual(saved.read_bytes(), path.read_bytes())


if __name__ == "__main__":
    main()
