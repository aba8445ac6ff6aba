"""Signing in to the pages, by a token or by a service of the organisation, and signing out."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from partita.errors import server as refuse
from partita.server.accounts.oidc import Provider
from partita.server.calls import TheService, service_of, working
from partita.server.pages.visits import AnyForm, OwnForm, cookie, page, sessions_of, signed_in, signed_out

router = APIRouter(include_in_schema=False)
_ATTEMPT: Final = "partita_attempt"
_MINUTES: Final = 600


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """Where a token is given."""
    return _asked(request)


@router.post("/sign-in")
def sign_in(request: Request, service: TheService, fields: AnyForm) -> Response:
    """Sign in with a token; one wording for all that let nobody in."""
    _taken(request)
    caller = service.register.caller(fields.get("token", "").strip())
    if caller is None:
        return _asked(request, 401, refuse.not_signed_in().message)
    return signed_in(service, sessions_of(request), caller)


@router.get("/sign-in/with")
async def sign_in_with(request: Request, service: TheService) -> Response:
    """Send somebody to the service that says who they are."""
    _taken(request)
    provider = _provider(request)
    address, name = await working(request, lambda: provider.begin(_back(request)))
    found = RedirectResponse(address, 303)
    # Lax, as they come back from another site; it proves that they went from here.
    cookie(found, service, _ATTEMPT, name, _MINUTES)
    return found


@router.get("/sign-in/back")
async def sign_in_back(request: Request, service: TheService) -> Response:
    """Where the service sends somebody back; a valid token of their account says what they may."""
    _taken(request)
    provider, fields = _provider(request), dict(request.query_params)
    attempt = request.cookies.get(_ATTEMPT, "")
    account = await working(request, lambda: provider.finish(attempt, fields, _back(request)))
    caller = service.register.seat(account)
    if caller is None:
        raise refuse.not_vouched()
    # A page and no redirection: the cookie of the visit is strict, and a redirection would still be the other site's.
    found = signed_in(service, sessions_of(request), caller, page(request, None, "signed_in.html"))
    found.delete_cookie(_ATTEMPT, secure=service.settings.secure, httponly=True, samesite="lax")
    return found


@router.post("/sign-out")
def sign_out(request: Request, service: TheService, fields: OwnForm) -> Response:
    """Sign out."""
    return signed_out(request, service)


def _asked(request: Request, status: int = 200, message: str = "") -> Response:
    declared = service_of(request).settings.oidc
    return page(request, None, "sign_in.html", status, message=message, elsewhere=declared and declared.name)


def _taken(request: Request) -> None:
    address = request.client.host if request.client else ""
    if not request.app.state.rates.taken(f"address {address}"):
        raise refuse.too_many(5)


def _provider(request: Request) -> Provider:
    found: Provider | None = request.app.state.provider
    if found is None:
        raise refuse.not_found(request.url.path)
    return found


def _back(request: Request) -> str:
    """The address of this server to come back to, under the name by which it was reached."""
    scheme = "https" if service_of(request).settings.secure else "http"
    return f"{scheme}://{request.headers['host']}/sign-in/back"
