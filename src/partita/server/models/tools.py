"""The tools by which a language model reaches its seat, as the Model Context Protocol has them."""

# No `from __future__ import annotations` here: the protocol reads the annotations of functions inside a function.

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar, final

import anyio.to_thread
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from partita.errors import PartitaError
from partita.errors import models as refuse_model
from partita.errors import server as refuse
from partita.server.log import failed
from partita.server.models.guide import GUIDE
from partita.server.models.seat import Document, Seat

_FREE: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_SPENDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)

Made = TypeVar("Made")
Exact = str | int | float
"""A number as text or as JSON has it: it is read by its shortest decimal."""
Question = Annotated[
    str, Field(description="SQL, for example SELECT region, COUNT(*) AS n FROM visits GROUP BY region")
]
Questions = Annotated[list[str], Field(description="SQL questions that are priced together.")]
Condition = Annotated[str | None, Field(max_length=10_000, description="A condition, such as age > 64.")]
Name = Annotated[str | None, Field(max_length=200)]
Number = Annotated[int, Field(ge=1, le=2**62)]
Within = Annotated[
    Exact | None, Field(description="The longest error bar that is needed, such as '50' or '5%'; no price then.")
]
Epsilon = Annotated[Exact | None, Field(description="The price as ε, such as '0.1'.")]
Rho = Annotated[Exact | None, Field(description="The price as ρ, such as '0.01'.")]
Mu = Annotated[Exact | None, Field(description="The price as μ.")]
Delta = Annotated[Exact | None, Field(description="The δ of the price, where keys are open.")]
Confidence = Annotated[str, Field(description="The confidence of the error bars, such as '0.95'.")]


@final
class Consent(BaseModel):
    """What a person says to a price."""

    spend: bool = Field(description="Whether it may be spent.")


def tools_of(seat: Seat, *, version: str, limiter: anyio.CapacityLimiter | None = None) -> MCPServer[Any]:
    """A server with the tools of one seat; they work in threads, of which a limiter may bound the number."""
    working = _Working(limiter)
    server: MCPServer[Any] = MCPServer(
        "partita", title="Partita", instructions=GUIDE, version=version, log_level="CRITICAL"
    )

    @server.tool(annotations=_FREE)
    async def describe() -> Document:
        """Tables, columns and what they may hold, who is protected, what is left, and the limits of this account."""
        return await working(seat.describe)

    @server.tool(annotations=_FREE)
    async def left(where: Condition = None, table: Name = None) -> Document:
        """What may still be spent, on everybody or on those whom a condition names."""
        return await working(lambda: seat.left(where, table))

    @server.tool(annotations=_FREE)
    async def quote(
        question: Question,
        within: Within = None,
        epsilon: Epsilon = None,
        rho: Rho = None,
        mu: Mu = None,
        delta: Delta = None,
        confidence: Confidence = "0.95",
    ) -> Document:
        """What a question would cost and how exact its answer would be; nothing is read or spent."""
        return await working(lambda: seat.quote(**_fields(question, within, epsilon, rho, mu, delta, confidence)))

    async def consent_to_one(
        context: Context,
        question: str,
        within: Exact | None = None,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        mu: Exact | None = None,
        delta: Exact | None = None,
        confidence: str = "0.95",
    ) -> Consent | Elicit[Consent]:
        fields = _fields(question, within, epsilon, rho, mu, delta, confidence)
        return await _consent(seat, working, context, fields)

    @server.tool(annotations=_SPENDS)
    async def ask(
        consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_one)],
        question: Question,
        within: Within = None,
        epsilon: Epsilon = None,
        rho: Rho = None,
        mu: Mu = None,
        delta: Delta = None,
        confidence: Confidence = "0.95",
    ) -> Document:
        """Answer a question with noise; it is charged for ever, and asking the same again is free."""
        _given(consent)
        return await working(lambda: seat.ask(**_fields(question, within, epsilon, rho, mu, delta, confidence)))

    @server.tool(annotations=_FREE)
    async def quote_plan(
        questions: Questions, epsilon: Epsilon = None, rho: Rho = None, delta: Delta = None
    ) -> Document:
        """What several questions would cost together, and how exact each would be; nothing is read or spent."""
        return await working(lambda: seat.quote_plan(**_together(questions, epsilon, rho, delta)))

    async def consent_to_plan(
        context: Context,
        questions: list[str],
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        delta: Exact | None = None,
    ) -> Consent | Elicit[Consent]:
        return await _consent(seat, working, context, _together(questions, epsilon, rho, delta))

    @server.tool(annotations=_SPENDS)
    async def ask_plan(
        consent: Annotated[ElicitationResult[Consent], Resolve(consent_to_plan)],
        questions: Questions,
        epsilon: Epsilon = None,
        rho: Rho = None,
        delta: Delta = None,
    ) -> Document:
        """Answer several questions at one price, divided so that all of them are as exact as possible."""
        _given(consent)
        return await working(lambda: seat.ask_plan(**_together(questions, epsilon, rho, delta)))

    @server.tool(annotations=_FREE)
    async def reuse(question: Question) -> Document:
        """The most exact answer that follows from what was released already, free; null if nothing tells."""
        return await working(lambda: seat.reuse(question))

    @server.tool(annotations=_FREE)
    async def receipt(number: Number) -> Document:
        """The signed receipt of an answer, by the number that the answer names."""
        return await working(lambda: seat.receipt(number))

    @server.tool(annotations=_FREE)
    async def explain() -> Document:
        """What is promised to everybody in the data, in words."""
        return await working(seat.explain)

    return server


def _fields(
    question: str,
    within: Exact | None,
    epsilon: Exact | None,
    rho: Exact | None,
    mu: Exact | None,
    delta: Exact | None,
    confidence: str,
) -> Document:
    found = {"within": within, "epsilon": epsilon, "rho": rho, "mu": mu, "delta": delta}
    return {
        "question": question,
        **_exact(found),
        "bars": [confidence],
        **({"confidence": confidence} if within is not None else {}),
    }


def _together(questions: list[str], epsilon: Exact | None, rho: Exact | None, delta: Exact | None) -> Document:
    return {"questions": questions, **_exact({"epsilon": epsilon, "rho": rho, "delta": delta})}


def _exact(found: dict[str, Exact | None]) -> Document:
    return {name: str(value) for name, value in found.items() if value is not None}


async def _consent(seat: Seat, working: "_Working", context: Context, fields: Document) -> Consent | Elicit[Consent]:
    """Consent without a question where none is needed; else the question to the person at the client."""
    words = await working(lambda: seat.to_be_asked(fields))
    if words is None:
        return Consent(spend=True)
    able = context.client_capabilities
    if able is None or able.elicitation is None:
        raise _told(refuse_model.nobody_to_ask())
    return Elicit(words, Consent)


def _given(consent: ElicitationResult[Consent]) -> None:
    if not isinstance(consent, AcceptedElicitation) or not consent.data.spend:
        raise _told(refuse_model.declined())


@final
class _Working:
    """Work in a thread; a refusal reaches the model with its code, anything else as one constant sentence."""

    def __init__(self, limiter: anyio.CapacityLimiter | None) -> None:
        self._limiter = limiter

    async def __call__(self, work: Callable[[], Made]) -> Made:
        """What comes of it."""
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._limiter)
        except PartitaError as refusal:
            raise _told(refusal) from None
        except ValidationError as wrong:
            place = ".".join(map(str, wrong.errors()[0]["loc"]))
            raise _told(refuse.bad_request(place, "it has another type, or there is no such field")) from None
        except Exception as error:  # noqa: BLE001 - whatever it is, the model hears one sentence
            failed("mcp", error)
            raise _told(refuse.fault()) from None


def _told(refusal: PartitaError) -> ToolError:
    return ToolError(f"{refusal.code}: {refusal.message}")
