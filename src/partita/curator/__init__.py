"""The curator: charge first, read once, commit, answer."""

from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.curator import Curator
from partita.curator.session import Session
from partita.curator.settings import open_settings

__all__ = ["Answer", "Curator", "CuratorQuote", "Session", "open_settings"]
