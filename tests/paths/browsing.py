"""A real browser for tests: Chromium without a window, people at its keyboard, and what axe finds on a page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_MOST_TABS = 60


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; where there is none, the tests that need it fail."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.fail("There is no browser here, so the pages were NOT tried. Install Debian's package chromium.")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


class Person:
    """Somebody at the pages who has a keyboard and no mouse; whatever the browser complains of is kept."""

    def __init__(self, browser: Browser, url: str, *, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(
            base_url=url, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sign_in(self, token: str) -> None:
        """With the keyboard alone: the field has the focus already."""
        self.page.goto("/sign-in")
        self.page.locator("#token:focus").wait_for()
        self.page.keyboard.type(token)
        self.press()
        self.page.get_by_text("Sign out").wait_for()

    def to(self, name: str) -> None:
        """Go from one control to the next until the one of this name has the focus."""
        for _ in range(_MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(_FOCUS).strip().startswith(name):
                return
        raise AssertionError(f"no key leads to {name!r} on {self.page.url}")

    def press(self, key: str = "Enter") -> None:
        """Press a key that leads to another page."""
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def choose(self, name: str) -> None:
        """Go to a control and press it."""
        self.to(name)
        self.press()

    def write(self, name: str, text: str) -> None:
        """Go to a field and write something else into it."""
        self.to(name)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def reads(self, place: str = "main") -> str:
        """What stands there."""
        return self.page.locator(place).inner_text()

    def faults(self) -> list[str]:
        """What axe finds, and whether the page is wider than its window."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(_axe())
        found = self.page.evaluate("rules => axe.run(document, {runOnly: rules})", _RULES)
        over = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        told = [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]
        return told + ([f"{over} pixels too wide"] if over > 0 else [])

    def close(self) -> None:
        self.context.close()


# What a control is called: by its label, or by what stands on it.
_FOCUS = """() => {
  const one = document.activeElement, label = one.labels && one.labels[0];
  return one.getAttribute('aria-label') || (label || one).innerText || '';
}"""


@cache
def _axe() -> str:
    return Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8") + ";0"


def cookies(person: Person) -> dict[str, Any]:
    """What the browser keeps."""
    return {one["name"]: one for one in person.context.cookies()}
