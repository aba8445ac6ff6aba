from __future__ import annotations

import pytest

from partita.errors import InvalidInput, PartitaError
from partita.errors import algorithms as words

SAID: list[tuple[PartitaError, str, str]] = [
    (
        words.delta_beside("rho"),
        "algorithms.delta-beside",
        (
            "delta= goes with epsilon=, and rho= was given. Leave delta= out, or give epsilon= and delta=. "
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.unknown_choice("noise", "uniform", ("laplace", "gaussian")),
        "algorithms.unknown-choice",
        "noise = 'uniform' is none of: laplace, gaussian. Nothing was read and nothing was spent.",
    ),
    (
        words.no_such_noise("Gaussian", "ε = 1"),
        "algorithms.no-such-noise",
        (
            "Gaussian noise has no proven cost within ε = 1. Leave noise= out, or give a budget with delta=, rho= or "
            "mu= for Gaussian noise. Nothing was read and nothing was spent."
        ),
    ),
    (
        words.price_too_small("ρ = 1e-30", 16),
        "algorithms.price-too-small",
        (
            "ρ = 1e-30 divided over 16 rounds is too little to choose anything with. Give more, or fewer rounds=. "
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.not_a_matrix("queries", "shape (3,)"),
        "algorithms.not-a-matrix",
        (
            "queries must be a table of finite numbers with a line for each query and a column for each cell, and "
            "shape (3,) came. Nothing was read and nothing was spent."
        ),
    ),
    (
        words.not_written(),
        "algorithms.not-written",
        (
            "The workload has too many queries to list them all. Ask the estimate for the queries you want: "
            "estimate.range(low, high), estimate.answer(queries), estimate.error(confidence, queries)."
        ),
    ),
    (
        words.wrong_cells("histogram", 4, 3),
        "algorithms.wrong-cells",
        "histogram has 3 cells where 4 were declared. Nothing was read and nothing was spent.",
    ),
    (
        words.bad_range(3, 9, 8),
        "algorithms.bad-range",
        (
            "The range from 3 to 9 does not lie within cells 0 to 7, both ends included. "
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.too_many_cells(5000, 4096, "Use a tree."),
        "algorithms.too-many-cells",
        ("5000 cells are more than the 4096 this method can hold. Use a tree. Nothing was read and nothing was spent."),
    ),
    (
        words.not_bits(3),
        "algorithms.not-bits",
        (
            "values must be a flat list of numbers from 0 to 1, one for each row (0 and 1 only for randomised "
            "response), and queries a table of 0 and 1 with 3 lines and a column for each row. "
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.not_a_pair(5),
        "algorithms.not-a-pair",
        (
            "A range is a pair (low, high) of cells, both included, and 5 came. Write for example "
            "Workload.ranges(100, [(18, 65), (0, 17)]). Nothing was read and nothing was spent."
        ),
    ),
    (
        words.too_many_events(1 << 40),
        "algorithms.too-many-events",
        (
            "A step of a stream can have at most 1,099,511,627,776 events. Nothing was released for this step; check "
            "the unit of the count, or divide the step."
        ),
    ),
    (
        words.no_axes(),
        "algorithms.no-axes",
        (
            'Give the columns with their numbers of values, such as {"sex": 2, "region": 4}. '
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.unknown_axis("wage", ("sex", "age")),
        "algorithms.unknown-axis",
        "'wage' is none of the columns sex, age. Nothing was read and nothing was spent.",
    ),
    (
        words.not_codes(("sex", "age")),
        "algorithms.not-codes",
        (
            "Rows must be whole numbers in a table with the columns sex, age, each from 0 to its number of values less "
            "one. Nothing was read and nothing was spent."
        ),
    ),
    (
        words.other_axes("visits", {"sex": 4}),
        "algorithms.other-axes",
        (
            "The columns of visits have other numbers of values, OTHER and NULL included: sex: 4. Make the axes with "
            "axes_of(curator, 'visits', columns). Nothing was read and nothing was spent."
        ),
    ),
    (
        words.no_tables(),
        "algorithms.no-tables",
        "Name at least one table, as a list of its columns. Nothing was read and nothing was spent.",
    ),
    (
        words.not_measured(("sex", "age"), [("sex", "region"), ("age",)]),
        "algorithms.not-measured",
        ("The table of sex, age lies in none of those released: sex, region; age. A new release can measure it."),
    ),
    (
        words.too_many_steps(2000, 1024),
        "algorithms.too-many-steps",
        (
            '2000 steps are more than the 1024 this method can hold. Use method="tree". '
            "Nothing was read and nothing was spent."
        ),
    ),
    (
        words.no_stream_unit("one node"),
        "algorithms.no-stream-unit",
        (
            "one node is not made of a known number of events. Give unit=pt.rows(), pt.users(..., rows=m), "
            "pt.windows(..., width=w), pt.groups(k) or pt.replace(). Nothing was read and nothing was spent."
        ),
    ),
    (
        words.stream_over(10),
        "algorithms.stream-over",
        (
            "The stream was declared with 10 steps, and all of them were counted. Its cost was for that many: open a "
            "new counter, which costs anew."
        ),
    ),
    (
        words.bad_step(7, 5),
        "algorithms.bad-step",
        "There is no step 7: steps are counted from 0, and there are 5.",
    ),
    (
        words.unsound_variant("never stop", {"never stop": "every answer above the threshold has to be paid for"}),
        "algorithms.unsound-variant",
        (
            "variant = 'never stop' is not private at the price it would claim: every answer above the threshold has "
            "to be paid for (theory C12). Leave variant= out. Nothing was read and nothing was spent."
        ),
    ),
    (
        words.not_a_counting_query(8, 1),
        "algorithms.not-a-counting-query",
        "A query needs a whole number from 0 to 1 for each of the 8 cells. Nothing was used up.",
    ),
    (
        words.conversation_over(5, 100),
        "algorithms.conversation-over",
        (
            "The session was charged for 5 noisy answers among 100 queries, and one of the two is used up. Its "
            "histogram can still be used for free; a new session costs anew."
        ),
    ),
    (
        words.no_error_of_a_session(),
        "algorithms.no-error-of-a-session",
        ("A filtered session has no error of its own: each of its releases has one. Ask the result for its error."),
    ),
    (
        words.bad_synthetic_question("Parser Error"),
        "algorithms.bad-synthetic-question",
        (
            "The database did not understand the question about synthetic rows: Parser Error. The rows are public; "
            "nothing was spent."
        ),
    ),
    (
        words.no_mbi(),
        "algorithms.no-mbi",
        (
            'inference="mbi" needs the mbi package, an extra: pip install "partita[synth]". Leave inference= out to '
            "use the built-in inference. Nothing was read and nothing was spent."
        ),
    ),
    (
        words.not_covered(),
        "algorithms.not-covered",
        (
            "The strategy does not measure enough to answer every query of the workload: no combination of its lines "
            "gives them (theory F9). Add lines, or leave strategy= out. Nothing was read and nothing was spent."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), SAID, ids=[code for _, code, _ in SAID])
def test_errors_say_exactly_this(error, code, message):
    assert (error.code, str(error)) == (code, message)
    assert isinstance(error, PartitaError)


def test_every_refusal_of_a_value_is_also_a_value_error():
    assert all(isinstance(error, ValueError) for error, _, _ in SAID if isinstance(error, InvalidInput))
