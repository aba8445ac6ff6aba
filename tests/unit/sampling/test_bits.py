import numpy as np
import pytest

from partita.errors import InvalidInput
from partita.sampling.bits import BitSource, TestBits, source


def test_the_test_source_repeats_itself_for_a_seed_and_differs_between_seeds():
    assert (TestBits(1).words(100) == TestBits(1).words(100)).all()
    assert (TestBits(1).words(100) != TestBits(2).words(100)).all()


def test_a_source_never_gives_a_word_twice():
    bits = TestBits(3)
    words = np.concatenate([bits.words(1000) for _ in range(20)])
    assert len(np.unique(words)) == len(words)


@pytest.mark.parametrize("other", [None, 1, np.random.default_rng(0), "system"])
def test_anything_else_is_no_source(other):
    with pytest.raises(InvalidInput) as refusal:
        source(other)
    assert refusal.value.code == "sampling.not-a-source"


def test_a_source_must_say_where_its_words_come_from():
    with pytest.raises(TypeError):
        BitSource()
