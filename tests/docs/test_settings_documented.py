"""Every key and every word that partita.toml understands stands on its page."""

from __future__ import annotations

import re

import pytest

from partita.curator import settings
from partita.engine.opening import BACKENDS
from partita.query.tables import schema, sources
from partita.region import columns
from partita.region.columns import Column
from partita.registry import members
from partita.server.settings import KEYS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))

LOSSES = ("epsilon", "delta", "rho", "mu", "order", "tau", "orders", "taus", "measure")
KNOWN = {
    *settings._TOP,
    *settings._UNITS,
    *settings._MEASURES,
    *schema._SETTINGS,
    *schema._TABLE,
    *sources.CSV_OPTIONS,
    *members(Column, columns),
    *BACKENDS,
    *LOSSES,
    *KEYS,
    "protect",
}


@pytest.mark.parametrize("word", sorted(KNOWN))
def test_every_setting_is_documented(word):
    assert word in WORDS
