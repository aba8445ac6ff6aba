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
        (
            "age holds numbers and is compared with 'old'. Write for example age = 5. Nothing was read and nothing was "
            "charged."
        ),
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
    "region.over-budget": (
        refuse.over_budget("one row", "age >= 65", "ρ = 0.2", "ρ = 0.4", "ρ = 0.5", "ρ = 0.1"),
        (
            "The promise of ρ = 0.5 for one row cannot pay ρ = 0.2 on [age >= 65]: ρ = 0.4 has been spent there. "
            "Nothing was read and nothing was charged. The largest cost that still fits there is ρ = 0.1; a part of "
            "the region may have more left."
        ),
    ),
    "region.not-shown-to-fit": (
        refuse.not_shown_to_fit("one row", "age >= 65", "ρ = 0.2", "ρ = 0.5", "ρ = 0.6"),
        (
            "The promise of ρ = 0.5 for one row may be able to pay ρ = 0.2 on [age >= 65], but this could not be "
            "shown within the work allowed: what was spent there is only known to be at most ρ = 0.6. Nothing was "
            "read and nothing was charged. Ask about fewer columns or a narrower region, or at a lower cost."
        ),
    ),
    "region.own-domain": (
        refuse.own_domain("one row"),
        (
            "The cost was proven for changes that keep the number of selected rows fixed. A change can move a row out "
            "of the region, which such a proof says nothing about, so for one row the loss could be infinite: "
            "printing the number of selected rows is free by that proof. Nothing was read and nothing was charged. "
            "Give a cost proven on the whole table, or for rows that enter or leave the region."
        ),
    ),
    "region.window-too-wide": (
        refuse.window_too_wide(10**9, 10**6),
        (
            "width = 1,000,000,000 steps is more than an account can add up for every charge, which is 1,000,000. "
            "Nothing was read and nothing was charged. Count in longer steps."
        ),
    ),
    "region.no-steps": (
        refuse.no_steps("sex", "categories"),
        (
            "windows('sex') needs a column of numbers or dates, whose values follow one another; sex holds categories. "
            "Nothing was read and nothing was charged. Name the column of time steps."
        ),
    ),
    "region.no-account": (
        refuse.no_account("a galaxy"),
        (
            "There is no theorem that gives loads of record values for a galaxy. Nothing was read and nothing was "
            "charged. Use rows, replace, groups, users, windows or a metric."
        ),
    ),
    "region.stateful-update": (
        refuse.stateful_update("ρ"),
        (
            "A mechanism that keeps private state while rows arrive has no proven rule in ρ with δ. Nothing was read "
            "and nothing was charged. State its cost in (ε, δ), or use releases with fresh noise."
        ),
    ),
    "region.not-a-region": (
        refuse.not_a_region("age >= 65"),
        (
            "'age >= 65' is not a region. Write Region.where(\"age >= 65\", domain). Nothing was read and nothing "
            "was charged."
        ),
    ),
    "region.wrong-costs": (
        refuse.wrong_costs(1, 2),
        (
            "1 costs were given for 2 promises. Give one for each, in the same order. Nothing was read and nothing "
            "was charged."
        ),
    ),
    "region.bad-certificate": (
        refuse.bad_certificate("its version is unknown"),
        "The certificate cannot be read: its version is unknown. Ask its issuer for a whole copy.",
    ),
    "region.not-recorded": (
        refuse.not_recorded(),
        ("This account does not keep the list of its charges, so it cannot certify them. Make it with record=True."),
    ),
    "region.unknown-slot": (
        refuse.unknown_slot("b", ("a",)),
        "There is no class of slots 'b'. Declared are: a. Nothing was read and nothing was charged.",
    ),
    "region.no-slot-left": (
        refuse.no_slot_left("a", "age >= 65", 3),
        (
            "All 3 slots of 'a' have been used on somebody in [age >= 65]. Nothing was read and nothing was charged. "
            "Ask about others, or use another class."
        ),
    ),
    "region.slot-without-replacement": (
        refuse.slot_without_replacement("a"),
        (
            "A row can be altered inside the region, and a slot of 'a' is not known to dominate that. Nothing was "
            "read and nothing was charged. Use a slot that dominates the release for replacements too."
        ),
    ),
    "region.slot-without-unit": (
        refuse.slot_without_unit("a", "one owner"),
        (
            "A slot of 'a' must dominate the release for everything that one step changes: one owner. Nothing was read "
            "and nothing was charged. Declare slots for that, and take them with dominates_unit=True."
        ),
    ),
    "region.not-pictured": (
        refuse.not_pictured("age"),
        "A map needs two different columns; age was given twice.",
    ),
    "region.too-many-columns": (
        refuse.too_many_columns(61, 60),
        (
            "The table declares 61 columns with public values, and an account can tell at most 60 apart. Declare those "
            "that questions are about: columns that are not declared are never read."
        ),
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


def test_every_error_of_the_layer_has_its_text_here():
    import inspect

    made = {
        name
        for name, function in inspect.getmembers(refuse, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == refuse.__name__
    }
    assert len(made) == len(TEXTS)
