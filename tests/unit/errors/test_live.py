"""The exact words of every refusal about live objects."""

from __future__ import annotations

from partita.errors import live as refuse


def test_a_refusal_says_exactly_this():
    error = refuse.forked("A curator", "Open it again where it is needed, with the same ledger.")
    assert error.code == "live.forked"
    assert error.message == (
        "A curator belongs to the process that made it, which goes on with it: used in a forked one too, it would be "
        "spent twice. No data was read and nothing was charged. Open it again where it is needed, with the same ledger."
    )
