"""Formulas of the theory page become mathematics on the site, and its words stay words."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT
from tools.formulas import faults, typeset

THEORY = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")

SAMPLES = {
    "rho = eps\\*tanh(eps/2) <= eps^2/2.": r"$\rho = \varepsilon\cdot \tanh(\varepsilon/2) \le \varepsilon^{2}/2$.",
    "mu-GDP => rho = mu^2/2 (exact)": r"$\mu$-GDP $\Rightarrow \rho = \mu^{2}/2$ (exact)",
    "sigma=(Delta/eps) sqrt(2 ln(2/delta))": r"$\sigma=(\Delta/\varepsilon) \sqrt{2 \ln(2/\delta)}$",
    "delta >= E[(1-e^{eps-Z})\\_+]": r"$\delta \ge E[(1-e^{\varepsilon-Z})_{+}]$",
    "at delta0 = 1e-6, and mu\\* too": r"at $\delta_{0} = 10^{-6}$, and $\mu^{*}$ too",
    "if a path is a choice": "if a path is a choice",
    "the max taken, in log-space": "the max taken, in log-space",
    "f(D) = sum over records": "f(D) = sum over records",
    "pure -> zCDP": "pure → zCDP",
    "see C3a and [L: OpenDP; N]": "see C3a and [L: OpenDP; N]",
    "| 2 eps | **no** |": r"| $2 \varepsilon$ | **no** |",
    "`eps = 1` stays code": "`eps = 1` stays code",
}


@pytest.mark.parametrize("plain", SAMPLES)
def test_a_formula_is_typeset_and_words_are_not(plain):
    assert typeset(plain) == SAMPLES[plain]


def test_every_formula_of_the_theory_page_closes_its_braces():
    shown = typeset(THEORY)
    assert shown.count("$") > 1500
    assert faults(shown) == []


def test_a_brace_that_stays_open_is_noticed():
    assert faults("$a_{1$ and $b$") == ["a_{1"]


def test_hardly_a_symbol_is_left_as_text():
    words = re.sub(r"\$[^$\n]*\$|`[^`]*`", "", typeset(THEORY))
    assert len(re.findall(r"\b(?:eps|delta|rho|sigma|alpha)\b", words)) < 15


@pytest.mark.parametrize(
    "page", ["docs/theory.md", *(f"docs/book/{p.name}" for p in sorted((ROOT / "docs" / "book").glob("*.md")))]
)
def test_a_page_of_formulas_never_has_a_single_dollar(page):
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert text.count("$") % 2 == 0
