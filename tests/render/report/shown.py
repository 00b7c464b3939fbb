"""A page in the browser."""

from __future__ import annotations

import json

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


class Shown:
    """A page in the browser, after its charts were drawn."""

    def __init__(self, browser: webdriver.Chrome, address: str) -> None:
        self.browser = browser
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(address)
        WebDriverWait(browser, 30).until(
            lambda window: window.execute_script("return document.documentElement.dataset.ready")
        )

    def text(self, selector: str = "body") -> str:
        return str(self.browser.find_element(By.CSS_SELECTOR, selector).get_property("textContent"))

    def count(self, selector: str) -> int:
        return len(self.browser.find_elements(By.CSS_SELECTOR, selector))

    def ring(self) -> str:
        """Where the chosen point stands."""
        marks = self.browser.find_elements(
            By.CSS_SELECTOR, "#tradeoff .layer_5_marks path, #tradeoff .layer_6_marks path"
        )
        return " ".join(str(mark.get_attribute("transform")) for mark in marks)

    def errors(self) -> list[str]:
        return [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if entry["level"] in ("SEVERE", "ERROR", "WARNING")
        ]

    def requests(self) -> list[str]:
        """All but those of the empty tab that the browser opens with, which may load late."""
        sent: list[str] = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            asked = message["params"] if message["method"] == "Network.requestWillBeSent" else {}
            if asked and not asked["documentURL"].startswith("chrome://"):
                sent.append(asked["request"]["url"])
        return sent

    def page_overflow(self) -> int:
        script = "const e = document.documentElement; return e.scrollWidth - e.clientWidth"
        return int(self.browser.execute_script(script))

    def overflow(self) -> int:
        inside = (
            "return Math.max(...[...document.querySelectorAll('.chart')]"
            ".map((each) => each.scrollWidth - each.clientWidth))"
        )
        return max(self.page_overflow(), int(self.browser.execute_script(inside)))
