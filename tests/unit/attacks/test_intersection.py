"""Alice is hidden in each table and named by both."""

from __future__ import annotations

import pytest

from partita.attacks.laboratory.intersection import (
    FIRST_HOSPITAL,
    SECOND_HOSPITAL,
    Ages,
    anonymity,
    intersect,
    possible_conditions,
)
from partita.errors import InvalidInput


def test_each_table_alone_hides_her():
    assert anonymity(FIRST_HOSPITAL) == 4
    assert anonymity(SECOND_HOSPITAL) == 6
    assert possible_conditions(FIRST_HOSPITAL, zip_code="13012", age=28) == {
        "AIDS",
        "Heart Disease",
        "Viral Infection",
    }
    assert possible_conditions(SECOND_HOSPITAL, zip_code="13012", age=28) == {"AIDS", "Tuberculosis", "Flu", "Cancer"}


def test_both_tables_together_name_her_condition():
    assert intersect(FIRST_HOSPITAL, SECOND_HOSPITAL, zip_code="13012", age=28) == {"AIDS"}


def test_the_tables_have_the_rows_that_were_printed():
    assert len(FIRST_HOSPITAL) == len(SECOND_HOSPITAL) == 12
    assert {str(row.ages) for row in FIRST_HOSPITAL} == {"<30", "30-39", "≥40"}
    assert {str(row.ages) for row in SECOND_HOSPITAL} == {"<35", "≥35"}


def test_somebody_from_elsewhere_is_in_no_class():
    assert intersect(FIRST_HOSPITAL, SECOND_HOSPITAL, zip_code="94110", age=28) == set()
    assert intersect(zip_code="13012", age=28) == set()
    assert anonymity([]) == 0
    assert 28 in Ages(28, 28)


def test_an_age_is_a_whole_number():
    with pytest.raises(InvalidInput):
        intersect(FIRST_HOSPITAL, zip_code="13012", age="young")
