"""A report tells a whole ledger: on one page that needs nothing else, and as JSON."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

import partita as pt
from partita import canvas
from partita.algorithms import LogisticRegression
from partita.cli import main
from partita.errors import InvalidInput
from partita.explain.report.about import FIELDS
from partita.explain.report.derivation import derivation
from partita.explain.report.report import report
from partita.mechanisms.family import family
from partita.sampling.bits import TestBits
from partita.theory.measures.renyi import ORDERS

VOID = {"image", "meta", "br", "hr", "img", "path", "use", "rect", "circle", "line"}


@pytest.fixture
def drawn() -> None:
    """Asked for by tests that look at pictures."""


@pytest.fixture(autouse=True)
def sketched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are composed everywhere and written out where they are looked at: writing is what takes the time."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(canvas, "svg", lambda figure: f"<svg>{len(figure.axes)}</svg>")


class Checked(HTMLParser):
    """Every element is closed in order, nothing is fetched, nothing is run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "iframe", "object", "img"}
        for name, value in attrs:
            assert not name.startswith("on")
            if name in {"src", "href", "xlink:href"}:
                assert value is not None
                assert value.startswith(("#", "data:image/png;base64,"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def text(self) -> str:
        assert not self.open
        return re.sub(r"\s+", " ", " ".join(self.words))


def curator(**options: Any) -> pt.Curator:
    table = pt.Table(
        "visits",
        source=[{"patient": "a", "age": 30, "sex": "F"}],
        columns={"patient": pt.identifier(), "age": pt.integers(0, 120), "sex": pt.categories("F", "M")},
    )
    promises = options.pop("promises", None) or [
        pt.Promise(pt.users("patient", rows=3), pt.ZCDP(rho="0.5", delta="1e-6")),
        pt.Promise(pt.rows(), pt.ZCDP(rho="0.3", delta="1e-6")),
    ]
    return pt.Curator(tables=[table], promises=promises, bits=TestBits(1), **options)


def asked() -> pt.Curator:
    made = curator()
    made.session(analyst="ada", budget=pt.ZCDP(rho="0.1", delta="1e-6")).ask(
        "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", rho="0.05"
    )
    made.session(analyst="王小明 <b>&").ask("SELECT COUNT(*) AS n FROM visits WHERE age > 64 AND sex = 'F'", rho="0.02")
    return made


def test_the_page_of_an_empty_ledger_is_whole(drawn):
    made = report(curator().ledger)
    words = Checked(made.html()).text()
    assert "Nothing yet." in words
    assert "Nobody has asked anything yet." in words
    assert "No question has been charged yet." in words
    assert made.document()["releases"] == {"charged": 0, "listed": 0, "newest": []}


def test_everything_is_on_the_page_in_the_order_of_the_pyramid():
    made = report(asked().ledger, version="1.2.3")
    words = Checked(made.html()).text()
    order = [
        "For the person in the data",
        "Beside deployments that people know",
        "Why it holds, theorem by theorem",
        "What the guarantee rests on",
        "The guarantee: ε, δ and the unit of privacy",
        "Algorithms: correctness and sensitivity",
        "Utility and bias",
        "Trust model",
        "Security and access",
        "Data collection",
        "Common hazards, one by one",
        "Unprotected quantities",
        "How the budget is divided among analysts",
        "Who has been asked about how much",
        "Everything released",
        "Known limitations",
        "For a public registry of deployments",
    ]
    assert words.index("who is protected") < words.index("Signature") < words.index("In detail")
    detail = words.index("What is left of each budget")
    places = [words.find(title, detail) for title in order]
    assert -1 not in places
    assert places == sorted(places)
    assert "theory E1, E14" in words
    assert "theory D6, E16" in words
    assert "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex" in words
    assert "Partita 1.2.3" in words


def test_text_of_any_alphabet_is_shown_and_never_read_as_markup(drawn):
    name = 'Besuche <script>alert("x")</script> & 病院 – مستشفى'
    page = report(asked().ledger, about={"name": name, "security": "<img src=http://evil>"}).html()
    words = Checked(page).text()
    assert name in words
    assert "王小明 <b>&" in words
    assert "<script" not in page
    assert page.count("<svg") == 4


def test_the_document_is_plain_data_with_exact_losses_and_registry_fields():
    document = json.loads(json.dumps(report(asked().ledger, about={"people": 1000}).document()))
    assert document["promises"][0]["budget"]["rho"] == "1/2"
    assert [one["analyst"] for one in document["releases"]["newest"]] == ["ada", "王小明 <b>&"]
    registry = document["registry"]
    assert list(registry) == [
        "product",
        "dp_flavor",
        "privacy_loss",
        "model",
        "accounting",
        "implementation",
        "resources",
    ]
    assert registry["model"]["non_collusion_assumed"] is False
    assert registry["privacy_loss"][0]["privacy_parameters"] == {"rho": "0.5", "delta": "1e-06"}
    assert document["burn-down"][-1]["charges"] == 2
    assert any("1,000 people" in point["answer"] for point in document["hazards"])


def test_of_a_long_book_the_newest_are_listed_and_all_are_counted():
    made = curator(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1000))])
    for number in range(12):
        made.ask(f"SELECT COUNT(*) AS n FROM visits WHERE age < {number + 1}", epsilon=1, analyst=f"a{number % 2}")
    short = report(made.ledger, most=5)
    assert [one.seq for one in short.releases] == sorted(one.seq for one in short.releases)
    assert len(short.releases) == 5
    assert "The newest 5 of 12" in Checked(short.html()).text()
    assert [(one.analyst, one.charges) for one in short.shares] == [("a0", 6), ("a1", 6)]
    assert "none listed here" in Checked(report(made.ledger, most=0).html()).text()


@pytest.mark.parametrize(
    ("promise", "theorem"),
    [
        (pt.Promise(pt.rows(), pt.Pure(epsilon=1)), "E1, E10"),
        (pt.Promise(pt.replace(), pt.GDP(mu=1)), "E1, E11"),
        (pt.Promise(pt.groups(4), pt.Approximate(epsilon=1, delta="1e-6")), "E1, E14"),
        (pt.Promise(pt.windows("age", width=3), pt.Renyi(taus=[order / 20 for order in ORDERS])), "E8"),
        (pt.Promise(pt.users("patient", rows=2, per="sex"), pt.ZCDP(rho=1)), "A4a, I11"),
    ],
    ids=["rows", "change-one", "groups", "windows", "parts"],
)
def test_every_promise_has_a_derivation_that_ends_in_its_budget(promise, theorem):
    made = report(curator(promises=[promise]).ledger)
    steps = made.promises[0].steps
    assert theorem in {step.theorem for step in steps}
    assert str(promise.budget) in steps[-2].says
    Checked(made.html()).text()


def test_a_fitted_model_is_explained_by_the_proof_of_its_own_mechanism():
    table = pt.Table(
        "visits",
        source=[{"age": 30 + number, "ill": ("no", "yes")[number % 2]} for number in range(40)],
        columns={"age": pt.integers(0, 120), "ill": pt.categories("no", "yes")},
    )
    made = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=4))], bits=TestBits(5))
    LogisticRegression(epsilon=3, solver="objective").fit_from(made, columns=["age"], target="ill")
    told = report(made.ledger)
    assert {noise.split(",")[0] for one in told.releases for noise in one.noise} >= {"perturbed objective"}
    steps = [step.says for step in told.promises[0].steps]
    (fitted,) = (says for says in steps if "perturbed objective" in says)
    assert fitted.startswith("Of a perturbed objective only the minimiser is released, once.")
    assert not any("simpler releases" in says or "closed form, and" in says for says in steps)


def test_every_mechanism_of_the_family_is_explained_by_a_theorem():
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=1))
    facts = report(curator(promises=[promise]).ledger).promises[0].explanation.facts
    kinds = [kind.replace("_", " ") for kind in family()]
    told = derivation(promise, pt.Pure(epsilon=0), facts, kinds)
    plain = derivation(promise, pt.Pure(epsilon=0), facts, [])
    assert len(told) == len(plain) + len(kinds)
    assert all(step.theorem for step in told)
    (strange,) = set(derivation(promise, pt.Pure(epsilon=0), facts, ["filtered-session"])) - set(plain)
    assert strange.says.startswith("Filtered-session: not explained by a theorem of its own here.")


def test_what_the_custodian_has_not_said_is_told():
    made = report(curator().ledger, about={"name": "Visits", "data_curators": ["A", "B"]})
    assert "security" in made.about.missing()
    assert "name" not in made.about.missing()
    assert made.document()["registry"]["product"]["data_curators"] == "A; B"
    with pytest.raises(InvalidInput) as refusal:
        report(curator().ledger, about={"colour": "red"})
    assert refusal.value.code == "explain.unknown-about"
    with pytest.raises(InvalidInput) as refusal:
        report(curator().ledger, about={"people": "many"})
    assert refusal.value.code == "explain.bad-people"
    assert len(FIELDS) == 16


def test_the_command_writes_page_and_document(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    curator(ledger=tmp_path / "book").close()
    (tmp_path / "about.toml").write_text('name = "病院"\npeople = 12\n', encoding="utf-8")
    assert main(["report", "book", "--out", "r.html", "--about", "about.toml"]) == 0
    assert "Not filled in" in capsys.readouterr().out
    Checked((tmp_path / "r.html").read_text(encoding="utf-8")).text()
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["title"] == "病院"
    assert main(["report", "book", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ledger"]["charges"] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["report", "none"], "ledger.missing"),
        (["report", "book", "--about", "none.toml"], "cli.cannot-read"),
        (["report", "book", "--about", "bad.toml"], "cli.not-toml"),
        (["report", "book", "--about", "odd.toml"], "explain.unknown-about"),
        (["report", "book", "--out", "no/such/place.html"], "cli.cannot-write"),
        (["report", "book", "--newest", "-1"], "number.too-small"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_words(arguments, code, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    curator(ledger=tmp_path / "book").close()
    (tmp_path / "bad.toml").write_text("name = ", encoding="utf-8")
    (tmp_path / "odd.toml").write_text("colour = 1", encoding="utf-8")
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(code)


def costly(*promises: pt.Promise) -> pt.Curator:
    columns = {
        "patient": pt.identifier(),
        "age": pt.integers(0, 120),
        "fee": pt.decimals(0, 500, step="0.01"),
        "sex": pt.categories("F", "M"),
    }
    table = pt.Table("visits", source=[{"patient": "a", "age": 30, "fee": "9.99", "sex": "F"}], columns=columns)
    return pt.Curator(tables=[table], promises=promises, bits=TestBits(1))


def test_noise_is_told_in_the_units_of_the_column_and_with_what_it_is_on():
    made = costly(pt.Promise(pt.rows(), pt.ZCDP(rho="0.5")))
    made.ask("SELECT COUNT(*) AS n, SUM(fee) AS total FROM visits", rho="0.02")
    made.plan(["SELECT SUM(fee) AS total FROM visits WHERE age > 64"], rho="0.02")
    # One row moves the sums by 500 at most: σ = 500 / √(2 · 0.02) in the units of the column, and not 250,000 cents.
    together, planned = (one.noise for one in report(made.ledger).releases)
    assert together == ("gaussian, sigma = 2500 (balanced sums of fee)",)
    assert planned == ("gaussian, sigma = 2500 (sums of fee)",)


def test_the_costs_of_questions_about_everybody_add_up_to_what_is_spent():
    made = costly(
        pt.Promise(pt.users("patient", rows=3), pt.ZCDP(rho="0.5")), pt.Promise(pt.rows(), pt.ZCDP(rho="0.3"))
    )
    for rho in ("0.02", "0.03"):
        made.ask("SELECT COUNT(*) AS n FROM visits", rho=rho)
    listed = [one.costs for one in report(made.ledger).releases]
    for place, spent in enumerate(made.spent()):
        total = sum(float(costs[place].removeprefix("ρ = ")) for costs in listed)
        assert total == pytest.approx(float(spent.rho), rel=1e-5)  # type: ignore[attr-defined]


def test_the_page_says_why_costs_about_different_people_do_not_add_up():
    assert "costs of questions about different people do not add up" in Checked(report(asked().ledger).html()).text()
