"""The pages in a real browser: by keyboard alone, on a desk and on a phone, in both themes, for everybody's eyes."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.paths.browsing import Person, chromium, cookies

PAGES = ["/", "/ask", "/ledger", "/map?x=age&y=day", "/approvals", "/accounts", "/nowhere"]
SIZE = 150_000
QUESTION = "SELECT sex, COUNT(*) AS n FROM visits WHERE age > 17 GROUP BY sex"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as made:
        yield made


@pytest.fixture
def people(browser, house):
    """Signs people in, and ends with nothing that a browser complained of."""
    known: list[Person] = []

    def signed_in(name: str, **options) -> Person:
        made = Person(browser, house.url, **options)
        known.append(made)
        made.sign_in(house.tokens.get(name, name))
        return made

    yield signed_in
    for one in known:
        # Refusals have their status; browsers write that down.
        assert [said for said in one.complaints if "Failed to load resource" not in said] == []
        one.close()


def test_a_question_goes_its_whole_way_by_keyboard_alone(people, house):
    ada = people("ada")
    ada.choose("Practise")
    assert "nothing is spent" in ada.reads(".practice")
    ada.choose("Ask")
    ada.write("Question, in SQL", QUESTION)
    ada.page.get_by_text("Costs ρ = 0.01").wait_for()  # the price comes while one types
    assert "attacker" in ada.reads("#offer")
    ada.choose("Ask, to practise")
    assert "Charged: ρ = 0.01" in ada.reads()
    ada.choose("Leave practice")
    ada.write("Question, in SQL", QUESTION)
    ada.write("Amount", "0.02")
    ada.choose("Show the price")
    assert "Costs ρ = 0.02" in ada.reads("#offer")
    ada.choose("Ask, and spend it")
    answer = ada.reads("section.kept")
    assert "Charged: ρ = 0.02" in answer
    assert ada.page.locator("section.kept svg.wide .whisker").count() == 4
    ada.choose("Ask, and spend it")
    assert "Free: it was in the ledger" in ada.reads("section.kept")
    with ada.page.expect_download() as kept:
        ada.to("entry")
        ada.page.keyboard.press("Enter")
    assert re.fullmatch(r"receipt-\d+\.json", kept.value.suggested_filename)
    ada.choose("Ledger")
    assert "age > 17" in ada.reads("table")
    ada.choose("Answer of entry")
    assert "Noisy values" in ada.reads()


def test_a_refusal_says_what_would_fit_and_a_key_takes_it(people, house):
    limited = people("limited")
    limited.choose("Ask")
    limited.write("Question, in SQL", "SELECT sex, COUNT(*) AS n FROM visits WHERE age > 18 GROUP BY sex")
    limited.write("Amount", "0.3")
    limited.choose("Ask, and spend it")
    assert "ledger.over-budget" in limited.reads("#offer")
    limited.choose("Take what fits")
    limited.to("Amount")
    taken = limited.page.evaluate("document.activeElement.value")
    assert 0 < float(taken) <= 0.05
    assert f"Costs ρ = {taken}" in limited.reads("#offer")
    limited.write("Question, in SQL", "SELECT sexx, COUNT(*) FROM visits GROUP BY sexx")
    limited.choose("Show the price")
    assert limited.reads("pre.place").splitlines()[-1].strip() == "^^^^"


def test_a_dear_question_waits_for_a_key_of_the_custodian(people):
    bob, carol = people("bob"), people("carol")
    bob.choose("Ask")
    bob.write("Question, in SQL", "SELECT COUNT(*) AS n FROM visits WHERE age > 88")
    bob.write("Amount", "1.3")
    bob.choose("Ask, and spend it")
    assert "server.waiting" in bob.reads("#offer")
    carol.choose("Approvals")
    assert "age > 88" in carol.reads()
    carol.choose("Approve")
    bob.choose("Ask, and spend it")
    assert "Charged: ρ = 1.3" in bob.reads()


def test_a_revoked_token_throws_its_owner_out_at_once(people, house):
    made = house.send("carol", "POST", "/v1/tokens", {"account": "guest", "role": "analyst"}).json()
    guest, carol = people(made["text"]), people("carol")
    guest.choose("Ask")
    carol.choose("Accounts")
    carol.choose(f"Revoke token {made['number']}")
    guest.to("Question, in SQL")
    guest.choose("Ask, and spend it")
    assert guest.page.url.endswith("/sign-in")
    assert guest.page.locator("h1").inner_text() == "Sign in"


def test_everybody_can_read_every_page_in_both_themes_on_a_desk_and_on_a_phone(people, house, tmp_path):
    found = {}
    with house.as_("carol") as session:
        number = session.ask(QUESTION, rho="0.02").receipts[0].seq
    for name, width, scheme in (("carol", 1280, "light"), ("carol", 360, "dark"), ("ada", 360, "light")):
        one = people(name, width=width, scheme=scheme)
        for path in [*PAGES, f"/answers/{number}"] if name == "carol" else PAGES[:1]:
            one.page.goto(path)
            picture = one.page.screenshot(full_page=True, path=tmp_path / f"{width}{path.strip('/').split('?')[0]}.png")
            assert len(picture) > 5_000
            found[name, width, path] = one.faults()
        one.page.goto("/ask")
        one.write("Question, in SQL", "SELECT sex, SUM(oops) FROM visits GROUP BY sex")
        one.page.locator("#offer .code").wait_for()
        found[name, width, "refused"] = one.faults()
    assert {where: faults for where, faults in found.items() if faults} == {}


def test_axe_finds_what_is_wrong(people):
    one = people("ada")
    one.page.evaluate("document.querySelector('main').innerHTML = '<img src=\"/static/none\"><p>x</p>'")
    one.page.evaluate("document.querySelector('p').style.minWidth = '3000px'")
    told = " ".join(one.faults())
    assert "image-alt" in told
    assert "too wide" in told


def test_dark_is_kept_and_nothing_that_a_script_could_read(people):
    ada = people("ada")
    light = ada.page.evaluate("getComputedStyle(document.body).backgroundColor")
    ada.choose("Theme: system")
    assert ada.page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    ada.choose("Ledger")
    assert ada.page.locator("html").get_attribute("data-theme") == "dark"
    assert ada.page.evaluate("document.cookie") == ""
    assert all(one["httpOnly"] for one in cookies(ada).values())


def test_the_dashboard_is_small(people):
    ada, sizes = people("ada"), {}
    ada.page.on("response", lambda found: sizes.update({found.url: len(gzip.compress(found.body()))}))
    for path in PAGES[:-1]:
        ada.page.goto(path)
        ada.page.wait_for_load_state("load")
    assert len(sizes) > len(PAGES)
    assert sum(sizes.values()) < SIZE, sizes
