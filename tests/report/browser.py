"""A headless Chromium that opens pages from files, and tells what they said and asked for."""

import importlib
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

SKIPPED = 77
CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
PATIENCE = 30.0

try:
    webdriver: Any = importlib.import_module("selenium.webdriver")
    services: Any = importlib.import_module("selenium.webdriver.chrome.service")
    Keys: Any = importlib.import_module("selenium.webdriver.common.keys").Keys
except ImportError:
    webdriver = None


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def require_browser() -> None:
    if webdriver is None or CHROMIUM is None or DRIVER is None:
        skip("no browser: apt install chromium chromium-driver python3-selenium")


class Browser:
    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.downloads = Path(self.folder.name) / "downloads"
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (
            "headless=new",
            "no-sandbox",
            "disable-gpu",
            "disable-dev-shm-usage",
            "disable-quic",
            "no-first-run",
            "disable-background-networking",
            "disable-component-update",
            "disable-sync",
            f"user-data-dir={self.folder.name}/profile",
        ):
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=services.Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(PATIENCE)
        self.command(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads)
        )

    def close(self) -> None:
        self.driver.quit()
        self.folder.cleanup()

    def command(self, name: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def look(self, width: int, dark: bool = False) -> None:
        """How wide the window is, and what the reader's scheme is."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path: Path) -> None:
        self.complaints()
        self.requests()
        self.driver.get(path.as_uri())

    def complaints(self) -> list[str]:
        """What the console said since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses asked for since the last call."""
        messages = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def pointer(self) -> Any:
        return webdriver.ActionChains(self.driver)

    def element(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def elements(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def texts(self, selector: str) -> list[str]:
        get = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())"
        return list(self.script(get, selector))

    def wait_for(self, what: str, found: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if value := found():
                return value
            time.sleep(0.05)
        raise AssertionError(f"in {PATIENCE:g} s there was no {what}")
