"""Whatever is handed over, it works or is refused in our words: odd documents, settings, receipts and questions."""

from __future__ import annotations

import json
import random
import tomllib
import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp, parse_one
from sqlglot.dialects.duckdb import DuckDB

import partita as pt
from partita.composition.account.certificate import check
from partita.composition.exchange.documents import calibrate_document, compose_document
from partita.curator.settings import LONGEST, read_settings
from partita.effort import bounded
from partita.errors import PartitaError
from partita.ledger.receipts.receipts import Receipt
from partita.ledger.reports.certificates import check_certificate
from partita.theory.losses.quadrature import rule
from tests.laws.odd_documents import CALIBRATIONS, ODD, PLANS, SETTINGS, accounts, odd_versions, receipts

RECEIPTS, CERTIFICATES = receipts()
ACCOUNTS = accounts()


def refused_at_most(function: Any, given: Any) -> None:
    """Only our own errors may come out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(PartitaError):
            function(given)


@given(odd_versions(PLANS))
def test_a_plan_is_composed_or_refused(document):
    refused_at_most(compose_document, document)


@given(odd_versions(CALIBRATIONS))
def test_a_calibration_is_found_or_refused(document):
    refused_at_most(calibrate_document, document)


@given(odd_versions(RECEIPTS), st.booleans())
def test_a_receipt_is_read_or_refused(document, unsigned):
    if unsigned and isinstance(document, dict) and "signature" in document:
        document["signature"] = ""
    refused_at_most(lambda given: Receipt.from_document(given).check(), document)


@given(odd_versions(CERTIFICATES))
def test_a_certificate_is_checked_or_refused(document):
    refused_at_most(check_certificate, document)


@given(odd_versions(ACCOUNTS))
def test_the_certificate_of_an_account_is_checked_or_refused(document):
    refused_at_most(lambda given: check(json.dumps(given)), document)


@given(odd_versions(SETTINGS))
def test_settings_are_read_or_refused(tmp_path_factory, document):
    place = tmp_path_factory.getbasetemp() / "partita.toml"
    place.write_text("")
    if isinstance(document, dict):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tomllib, "loads", lambda _: document)
            refused_at_most(read_settings, place)


def test_a_file_of_settings_that_is_far_too_long_is_not_read(tmp_path):
    place = tmp_path / "partita.toml"
    place.write_bytes(b"#" * (LONGEST + 1))
    with pytest.raises(PartitaError, match="it is longer than 4,000,000 bytes") as refused:
        read_settings(place)
    assert refused.value.code == "curator.settings-unreadable"
    place.write_bytes(b"#" * LONGEST)
    with pytest.raises(PartitaError, match="declare at least one table"):
        read_settings(place)


@pytest.mark.parametrize(
    "odd", [{"backend": {}}, {"backend": []}, {"ledger": {}}, {"promises": [{"protect": "rows", "measure": ["zcdp"]}]}]
)
def test_unhashable_settings_are_refused(odd, tmp_path, monkeypatch):
    (tmp_path / "partita.toml").write_text("")
    monkeypatch.setattr(tomllib, "loads", lambda _: SETTINGS[0] | odd)
    with pytest.raises(PartitaError):
        read_settings(tmp_path / "partita.toml")


def test_a_source_with_a_name_that_no_file_can_have_is_refused_or_declared(tmp_path, monkeypatch):
    (tmp_path / "partita.toml").write_text("")
    table = SETTINGS[0]["tables"]["visits"]
    for source in ("9" * 5000, "x\x00", "x" * 300):
        monkeypatch.setattr(
            tomllib, "loads", lambda _, source=source: SETTINGS[0] | {"tables": {"visits": table | {"source": source}}}
        )
        refused_at_most(read_settings, tmp_path / "partita.toml")


@pytest.mark.parametrize("mechanism", [pt.GaussianNoise, pt.Laplace])
def test_a_budget_beyond_floats_has_no_noise(mechanism):
    with pytest.raises(PartitaError):
        pt.calibrate(mechanism, epsilon="1e60", delta="1e-70", count=3)


@pytest.mark.parametrize(
    "event",
    [
        {"mechanism": "gaussian", "count": 1000, "sigma": "1e-70", "rate": "1e-6"},
        {"mechanism": "laplace", "count": 10**70, "epsilon": "1e70"},
        {"mechanism": "geometric", "count": 10**18, "epsilon": "1e-70", "rate": "0.5", "distance": "1e70"},
    ],
)
def test_extreme_plans_are_composed_or_refused(event):
    refused_at_most(compose_document, {"version": 1, "events": [event], "delta": "1e-6"})


@pytest.mark.parametrize(("rate", "epsilon", "distance"), [("1e-12", 1, 1), ("0.1", "1e-12", 1), ("0.1", 100, 1)])
def test_noise_on_samples_that_takes_too_much_memory_is_refused(rate, epsilon, distance):
    """The places of its integral are counted before they are listed: they were terabytes."""
    document = {"version": 1, "mechanism": "gaussian", "count": 3, "delta": "1e-6"}
    with pytest.raises(PartitaError) as refused:
        calibrate_document(document | {"rate": rate, "epsilon": epsilon, "distance": distance})
    assert refused.value.code == "composition.too-much-work"


def test_a_law_on_samples_with_too_many_places_is_not_integrated():
    with pytest.raises(PartitaError) as refused:
        rule(0.1, 1e-9, 3.0, 0.0, removes=True)
    assert refused.value.code == "theory.too-many-places"


def test_noise_on_samples_follows_the_distance():
    """The search began at the noise for a distance of one, where its integral took terabytes."""
    document = {"version": 1, "mechanism": "gaussian", "count": 3, "epsilon": 1, "delta": "1e-6", "rate": "0.1"}
    near, far = (calibrate_document(document | {"distance": distance}) for distance in (1, "1e6"))
    assert float(far.mechanism.sigma / near.mechanism.sigma) == pytest.approx(1e6, rel=1e-4)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "geometric", "randomized_response"])
@pytest.mark.parametrize("epsilon", ["1e-70", "1e9", "1e70"])
@pytest.mark.parametrize("count", [1, 10**18])
def test_extreme_calibrations_are_found_or_refused(name, epsilon, count):
    document = {"version": 1, "mechanism": name, "count": count, "epsilon": epsilon, "delta": "1e-6"}
    refused_at_most(calibrate_document, document)


# --- keywords ------------------------------------------------------------------------------------------------------


@cache
def curator() -> pt.Curator:
    table = pt.Table(
        "visits",
        [{"who": 1, "age": 3, "sex": "F", "day": "2025-01-01", "cost": 1}],
        {
            "who": pt.identifier(),
            "age": pt.integers(0, 99),
            "sex": pt.categories("F", "M"),
            "day": pt.dates("2025-01-01", "2025-03-31"),
            "cost": pt.decimals(0, 10, step="0.1"),
        },
    )
    clinics = pt.PublicTable("clinics", [{"sex": "F", "state": "TX"}], key="sex")
    return pt.Curator(tables=[table], public=[clinics], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1, delta="1e-6"))])


@given(
    st.sampled_from(["epsilon", "rho", "mu", "delta", "within", "confidence", "rows", "floor", "analyst", "reuse",
                     "shrink", "rows_per_user", "groups_per_user", "rows_per_group", "question", "simultaneous",
                     "noise"]),
    ODD,
)  # fmt: skip
def test_odd_keywords_are_refused(name, value):
    wants: dict[str, Any] = {"rho": "0.1", "question": "SELECT AVG(cost) AS m FROM visits GROUP BY sex", name: value}
    question = wants.pop("question")
    refused_at_most(lambda given: curator().quote(question, **given), wants)


# --- questions -----------------------------------------------------------------------------------------------------

QUESTIONS = [
    "SELECT sex, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE age > 65 AND NOT (sex = 'F' OR cost < 3) GROUP BY 1",
    "SELECT BUCKET(age, 10) AS b, SUM(CASE WHEN sex = 'F' THEN cost ELSE -1 END) AS s FROM visits GROUP BY b",
    "WITH q AS (SELECT age + 1 AS x, sex FROM visits WHERE day > DATE '2025-02-01') SELECT SUM(x) AS s FROM q LIMIT 3",
    "SELECT COUNT(*) AS n FROM (SELECT * FROM visits WHERE age < 5 UNION ALL SELECT * FROM visits WHERE age > 9)",
    "SELECT DATE_TRUNC('month', day) AS m, MEDIAN(cost) AS c, STDDEV(age) AS d FROM visits GROUP BY m HAVING d > 3",
    "SELECT COUNT(DISTINCT who) AS n, CORR(age, cost) AS r FROM visits WHERE MONTH(day) = 2 AND sex LIKE '%F_%'",
    "SELECT state, COUNT(*) AS n FROM visits JOIN clinics ON visits.sex = clinics.sex GROUP BY ROLLUP(state, age)",
    "SELECT AVG(k) AS a FROM (SELECT who, CLAMP(COUNT(*), 0, 5) AS k FROM visits GROUP BY who) WHERE k IN (1, 2)",
]


# Only as a stock of parts.
STRANGE = [
    "SELECT NULLIF(age, 3) + COALESCE(NULL, 1e30) * -0.0001, age / 0, age % 0, POW(age, -1), ROUND(cost, 40)",
    "SELECT day + INTERVAL 3 MONTH, DATE '9999-12-31' + INTERVAL 10000 YEAR, day - day, LAST_DAY(day)",
    "SELECT UPPER(sex) || REPLACE(sex, 'F', ''), sex LIKE NULL, SUBSTRING(sex, 0, -1), CAST(age AS TEXT)",
    "SELECT COUNT(age) FILTER (WHERE TRUE), SUM(DISTINCT age), QUANTILE(age, 2), VAR_POP(NULL), MIN(sex), AVG(age = 3)",
    "SELECT CASE age WHEN NULL THEN 1 END, IF(sex, 1, 2), (age, sex) IN ((1, 'F')), age IN (SELECT age FROM visits)",
    "SELECT ROW_NUMBER() OVER (ORDER BY age), *, visits.*, $1, ?, {'a': 1}, x -> x + 1, age::DECIMAL(3, 1), 0xFF",
]


@cache
def words(text: str) -> tuple[str, ...]:
    return tuple(text[token.start : token.end + 1] for token in DuckDB().tokenize(text))


def mutated(chance: random.Random) -> str:
    """A question with some words left out, written twice, exchanged, or wrapped in brackets."""
    listed = list(words(chance.choice(QUESTIONS)))
    others = words(chance.choice(QUESTIONS))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(listed))
        match chance.randrange(6):
            case 0:
                del listed[at]
            case 1:
                listed[at:at] = listed[at : at + chance.randrange(1, 6)]
            case 2:
                other = chance.randrange(len(listed))
                listed[at], listed[other] = listed[other], listed[at]
            case 3:
                start = chance.randrange(len(others))
                listed[at : at + 1] = others[start : start + chance.randrange(1, 8)]
            case 4:
                end = min(len(listed), at + chance.randrange(1, 6))
                deep = chance.choice([1, 1, 2, 30, 400])
                opening = chance.choice(["(", "NOT (", "- (", "ABS(", "CASE WHEN (", "(SELECT "])
                listed[at:end] = [opening * deep, *listed[at:end], ")" * deep]
            case _:
                odd = [
                    "NULL",
                    "1e999",
                    "0.5",
                    "9" * 400,
                    "''",
                    "'\x00'",
                    "*",
                    "FROM",
                    "visits",
                    "age",
                    "-1",
                    "%",
                    "\ud800",
                ]
                listed[at] = chance.choice(odd)
        if not listed:
            break
    return " ".join(listed)


def grafted(chance: random.Random) -> str:
    """A question some of whose parts are parts of others: it parses, and means something strange."""
    tree = parse_one(chance.choice(QUESTIONS), dialect="duckdb")
    for _ in range(chance.randrange(1, 5)):
        parts = [node for node in tree.walk() if isinstance(node, exp.Condition | exp.Subquery) and node.parent]
        other = parse_one(chance.choice([*QUESTIONS, *STRANGE]), dialect="duckdb")
        others = [node for node in other.walk() if isinstance(node, exp.Condition | exp.Query) and node.parent]
        chosen = chance.choice(others).copy()
        chance.choice(parts).replace(exp.Paren(this=chosen) if chance.random() < 0.3 else chosen)
    return str(tree.sql(dialect="duckdb"))


@settings(max_examples=max(300, settings().max_examples))
@given(st.integers(0, 2**40))
def test_a_question_out_of_joint_is_priced_or_refused_within_the_steps(seed):
    chance = random.Random(seed)
    text = grafted(chance) if seed % 2 else mutated(chance)
    with bounded() as effort:
        refused_at_most(lambda given: curator().quote(given, rho="0.001"), text)
    assert effort.left > -(10**7), text
