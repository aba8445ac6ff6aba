"""What requests may say, field by field; numbers that decide about privacy are texts, so that they stay exact."""

from __future__ import annotations

from abc import ABC
from typing import Annotated, Any, final

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

Exact = Annotated[StrictStr, Field(max_length=200, description="An exact number as text, such as '0.1' or '1/10'.")]
Wish = Exact | Annotated[dict[StrictStr, Exact], Field(max_length=1000)]
Text = Annotated[StrictStr, Field(min_length=1, max_length=100_000, description="SQL.")]
Count = Annotated[StrictInt, Field(ge=0, le=10**12)]
# Others wait while a charge is decided, so nobody takes much more than the usual work.
Patience = Annotated[StrictInt, Field(ge=1, le=16)]
Bars = Annotated[list[Exact], Field(min_length=1, max_length=8, description="Confidences of the error bars.")]


class Body(BaseModel, ABC):
    """A request; a field that is not listed is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Priced(Body, ABC):
    """A price."""

    epsilon: Exact | None = None
    rho: Exact | None = None
    mu: Exact | None = None
    delta: Exact | None = None


class Wants(Priced, ABC):
    """Everything that may be wanted of an answer: a price, or an accuracy."""

    within: Wish | None = None
    confidence: Exact | None = None
    floor: Wish | None = None
    rows: Count | None = None
    simultaneous: StrictBool = False
    noise: StrictStr | None = Field(default=None, max_length=100)
    rows_per_user: Count | None = None
    groups_per_user: Count | None = None
    rows_per_group: Count | None = None
    reuse: StrictBool = True
    shrink: StrictBool = False
    patience: Patience = 1
    bars: Bars = ["0.95"]
    explain: StrictBool = False

    def wanted(self) -> dict[str, Any]:
        """The keywords of a question."""
        return self.model_dump(exclude={"bars", "explain", *_OWN})


@final
class Loss(Priced):
    """A loss, to be explained."""


@final
class Ask(Wants):
    """One question."""

    question: Text
    key: StrictStr | None = Field(default=None, max_length=200)
    batch: Count | None = None


@final
class Quote(Wants):
    """One question, to be priced: what it costs if it is asked with this key."""

    question: Text
    key: StrictStr | None = Field(default=None, max_length=200)


@final
class AskMany(Wants):
    """Several questions, each at the price that is given."""

    questions: Annotated[list[Text], Field(min_length=1)]


@final
class Batch(Priced):
    """Several questions, priced together."""

    questions: Annotated[list[Text], Field(min_length=1)]
    weights: list[Exact] | None = None
    bars: Bars = ["0.95"]

    def wanted(self) -> dict[str, Any]:
        """The keywords of a batch."""
        return self.model_dump(exclude={"bars", "questions"})


@final
class Reused(Body):
    """A question that may follow from what was released."""

    question: Text
    bars: Bars = ["0.95"]
    explain: StrictBool = False


@final
class NewToken(Body):
    """A token to be given out."""

    account: Annotated[StrictStr, Field(max_length=200)]
    role: StrictStr
    days: StrictInt | None = None


@final
class Rotation(Body):
    """A token to be exchanged."""

    days: StrictInt | None = None


@final
class Decision(Body):
    """What the custodian decides about a request that waits."""

    approve: StrictBool


@final
class Limits(Body):
    """Limits of an analyst, one for each promise; null is none."""

    limits: Annotated[list[dict[StrictStr, Any] | None], Field(min_length=1, max_length=100)]


Document = Annotated[dict[str, Any], Field(description="As the command line reads it from a file.")]

_OWN = frozenset({"question", "questions", "key", "batch"})
