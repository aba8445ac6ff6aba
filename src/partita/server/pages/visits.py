"""Visits: who looks at a page, whether a form is theirs, and how a page is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, final
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from partita.errors import PartitaError
from partita.errors import server as refuse
from partita.server.accounts.register import Caller, Role
from partita.server.calls import service_of
from partita.server.desk import Desk
from partita.server.pages.sessions import Sessions, same
from partita.server.service import Service
from partita.server.statuses import status_of

THEMES: Final = ("system", "light", "dark")
_SESSION: Final = "partita_session"
_THEME: Final = "partita_theme"
_PRACTICE: Final = "partita_practice"
_YEAR: Final = 31_536_000
_MOST_FIELDS: Final = 50


@final
@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in, with the secret that their forms carry."""

    caller: Caller
    form: str
    practice: bool

    @property
    def decides(self) -> bool:
        """Whether it is a custodian."""
        return self.caller.role is Role.CUSTODIAN


def sessions_of(request: Request) -> Sessions:
    """Who is signed in."""
    found: Sessions = request.app.state.sessions
    return found


def visitor_of(request: Request) -> Visitor:
    """Whoever looks at a page; their token is checked again at every look."""
    service = service_of(request)
    signed = sessions_of(request).find(request.cookies.get(_name(service), ""))
    caller = None if signed is None else service.register.holder(signed.token)
    if signed is None or caller is None:
        raise refuse.not_signed_in()
    if not request.app.state.rates.taken(f"token {caller.token}"):
        raise refuse.too_many(5)
    request.state.caller = caller
    practice = service.settings.practice and request.cookies.get(_PRACTICE) == "1"
    return Visitor(caller, signed.form, practice)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form that was sent from a page of this server."""
    body = await request.body()
    try:
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise refuse.bad_request("form", "it is malformed") from None
    origin = request.headers.get("origin")
    elsewhere = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if elsewhere or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise refuse.cross_site()
    return fields


TheVisitor = Annotated[Visitor, Depends(visitor_of)]
AnyForm = Annotated[dict[str, str], Depends(form_of)]


def own_form(visitor: TheVisitor, fields: AnyForm) -> dict[str, str]:
    """The fields of a form that this visitor was given."""
    if not same(fields.get("form", ""), visitor.form):
        raise refuse.cross_site()
    return fields


OwnForm = Annotated[dict[str, str], Depends(own_form)]


def desk_of(service: Service, visitor: Visitor) -> Desk:
    """Where a visitor asks: for real, or to practise."""
    return service.desk(visitor.caller, practice=visitor.practice)


# --- making pages -----------------------------------------------------------------------------------------------------


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("partita.server.pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def part(template: str, **facts: Any) -> str:
    """A part of a page; whatever is put into it is text."""
    return _templates().get_template(template).render(**facts)


def page(request: Request, visitor: Visitor | None, template: str, status: int = 200, **facts: Any) -> Response:
    """A whole page."""
    theme = request.cookies.get(_THEME, "system")
    text = part(
        template,
        visitor=visitor,
        theme=theme if theme in THEMES else "system",
        here=request.url.path,
        practice_there=service_of(request).settings.practice,
        **facts,
    )
    return Response(text, status, {"Content-Type": "text/html; charset=utf-8"})


def complained(request: Request, refusal: PartitaError, message: str) -> Response:
    """A refusal as a page; whoever is not signed in is led to where they can."""
    status = status_of(refusal)
    if status == 401:
        return RedirectResponse("/sign-in", 303)
    return page(request, None, "refusal.html", status, code=refusal.code, message=message)


def signed_in(service: Service, sessions: Sessions, caller: Caller, shown: Response | None = None) -> Response:
    """Lead somebody who has signed in to the first page, or show them another one first."""
    found = RedirectResponse("/", 303) if shown is None else shown
    age = service.settings.sign_in_hours * 3600
    cookie(found, service, _name(service), sessions.open(caller.token), age, strict=True)
    return found


def signed_out(request: Request, service: Service) -> Response:
    """Lead somebody out."""
    sessions_of(request).end(request.cookies.get(_name(service), ""))
    found = RedirectResponse("/sign-in", 303)
    found.delete_cookie(_name(service), secure=service.settings.secure, httponly=True, samesite="strict")
    return found


def chosen(service: Service, fields: Mapping[str, str]) -> Response:
    """Keep how somebody wants to see pages, and lead back to where they were."""
    back = fields.get("back", "/")
    safe = back if back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable() else "/"
    found = RedirectResponse(safe, 303)
    if fields.get("theme") in THEMES:
        cookie(found, service, _THEME, fields["theme"], _YEAR)
    if fields.get("practice") in ("0", "1"):
        cookie(found, service, _PRACTICE, fields["practice"], _YEAR)
    return found


def _name(service: Service) -> str:
    return f"__Host-{_SESSION}" if service.settings.secure else _SESSION


def cookie(found: Response, service: Service, name: str, value: str, age: int, *, strict: bool = False) -> None:
    """Let a browser keep something that no script reads."""
    found.set_cookie(
        name, value, max_age=age, secure=service.settings.secure, httponly=True, samesite="strict" if strict else "lax"
    )
