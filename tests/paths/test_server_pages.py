"""The pages of a server: signing in, asking, deciding; forms of other sites are refused, and no script but ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

import partita as pt

PAGES = ["/", "/ask", "/ledger", "/map", "/approvals", "/accounts"]
HTML = {"Accept": "text/html"}
SECRET = re.compile(r'name="form" value="([^"]+)"')


class Browser:
    """Somebody at the pages, with cookies and the secret of their forms."""

    def __init__(self, house) -> None:
        self.http = httpx.Client(base_url=house.url, headers=HTML, timeout=120)
        self.form = ""

    def get(self, path: str) -> str:
        found = self.http.get(path)
        assert found.status_code == 200, (path, found.status_code, found.text[:300])
        secrets = set(SECRET.findall(found.text))
        self.form = secrets.pop() if secrets else ""
        return found.text

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self.http.post(path, data={"form": self.form, **fields})


@contextmanager
def signed_in(house, name: str) -> Iterator[Browser]:
    browser = Browser(house)
    with browser.http:
        found = browser.post("/sign-in", token=house.tokens.get(name, name))
        assert (found.status_code, found.headers["location"]) == (303, "/")
        cookie = found.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        browser.get("/")
        yield browser


def test_every_page_is_shown_and_needs_nothing_from_elsewhere(house):
    with signed_in(house, "carol") as carol:
        for path in [*PAGES, "/map?x=age&y=day"]:
            text = carol.get(path)
            assert "<h1>" in text
            assert not re.search(r"<style|<script(?! src=\"/static/)|\son\w+=|\sstyle=|javascript:|https?://", text), (
                path
            )
            drawings = re.findall(r"<svg[^>]*>", text)
            assert all("aria-label=" in one or "aria-hidden=" in one for one in drawings)
        policy = carol.http.get("/").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        sizes = [len(carol.http.get(f"/static/{name}").content) for name in ("style.css", "script.js")]
        assert sum(sizes) < 20_000


def test_without_a_valid_token_there_is_nothing_to_see(house):
    browser = Browser(house)
    for path in PAGES:
        found = browser.http.get(path)
        assert (found.status_code, found.headers["location"]) == (303, "/sign-in")
    for token in ("", "x", "partita-" + "A" * 43):
        found = browser.post("/sign-in", token=token)
        assert found.status_code == 401
        assert "set-cookie" not in found.headers
    browser.http.close()


def test_a_revoked_token_ends_the_visit_at_once(house):
    made = house.send("carol", "POST", "/v1/tokens", {"account": "guest", "role": "analyst"}).json()
    with signed_in(house, made["text"]) as guest, signed_in(house, "carol") as carol:
        guest.get("/ask")
        carol.get("/accounts")
        assert "guest" in carol.post("/accounts", do="revoke", number=made["number"]).text
        assert guest.http.get("/ask").status_code == 303


def test_a_question_is_previewed_practised_asked_and_free_again(house):
    question = {"question": "SELECT sex, COUNT(*) AS n FROM visits WHERE age > 41 GROUP BY sex", "kind": "rho"}
    with signed_in(house, "ada") as ada, house.as_("ada") as session:
        before = session.spent()
        ada.get("/ask")
        offer = ada.post("/ask/preview", **question, amount="0.004").text
        assert "Costs ρ = 0.004" in offer
        assert "attacker" in offer
        assert ada.post("/choose", practice="1", back="/ask").headers["location"] == "/ask"
        assert "Practice" in ada.get("/ask")
        assert "Noisy values" in ada.post("/ask", do="ask", **question, amount="0.004").text
        assert session.spent() == before
        ada.post("/choose", practice="0", back="//evil.example")
        ada.get("/ask")
        answer = ada.post("/ask", do="ask", **question, amount="0.004").text
        assert "Charged: ρ = 0.004" in answer
        assert "<svg" in answer
        number = re.search(r"/receipts/(\d+)\.json", answer)[1]
        pt.Receipt.from_json(ada.http.get(f"/receipts/{number}.json").text).check()
        assert "Noisy values" in ada.get(f"/answers/{number}")
        assert "Free" in ada.post("/ask", do="ask", **question, amount="0.004").text
        refused = ada.post("/ask", do="ask", question="SELECT * FROM visits", kind="rho", amount="1")
        assert (refused.status_code, "query.rows-themselves" in refused.text) == (422, True)
        assert "age &gt; 41" in ada.get("/ledger?text=age > 41")


def test_a_dear_question_waits_on_the_page_of_approvals(house):
    question = {"question": "SELECT COUNT(*) AS n FROM visits WHERE age > 90", "kind": "rho", "amount": "1.2"}
    with signed_in(house, "bob") as bob, signed_in(house, "carol") as carol:
        bob.get("/ask")
        waiting = bob.post("/ask", do="ask", **question)
        assert (waiting.status_code, "server.waiting" in waiting.text) == (202, True)
        number = re.search(r"request ([0-9a-f]{32})", waiting.text)[1]
        assert number in carol.get("/approvals")
        bob.get("/approvals")
        assert bob.post("/approvals", do="approve", request=number).status_code == 403
        assert carol.post("/approvals", do="approve", request=number).status_code == 303
        bob.get("/ask")
        assert "Noisy values" in bob.post("/ask", do="ask", **question).text


@pytest.mark.parametrize(
    ("secret", "headers"),
    [
        ("", {}),
        ("partita-x", {}),
        (None, {"Origin": "https://evil.example"}),
        (None, {"Origin": "null"}),
        (None, {"Sec-Fetch-Site": "cross-site"}),
    ],
    ids=["none", "wrong", "origin", "null", "fetch"],
)
def test_a_form_of_another_site_is_refused(house, secret, headers):
    with signed_in(house, "carol") as carol, house.as_("carol") as session:
        before = session.spent()
        fields = {"do": "ask", "question": "SELECT COUNT(*) AS n FROM visits", "kind": "rho", "amount": "0.777"}
        form = carol.form if secret is None else secret
        found = carol.http.post("/ask", data={**fields, "form": form}, headers=headers)
        assert found.status_code == 403
        assert "server.cross-site" in found.text
        assert session.spent() == before


def test_what_people_write_is_shown_as_text(house):
    script = "SELECT COUNT(*) AS n FROM visits WHERE sex = '<script>alert(1)</script>' -- \u202e\x1b[2J"
    with signed_in(house, "bob") as bob, signed_in(house, "carol") as carol:
        bob.get("/ask")
        for text in (
            bob.post("/ask", do="ask", question=script, kind="rho", amount="0.001").text,
            carol.get("/ledger"),
        ):
            assert "<script>alert" not in text
        assert bob.post("/ask/preview", question="x" * 200_000, kind="rho", amount="1").status_code == 200
        for name in ("<b>x</b>", "a b", ""):
            carol.get("/accounts")
            refused = carol.post("/accounts", do="give", account=name, role="analyst")
            assert (refused.status_code, "<b>x" in refused.text) == (400, False)
        made = carol.post("/accounts", do="limits", account="later", limit0="0.5", limit1="")
        assert "later" in made.text
        text = carol.post("/accounts", do="give", account="later", role="analyst", days="3").text
        assert re.search(r'class="token">partita-[\w-]{43}<', text)
        assert bob.post("/accounts", do="give", account="mine", role="custodian").status_code == 403


def test_themes_are_kept_and_nothing_else_is_taken(house):
    with signed_in(house, "ada") as ada:
        ada.post("/choose", theme="dark", back="/ledger")
        assert 'data-theme="dark"' in ada.get("/ledger")
        ada.post("/choose", theme='"><script>', back="/")
        assert 'data-theme="dark"' in ada.get("/")
        assert ada.http.get("/static/../app.py").status_code == 404
        ada.post("/sign-out")
        assert ada.http.get("/").status_code == 303
