"""What is said of training in noisy steps that cannot be done as asked."""

from __future__ import annotations

from partita.errors.base import BudgetExceeded, InvalidInput

_PLAN = "Nothing was trained and nothing was spent."


def one_length(steps: object, epochs: object) -> InvalidInput:
    """How long training lasts is said once."""
    return InvalidInput(
        "training.one-length",
        f"How long to train is said in steps= or in epochs=, one of them, and steps = {steps}, epochs = {epochs} came. "
        f"{_PLAN}",
    )


def one_amount() -> InvalidInput:
    """The noise is said, or found from a promise."""
    return InvalidInput(
        "training.one-amount",
        "The noise follows from epsilon= and delta=, or is said as noise_multiplier=: give one of the two, as "
        f"TrainingPlan(..., epsilon=3, delta='1e-6'). {_PLAN}",
    )


def batch_too_large(batch: int, rows: int) -> InvalidInput:
    """A sample is a part of the rows."""
    return InvalidInput(
        "training.batch-too-large",
        f"batch = {batch} is more than rows = {rows}. A batch is a secret sample of the rows, so many on average. "
        f"{_PLAN}",
    )


def out_of_steps(steps: int) -> BudgetExceeded:
    """The plan was for so many steps."""
    return BudgetExceeded(
        "training.out-of-steps",
        f"All {steps} steps of this plan are done. What was promised holds for so many; nothing more is drawn and "
        f"nothing more was spent. To train longer, make a plan with more steps= beforehand: it has more noise.",
    )


def no_sample() -> InvalidInput:
    """A release is of one sample, and a sample is released once."""
    return InvalidInput(
        "training.no-sample",
        "There is no sample to release the gradients of: draw one with sample() first, and release it once. A second "
        "release of one sample would be one that nobody paid for. Nothing was released.",
    )


def no_gradients() -> InvalidInput:
    """Nothing says how many numbers a gradient has."""
    return InvalidInput(
        "training.no-gradients",
        "No gradients were given for this sample. Give them with add(...) or release(...), one array for each group of "
        "weights, with a line for each row of the sample; for an empty sample, arrays without lines. Nothing was "
        "released.",
    )


def other_shapes() -> InvalidInput:
    """Parts of one sample that do not fit together."""
    return InvalidInput(
        "training.other-shapes",
        "The gradients do not fit together: give one array for each group of weights, each with one line for each of "
        "the same rows, in the same order and shapes for all parts of a sample. A mean over rows is no gradient of "
        "each row. Nothing was released.",
    )


def other_rows() -> InvalidInput:
    """Gradients of other rows than those that were drawn."""
    return InvalidInput(
        "training.other-rows",
        "There must be one gradient for each row of the sample, and there are more or fewer. The privacy of the step "
        "rests on the sample that was drawn. Nothing was released.",
    )


def too_many_rows(most: int) -> InvalidInput:
    """Sums stay exact up to so many rows."""
    return InvalidInput(
        "training.too-many-rows", f"A training has at most {most:,} rows; sums would leave 64 bits beyond. {_PLAN}"
    )
