from __future__ import annotations

import pytest

from partita.errors import regions as refuse

TEXTS = {
    "region.bad-bound": (
        refuse.bad_bound("dates", "low", "soon"),
        "dates(...): low = 'soon' is not a date such as '2025-01-31'. Give a date such as '2025-01-31'.",
    ),
    "region.empty-column": (
        refuse.empty_column("integers", 9, 0),
        "integers(9, 0) holds no value, because 9 is above 0. Give the smaller bound first.",
    ),
    "region.missing-outside": (
        refuse.missing_outside("integers", 10, 0, 9),
        (
            "integers(0, 9): missing = 10 is outside. Give a value of the column, or leave it out to keep NULL as a "
            "value of its own."
        ),
    ),
    "region.bad-step": (
        refuse.bad_step(0),
        "decimals(...): step = 0 is not above zero. Give a positive step.",
    ),
    "region.off-grid": (
        refuse.off_grid("decimals", "0.3", "0.5"),
        "decimals(...): 0.3 is not a multiple of the step 0.5. Move it to a multiple, or take a finer step.",
    ),
    "region.too-fine": (
        refuse.too_fine("decimals", 0, 1, "1e-30"),
        (
            "decimals from 0 to 1 in steps of 1e-30 needs numbers beyond 2^50, where stored values could not be "
            "rounded exactly. Take a coarser step or narrower bounds."
        ),
    ),
    "region.no-categories": (
        refuse.no_categories(),
        "categories() needs at least one name. List the public names.",
    ),
    "region.bad-category": (
        refuse.bad_category(None),
        "categories(...): None is not a name. Give text or whole numbers.",
    ),
    "region.repeated-category": (
        refuse.repeated_category("a"),
        "categories(...): 'a' is listed twice. List it once.",
    ),
    "region.unknown-category": (
        refuse.unknown_category("sex", "X", ("F", "M", "OTHER")),
        "sex has no value 'X'. It was declared with: F, M, OTHER. Nothing was read and nothing was charged.",
    ),
    "region.unknown-column-kind": (
        refuse.unknown_column_kind("maps"),
        "A column of kind 'maps' is not known. It may come from a newer version of Partita.",
    ),
    "region.bad-description": (
        refuse.bad_description("dates"),
        "The description of a column of kind 'dates' is incomplete. It may be damaged.",
    ),
    "region.no-columns": (
        refuse.no_columns(),
        'A domain needs columns: Domain({"age": integers(0, 120), ...}). None was given.',
    ),
    "region.bad-column-name": (refuse.bad_column_name(3), "3 is not a name for a column. Give text."),
    "region.not-a-column": (
        refuse.not_a_column("age", 5),
        (
            "age is declared as 5, which is no column. Use integers, decimals, categories, dates, booleans, text_keys "
            "or identifier."
        ),
    ),
    "region.repeated-column": (
        refuse.repeated_column("Age"),
        "Age is declared twice but for upper and lower case, which SQL does not tell apart. Rename one.",
    ),
    "region.unknown-column": (
        refuse.unknown_column("height", (f"c{i}" for i in range(14))),
        (
            "There is no column 'height'. Declared are: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, and 2 more. "
            "Nothing was read and nothing was charged."
        ),
    ),
    "region.owner-column": (
        refuse.owner_in_region("patient"),
        (
            "patient says whom a row belongs to, so no question may select by it. Take it out of the condition. "
            "Nothing was read and nothing was charged."
        ),
    ),
    "region.open-column": (
        refuse.open_in_region("word"),
        (
            "word has no public list of values, so no region can be built from it. Declare it with categories(...), or "
            "leave it out. Nothing was read and nothing was charged."
        ),
    ),
    "region.other-domain": (
        refuse.other_domain(),
        "The region belongs to another domain than the one it is used with. Build it from the same Domain.",
    ),
    "region.not-comparable": (
        refuse.not_comparable("age", "numbers", "old"),
        "age holds numbers and is compared with 'old'. Nothing was read and nothing was charged.",
    ),
    "region.no-order": (
        refuse.no_order("sex", "<"),
        (
            "sex has no order, so < cannot be used with it. Use =, <>, IN or IS NULL. Nothing was read and nothing was "
            "charged."
        ),
    ),
    "region.empty-interval": (
        refuse.empty_interval("age", 10, 5),
        (
            "age BETWEEN 10 AND 5 holds of no value, because 10 is above 5. Write the smaller end first. Nothing was "
            "read and nothing was charged."
        ),
    ),
    "region.empty-list": (
        refuse.empty_list("age"),
        "age is compared with an empty list. Name at least one value. Nothing was read and nothing was charged.",
    ),
    "region.unreadable": (
        refuse.unreadable("age >", "it does not parse"),
        "The condition 'age >' cannot be read as SQL: it does not parse. Nothing was read and nothing was charged.",
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_message_says_what_failed_what_it_means_and_what_to_do(code):
    error, text = TEXTS[code]
    assert error.code == code
    assert str(error) == text


def test_long_values_are_cut_short():
    assert str(refuse.unreadable("x" * 200, "no")).startswith("The condition 'xxx")
    assert len(str(refuse.unreadable("x" * 2000, "no"))) < 200
