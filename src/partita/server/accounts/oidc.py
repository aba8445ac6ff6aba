"""Signing in by a service of the organisation: OpenID Connect, the code flow with PKCE.

The service says who somebody is; what they may do is a matter of their token here, which can be revoked.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, final
from urllib.parse import quote, urlencode

import httpx
import jwt

from partita.errors import server as refuse
from partita.live import Live, alone
from partita.server.accounts.tokens import fresh
from partita.server.board import Board, kept
from partita.server.log import failed
from partita.server.settings import Oidc, safe_address

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that the service publishes; never none, and none with a secret that both sides know."""
MOST_ATTEMPTS: Final = 10_000
_LONGEST: Final = 1_000_000
_MINUTES: Final = 600.0
_AGAIN: Final = 60.0
_LEEWAY: Final = 60


@final
@dataclass(frozen=True, slots=True)
class Attempt:
    """What was sent along with somebody, to be compared with what comes back."""

    state: str
    nonce: str
    verifier: str
    until: float


@final
class Provider(Live):
    """One service that says who somebody is."""

    def __init__(
        self, declared: Oidc, *, clock: Callable[[], float] = time.monotonic, board: Board | None = None
    ) -> None:
        super().__init__()
        self.declared, self._clock, self._board = declared, clock, board or Board()
        self._found: dict[str, Any] | None = None
        self._keys: tuple[float, jwt.PyJWKSet] | None = None

    def begin(self, back: str) -> tuple[str, str]:
        """Where to send somebody, and the name of the attempt, for a cookie."""
        address = str(self._facts()["authorization_endpoint"])
        name, attempt = self._begun()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).decode().rstrip("=")
        asked = {
            "response_type": "code",
            "client_id": self.declared.client,
            "redirect_uri": back,
            "scope": "openid email profile",
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}", name

    def finish(self, name: str, fields: Mapping[str, str], back: str) -> str:
        """Who somebody is who came back with these fields; an attempt ends with its first answer."""
        attempt = self._ended(name)
        code, state = fields.get("code", ""), fields.get("state", "")
        if attempt is None or not code or not hmac.compare_digest(state.encode(), attempt.state.encode()):
            raise refuse.not_vouched()
        told = self._exchanged(code, attempt, back)
        try:
            claims = self._verified(str(told.get("id_token", "")))
            return _account(claims, attempt, self.declared)
        except (jwt.PyJWTError, ValueError) as problem:
            failed("sign-in", problem)
            raise refuse.not_vouched() from None

    # --- inside ------------------------------------------------------------------------------------------------------

    @alone
    def _begun(self) -> tuple[str, Attempt]:
        name, attempt = fresh(), Attempt(fresh(), fresh(), fresh(), self._clock() + _MINUTES)
        self._board.put("attempt", kept(name), asdict(attempt), most=MOST_ATTEMPTS)
        return name, attempt

    @alone
    def _ended(self, name: str) -> Attempt | None:
        found = self._board.take("attempt", kept(name))
        return None if found is None or found["until"] <= self._clock() else Attempt(**found)

    def _facts(self) -> dict[str, Any]:
        """What the service says of itself, asked once."""
        if self._found is None:
            issuer = self.declared.issuer
            found = _answer("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
            addresses = [found.get(one) for one in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
            if found.get("issuer") != issuer or not all(
                isinstance(one, str) and safe_address(one) for one in addresses
            ):
                failed("sign-in", ValueError("the service names another issuer, or addresses in the clear"))
                raise refuse.provider_silent()
            self._found = found
        return self._found

    def _exchanged(self, code: str, attempt: Attempt, back: str) -> dict[str, Any]:
        """What the service tells for a code."""
        declared = self.declared
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "client_id": declared.client,
            "code_verifier": attempt.verifier,
        }
        secret = None if declared.secret is None else (quote(declared.client, safe=""), quote(declared.secret, safe=""))
        return _answer("POST", str(self._facts()["token_endpoint"]), data=form, auth=secret)

    def _verified(self, token: str) -> dict[str, Any]:
        """What the service signed, for this server and in time."""
        key = self._key(str(jwt.get_unverified_header(token).get("kid", "")))
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            audience=self.declared.client,
            issuer=self.declared.issuer,
            leeway=_LEEWAY,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
        return claims

    def _key(self, kid: str) -> jwt.PyJWK:
        """The published key of this name; keys are asked for again where it is new, though not at every guess."""
        keys = self._keys
        if keys is None or (_named(keys[1], kid) is None and keys[0] + _AGAIN <= self._clock()):
            document = _answer("GET", str(self._facts()["jwks_uri"]))
            self._keys = keys = (self._clock(), jwt.PyJWKSet.from_dict(document))
        found = _named(keys[1], kid)
        if found is None:
            raise ValueError("the service has no key of this name")
        return found


def _named(keys: jwt.PyJWKSet, kid: str) -> jwt.PyJWK | None:
    if not kid and len(keys.keys) == 1:
        return keys.keys[0]
    return next((one for one in keys.keys if one.key_id == kid), None)


def _account(claims: Mapping[str, Any], attempt: Attempt, declared: Oidc) -> str:
    """The name of the account that the claims speak of."""
    nonce, who = claims.get("nonce"), claims.get(declared.claim)
    if not isinstance(nonce, str) or not hmac.compare_digest(nonce.encode(), attempt.nonce.encode()):
        raise ValueError("the answer belongs to another attempt")
    several = isinstance(claims.get("aud"), list) and len(claims["aud"]) > 1
    if (several or claims.get("azp") is not None) and claims.get("azp") != declared.client:
        raise ValueError("the answer was made for another client")
    if declared.claim == "email" and claims.get("email_verified") is not True:
        raise ValueError("the service has not verified the address")
    if not isinstance(who, str) or not who:
        raise ValueError("the answer does not have the claim that names accounts")
    return who


def _answer(method: str, address: str, **more: Any) -> dict[str, Any]:
    """The JSON object at an address; whatever goes wrong is told in one way, and in full to the operator."""
    try:
        with httpx.stream(method, address, timeout=10, follow_redirects=False, **more) as response:
            parts, length = [], 0
            for part in response.iter_bytes():
                length += len(part)
                if length > _LONGEST:
                    raise ValueError("the answer is too long")
                parts.append(part)
        if 400 <= response.status_code < 500 and method == "POST":
            raise refuse.not_vouched()
        if response.status_code != 200:
            raise ValueError(f"status {response.status_code}")
        found = json.loads(b"".join(parts))
        if not isinstance(found, dict):
            raise ValueError("no object")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as problem:
        failed("sign-in", problem)
        raise refuse.provider_silent() from None
    return found
