"""The page of a report: one sheet to sign, sums that add up line by line, for every eye, on paper and on a phone."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

import partita as pt
from partita import canvas
from partita.explain.report.report import Report, report
from partita.explain.report.style import STYLE
from partita.sampling.bits import TestBits

COLUMNS = {
    "patient": pt.identifier(),
    "age": pt.integers(0, 120),
    "fee": pt.decimals(0, 500, step="0.01"),
    "sex": pt.categories("F", "M"),
}
ROWS = pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="1e-6"))
USERS = pt.Promise(pt.users("patient", rows=3), pt.ZCDP(rho="8", delta="1e-6"))


@pytest.fixture(autouse=True)
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are composed everywhere and written out once, for ``page``: writing is what takes the time."""
    monkeypatch.setattr(canvas, "svg", lambda figure: f"<svg>{len(figure.axes)}</svg>")


def told(*promises: pt.Promise, about: dict[str, object] | None = None) -> Report:
    table = pt.Table("visits", [{"patient": "a", "age": 30, "fee": "9.99", "sex": "F"}], COLUMNS)
    with pt.Curator(tables=[table], promises=promises, bits=TestBits(1), ledger=":memory:") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", rho="0.02", reuse=False)
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age < 65", rho="0.03", reuse=False)
        curator.ask("SELECT sex, SUM(fee) AS fee FROM visits GROUP BY sex", rho="0.01", reuse=False)
        return report(curator.ledger, about=about)


@pytest.mark.parametrize("promise", [ROWS, USERS, pt.Promise(pt.groups(2), pt.ZCDP(rho="2"))], ids=str)
def test_the_lines_of_a_sum_add_up_to_what_is_spent(promise):
    made = told(promise)
    (found,) = made.sums
    assert found is not None
    # The second question, about the younger, and the third, about the table that everybody is in.
    assert [line.entry for line in found.lines] == [one.seq for one in made.releases][1:]
    total = found.lines[0].adds
    for line in found.lines[1:]:
        total = total + line.adds
        assert line.total == total
    rounded = total if found.rounding is None else total + found.rounding
    assert rounded == found.spent == made.promises[0].balance.spent
    assert found.who.startswith("age = ")
    assert int(found.who.removeprefix("age = ")) < 65
    words = made.html()
    assert words.index("spent so far") < words.index("left of the promise")


def test_a_loss_that_is_no_plain_sum_is_not_shown_as_one():
    made = told(pt.Promise(pt.replace(), pt.ZCDP(rho="2")), ROWS)
    assert made.sums[0] is None
    assert made.sums[1] is not None
    assert "not one sum that could be written down here" in " ".join(made.html().split())


def test_a_book_too_long_to_list_is_not_added_up():
    table = pt.Table("visits", [{"age": 30}], {"age": pt.integers(0, 120)})
    with pt.Curator(tables=[table], promises=[ROWS], bits=TestBits(1), ledger=":memory:") as curator:
        for age in range(3):
            curator.ask(f"SELECT COUNT(*) AS n FROM visits WHERE age = {age}", rho="0.01")
        assert report(curator.ledger, most=2).sums == (None,)


def test_a_sum_whose_lines_do_not_make_it_is_refused():
    from partita.explain.report.sums import Line, _rest

    line = Line(1, "", pt.ZCDP(rho="0.1"), pt.ZCDP(rho="0.1"))
    assert _rest([line], pt.ZCDP(rho="0.2")) is None
    assert _rest([line], pt.ZCDP(rho="0.09")) is None
    assert _rest([line], pt.ZCDP(rho=Fraction(1, 10))) == pt.ZCDP(rho=0)


def test_what_weakens_a_promise_stands_in_the_box_on_top():
    made = told(ROWS)
    assert any("belong to people, and only rows are protected" in one for one in made.cautions)
    assert any("has not been said, so the δ cannot be judged" in one for one in made.cautions)
    assert any(one.startswith("Promise for one row: ε = 5.22 is above 5") for one in made.cautions)
    page = made.html()
    assert page.index('class="warning"') < page.index("who is protected") < page.index("Signature")
    assert made.document()["warnings"] == [*made.cautions]
    calm = told(
        pt.Promise(pt.users("patient", rows=3), pt.ZCDP(rho="0.15")),
        about=dict.fromkeys(FIELDS, "said") | {"people": 9},
    )
    assert not any("only rows are protected" in one for one in calm.cautions)


FIELDS = (
    "name data_curators intended_use data_product_type data_product_region data_product_sector description "
    "publication_date data_collection security actors unprotected_quantities preprocessing_and_tuning justification "
    "sources"
).split()


class Structure(HTMLParser):
    """Headings, tables, links and names of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.tags if name == tag]


@pytest.fixture(scope="module")
def page() -> Structure:
    return Structure(told(ROWS, USERS).html())


def test_headings_are_in_order_and_there_is_one_title(page):
    assert page.headings.count(1) == 1
    assert page.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))


def test_a_screen_reader_is_told_the_language_the_tables_and_the_pictures(page):
    assert page.attributes("html")[0]["lang"] == "en"
    assert page.attributes("meta")[1]["content"] == "width=device-width, initial-scale=1"
    assert all(one["aria-label"] for one in page.attributes("table"))
    assert all(one["scope"] == "col" for one in page.attributes("th"))
    assert all(one["data-head"] is not None for one in page.attributes("td"))
    assert all(one["aria-label"] for one in page.attributes("figure"))
    assert page.attributes("table")
    assert page.attributes("figure")


def test_every_name_is_used_once_and_every_link_leads_to_one(page):
    names = [found["id"] for _, found in page.tags if "id" in found]
    assert len(names) == len(set(names))
    links = [str(found["href"]) for found in page.attributes("a")]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(names)


def test_nothing_is_wider_than_a_phone():
    outside = STYLE[: STYLE.index("@media")]
    widths = re.findall(r"(?<![-\w])(?:min-)?width: *([\d.]+)(px|rem)", outside)
    assert not widths
    assert "@media screen and (max-width" in STYLE
    assert "@media print" in STYLE


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", ["paper", "ground", "alarm-ground"])
@pytest.mark.parametrize("ink", ["ink", "faint", "mark", "alarm"])
def test_every_colour_of_text_can_be_read(ink, ground):
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", STYLE))
    assert contrast(colours[ink], colours[ground]) >= 4.5
    assert not re.findall(r"(?<!-)color: #", STYLE.replace("color-scheme", ""))
