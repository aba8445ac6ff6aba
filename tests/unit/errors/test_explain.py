from __future__ import annotations

import pytest

from partita.errors import InvalidInput, NotProven, PartitaError
from partita.errors import explain as words

SAID: list[tuple[PartitaError, str, str]] = [
    (
        words.not_readable(1),
        "explain.not-a-guarantee",
        "1 is no guarantee that can be explained. Give a loss such as pt.Pure(epsilon=1), or what pt.compose returned.",
    ),
    (
        words.not_proven("central_limit_approximation"),
        "explain.not-proven",
        (
            "A total by 'central_limit_approximation' is an approximation that may be below the truth, so it promises "
            "nothing that could be explained. Compose the plan with method='best'."
        ),
    ),
    (
        words.unknown_reader("boss", "person, analyst, officer"),
        "explain.unknown-reader",
        "There is no explanation for 'boss'. Choose among: person, analyst, officer.",
    ),
    (
        words.no_matplotlib(),
        "explain.no-matplotlib",
        (
            "Pictures are drawn with matplotlib, which is not installed. Install it with: pip install "
            "'partita[plot]'. Nothing was computed and nothing was written."
        ),
    ),
    (
        words.not_a_picture_file("p.jpg", ".png or .svg"),
        "explain.not-a-picture-file",
        (
            "'p.jpg' does not end in .png or .svg, so it is not clear what kind of picture to write. "
            "Nothing was written."
        ),
    ),
    (
        words.cannot_write("x/p.png", "No such file or directory"),
        "explain.cannot-write",
        "The picture cannot be written to 'x/p.png': No such file or directory. Choose another place.",
    ),
    (
        words.nothing_to_draw("bars"),
        "explain.nothing-to-draw",
        "There are no bars to draw. Give at least one.",
    ),
    (
        words.unlike_lengths("names", 2, "counts", 3),
        "explain.unlike-lengths",
        "names has 2 entries and counts has 3. Give one of each for every bar.",
    ),
    (
        words.unknown_about("colour", ("name", "people")),
        "explain.unknown-about",
        "'colour' is not a field that a report has. Choose among: name, people. Nothing was written.",
    ),
    (
        words.bad_people("many"),
        "explain.bad-people",
        (
            "people = 'many' is not a whole number of at least 1. Give how many people are in the data at least, as is "
            "publicly known, or leave it out. Nothing was written."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), SAID, ids=[code for _, code, _ in SAID])
def test_the_words(error, code, message):
    assert isinstance(error, InvalidInput | NotProven)
    assert (error.code, error.message) == (code, message)
