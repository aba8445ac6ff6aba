"""Outputs of every shape become numbers or labels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.attacks.audits.outputs import collect, labels, last_bits, numbers, width
from partita.errors import InvalidInput


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([1, 2.5, Fraction(1, 2), np.int64(3)], 1),
        ([True, False], 1),
        (np.array([1, 2]), 1),
        (np.zeros((4, 3)), 3),
        ([[1, 2], (3, 4), np.array([5, 6])], 2),
        ([[1, 2], [1, 2, 3], [4, 5]], 2),
        (["a", 1, None], 0),
        ([None], 0),
        (np.array(["a", "b"]), 0),
    ],
)
def test_the_width_is_how_many_numbers_most_outputs_have(outputs, expected):
    assert width(outputs) == expected


def test_numbers_beyond_the_floats_keep_their_sign():
    assert numbers([10**400, -(10**400), 3], 1).tolist() == [[np.inf], [-np.inf], [3.0]]


def test_an_output_of_another_shape_becomes_nan():
    assert np.isnan(numbers([1.0, None, (1, 2)], 1)).ravel().tolist() == [False, True, True]
    assert np.isnan(numbers(np.zeros((2, 3)), 1)).all()


def test_outputs_that_are_equal_have_equal_labels():
    first, again = labels([{"a": [1, 2], "b": {3}}, {"b": {3}, "a": [1, 2]}])
    assert first == again
    assert len(set(labels([np.array([1, 2]), np.array([1, 2]), np.array([1.0, 2.0])]))) == 2
    assert labels([float("nan")]) == labels([np.float64("nan")])


def test_an_output_that_cannot_be_compared_is_refused():
    with pytest.raises(InvalidInput) as refusal:
        labels([bytearray(b"x")])
    assert refusal.value.code == "audit.unreadable-output"


def test_a_batch_must_have_the_length_that_was_asked_for():
    assert len(collect(lambda data, n: [data] * n, 1, 5, batch=True)) == 5
    assert np.shape(collect(lambda data, n: np.zeros((n, 2, 3)), 1, 5, batch=True)) == (5, 6)
    for wrong in (lambda data, n: [data], lambda data, n: np.zeros(n + 1), lambda data, n: np.float64(1)):
        with pytest.raises(InvalidInput) as refusal:
            collect(wrong, 1, 5, batch=True)
        assert refusal.value.code == "audit.wrong-length"


@pytest.mark.parametrize(
    "outputs",
    [
        np.array([-(2**63), -1, 0, 65, 2**63 - 1]),
        np.array([0, 63, 64, 2**64 - 1], dtype=np.uint64),
        np.array([-128, 127], dtype=np.int8),
        np.array([True, False]),
        np.array([np.nan, 0.5, -0.0, np.inf]),
        np.array([[1, 2], [1, 2], [3, -4]]),
        np.asfortranarray(np.array([[0.5, np.nan], [-0.0, 0.0]])),
        np.empty((2, 0)),
        np.empty((0, 3)),
    ],
    ids=lambda outputs: f"{outputs.dtype} {outputs.shape}",
)
def test_many_outputs_at_once_are_labelled_as_one_by_one(outputs):
    assert labels(outputs) == labels(list(outputs))
    if outputs.dtype.kind in "iu" and outputs.ndim == 1:
        assert last_bits(outputs) == last_bits(list(outputs)) == [int(output) % 64 for output in outputs]
