"""How notebooks show what has no table of its own: its words, line by line."""

from __future__ import annotations

from html import escape


def in_notebook(text: str) -> str:
    """Plain text as a part of a page.

    >>> in_notebook("n < 3")
    '<pre style="white-space: pre-wrap">n &lt; 3</pre>'
    """
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'
