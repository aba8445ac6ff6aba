import pytest

from partita.errors import sampling as refuse

CASES = [
    (
        refuse.not_a_size(-1),
        "sampling.not-a-size",
        "size = -1 is not a number of draws. Nothing was drawn. Give a whole number, zero or more.",
    ),
    (
        refuse.size_too_large(10**12, 1 << 32),
        "sampling.size-too-large",
        "size = 1000000000000 is more than 4294967296 draws at once. Nothing was drawn. Draw in several smaller parts.",
    ),
    (
        refuse.not_a_source(7),
        "sampling.not-a-source",
        (
            "bits = 7 is not a source of random bits. Nothing was drawn. Give partita.sampling.entropy.system(), "
            "or in a test partita.sampling.bits.TestBits(seed)."
        ),
    ),
    (
        refuse.no_candidates(),
        "sampling.no-candidates",
        "There is nothing to choose from: the list of scores is empty. Nothing was drawn. Give at least one score.",
    ),
    (
        refuse.scores_not_exact([0.5]),
        "sampling.scores-not-exact",
        (
            "scores = [0.5] is not a flat list of exact numbers. Nothing was drawn. "
            "Give integers or Fractions: a rounded float score would move by more than its declared distance."
        ),
    ),
    (
        refuse.too_many_candidates(1 << 30, 1 << 28),
        "sampling.too-many-candidates",
        (
            "1073741824 candidates are more than the 268435456 one choice can hold. Nothing was drawn. "
            "Choose in two steps: first a group of candidates, then one within it."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), CASES, ids=[code for _, code, _ in CASES])
def test_the_words_of_each_refusal(error, code, message):
    assert (error.code, str(error)) == (code, message)


def test_a_long_value_is_shortened():
    assert len(str(refuse.not_a_size("x" * 500))) < 200
