from __future__ import annotations

import pytest

from partita.errors import InvalidInput
from partita.region import Domain, categories, identifier, integers, text_keys

DOMAIN = Domain({"age": integers(0, 120), "who": identifier(), "word": text_keys(), "sex": categories("F", "M")})


def test_only_columns_with_finitely_many_codes_are_axes():
    assert DOMAIN.axes == ("age", "sex")
    assert DOMAIN.shape == (122, 4)
    assert DOMAIN.size == 488


def test_a_domain_is_the_same_wherever_it_is_declared_the_same():
    again = Domain.described(DOMAIN.describe())
    assert again == DOMAIN
    assert hash(again) == hash(DOMAIN)
    assert again.digest == DOMAIN.digest
    assert Domain({"age": integers(0, 121)}) != Domain({"age": integers(0, 120)})


def test_the_fingerprint_of_a_domain_never_changes():
    assert Domain({"age": integers(0, 120)}).digest == (
        "a1e68c7b86b696c163f32c86580c362b467d4f8b75027ee957d3136c17940bb2"
    )


def test_a_record_has_codes_and_codes_are_a_record():
    assert DOMAIN.codes({"age": 30, "SEX": "M", "who": 7}) == (30, 1)
    assert DOMAIN.codes({}) == (121, 3)
    assert DOMAIN.record((30, 2)) == {"age": 30, "sex": "OTHER"}


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Domain({}), "region.no-columns"),
        (lambda: Domain({"": integers(0, 1)}), "region.bad-column-name"),
        (lambda: Domain({"a": 5}), "region.not-a-column"),  # type: ignore[dict-item]
        (lambda: Domain({"a": integers(0, 1), "A": integers(0, 1)}), "region.repeated-column"),
        (lambda: DOMAIN.axis("height"), "region.unknown-column"),
        (lambda: DOMAIN.axis("who"), "region.owner-column"),
        (lambda: DOMAIN.axis("word"), "region.open-column"),
        (lambda: DOMAIN.codes({"height": 1}), "region.unknown-column"),
        (lambda: Domain.described({}), "region.no-columns"),
    ],
)
def test_a_domain_that_makes_no_sense_is_refused(make, code):
    with pytest.raises(InvalidInput) as refusal:
        make()
    assert refusal.value.code == code
