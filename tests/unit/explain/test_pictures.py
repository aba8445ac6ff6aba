"""Pictures can be drawn of every guarantee, and read without colour."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita import canvas
from partita.errors import InvalidInput
from partita.explain.pictures.accuracy import accuracy, error_by_count
from partita.explain.pictures.burn_down import burn_down
from partita.explain.pictures.composition import composition
from partita.explain.pictures.contest import contest
from partita.explain.pictures.histogram import histogram
from partita.explain.pictures.posterior import posterior
from partita.explain.pictures.profile import profile
from partita.explain.pictures.tradeoff import tradeoff
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

LOSSES = {
    "pure": Pure(epsilon=1),
    "leaky": Approximate(epsilon=1, delta="1e-3"),
    "μ": GDP(mu="0.5"),
    "ρ": ZCDP(rho="0.1"),
}
TOTALS = {"basic": [(1, 0.1), (10, 1.0), (100, 10.0)], "exact": [(10, 0.8), (100, 3.0)], "one": [(100, 2.0)]}

PICTURES = {
    "trade-off": lambda: tradeoff({"μ = 1": GDP(mu=1)}),
    "trade-offs": lambda: tradeoff({"a": Pure(epsilon=0), "b": Pure(epsilon=30), "c": GDP(mu=1)}),
    "profile": lambda: profile({name: loss for name, loss in LOSSES.items() if name != "ρ"}),
    "composition": lambda: composition(TOTALS, delta=1e-6),
    "posterior": lambda: posterior([0, "0.5", 30]),
    "histogram": lambda: histogram(["a", "b"], [3, -1], error=2, exact_counts=[2, 0]),
    "accuracy": lambda: accuracy([1, 10]),
    "burn-down": lambda: burn_down({"one row": [(0, 1), (1, 0.5), (2, 0.5)], "患者": [(0, 1), (2, 0)]}),
    "nothing asked yet": lambda: burn_down({"one row": [(0, 1)]}),
    "contest": lambda: contest({"without": [(0, 0), (1, 1)]}, across="$x", up="hits", title="Attack"),
    "many bars": lambda: histogram([f"北 {i}" for i in "abcdefghijk"], range(11), error=0),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_written_as_png_and_svg(name, tmp_path):
    figure = PICTURES[name]()
    png, svg = (canvas.save(figure, tmp_path / f"picture.{ending}") for ending in ("png", "svg"))
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "<image" not in text


def test_the_same_picture_gives_the_same_bytes(tmp_path):
    for ending in ("png", "svg"):
        first, second = (
            canvas.save(composition(TOTALS, delta=0), tmp_path / f"{number}.{ending}").read_bytes() for number in (1, 2)
        )
        assert first == second


def test_a_drawing_of_ones_own_has_the_look_plain_ticks_and_a_legend_that_hides_nothing():
    figure = canvas.figure(5, 3)
    axes = figure.subplots()
    axes.plot([1, 10, 100_000], [1, 2, 3], label="a line")
    axes.set(xscale="log", xlabel="n", title="A title")
    legend = axes.legend()
    figure.canvas.draw()
    assert legend.get_window_extent().y1 < axes.get_window_extent().y0
    assert "1e5" in [label.get_text() for label in axes.get_xticklabels()]
    assert axes.get_title(loc="left") == "A title"
    assert "mathdefault" not in figure._repr_svg_()


def test_a_method_has_one_colour_in_every_picture():
    (axes,) = composition({"basic": [(1, 1), (9, 9)], "exact": [(1, 1), (9, 3)]}, delta=1e-6).axes
    total = pt.compose([pt.Laplace(epsilon=1)], delta=1e-6, method="basic")
    (_, right) = total.plot(others={"pld": total}).axes
    colours = {line.get_color() for line in axes.lines}
    assert colours == {"#111111", "#009e73"} <= {line.get_color() for line in right.lines}


def test_lines_differ_without_their_colour():
    pens = [pen for pen, _ in zip(canvas.pens(), range(7), strict=False)]
    assert len({pen.dashes for pen in pens}) == len(pens)


def test_lines_have_their_names_beside_them():
    (axes,) = composition(TOTALS, delta=1e-6).axes
    assert {text.get_text() for text in axes.texts} == set(TOTALS)
    assert axes.get_ylabel() == "total ε at δ = 1e-6"


@given(heights=st.lists(st.floats(-1, 2), min_size=1, max_size=8))
def test_names_are_moved_apart_and_keep_their_order(heights):
    placed = canvas.spread(heights, 0.05)
    order = sorted(range(len(heights)), key=lambda i: (heights[i], placed[i]))
    for lower, upper in pairwise(order):
        assert placed[upper] - placed[lower] >= 0.05 - 1e-9


def test_names_that_do_not_collide_stay_where_they_are():
    assert canvas.spread([0.9, 0.1, 0.5], 0.05) == [0.9, 0.1, 0.5]


def test_a_name_in_any_alphabet_or_with_dollars_is_written_as_it_is(tmp_path):
    figure = histogram(["北京", "$5 to $10", "Ελλάδα"], [1, 2, 3], error=1)
    text = canvas.save(figure, tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert all(name in text for name in ("北京", "$5 to $10", "Ελλάδα"))


def test_the_marked_point_is_on_the_curve():
    figure = tradeoff({"ε = 1": Pure(epsilon=1)}, fpr="0.05")
    assert "at 5% false alarms\nat least 86.4% are missed" in {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.parametrize(
    ("draw", "code"),
    [
        (lambda: tradeoff({}), "explain.nothing-to-draw"),
        (lambda: tradeoff({"x": 1}), "explain.not-a-guarantee"),
        (lambda: tradeoff({"x": Pure(epsilon=1)}, fpr=1), "number.outside-unit-interval"),
        (lambda: profile({}), "explain.nothing-to-draw"),
        (lambda: profile({"x": 1}), "explain.not-a-guarantee"),
        (lambda: profile({"x": Pure(epsilon=1)}, least=0), "number.outside-unit-interval"),
        (lambda: composition({}, delta=0), "explain.nothing-to-draw"),
        (lambda: composition({"x": [(1, float("inf"))]}, delta=0), "explain.nothing-to-draw"),
        (lambda: posterior([]), "explain.nothing-to-draw"),
        (lambda: posterior([-1]), "number.negative"),
        (lambda: histogram([], [], error=1), "explain.nothing-to-draw"),
        (lambda: histogram(["a"], [1, 2], error=1), "explain.unlike-lengths"),
        (lambda: histogram(["a"], [1], error=1, exact_counts=[]), "explain.unlike-lengths"),
        (lambda: histogram(["a"], [1], error=-1), "number.negative"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, code):
    with pytest.raises(InvalidInput) as refusal:
        draw()
    assert refusal.value.code == code


def test_a_file_of_another_kind_is_refused(tmp_path):
    figure = composition(TOTALS, delta=0)
    for name in ("picture.jpg", "picture", "picture.png.exe"):
        with pytest.raises(InvalidInput) as refusal:
            canvas.save(figure, tmp_path / name)
        assert refusal.value.code == "explain.not-a-picture-file"
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InvalidInput) as refusal:
        canvas.save(composition(TOTALS, delta=0), tmp_path / "missing" / "picture.png")
    assert refusal.value.code == "explain.cannot-write"


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidInput) as refusal:
        composition(TOTALS, delta=0)
    assert refusal.value.code == "explain.no-matplotlib"


def test_words_and_pictures_load_matplotlib_only_to_draw():
    script = (
        "import sys, partita.explain.words, partita.explain.pictures.tradeoff as t;"
        "assert 'matplotlib' not in sys.modules;"
        "from partita.theory.measures.pure import Pure; t.tradeoff({'x': Pure(epsilon=1)});"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_picture_for_a_page_is_one_element_that_fetches_nothing():
    text = canvas.svg(PICTURES["burn-down"]())
    assert text.startswith("<svg")
    assert text.endswith("</svg>")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "患者" in text
    references = [line for line in text.split('"') if line.startswith(("http:", "https:"))]
    assert all(line.startswith("http://www.w3.org/") for line in references)


def test_every_pen_differs_in_dashes_or_width():
    pens = canvas._PENS
    assert len({(pen.dashes, pen.width) for pen in pens}) == len(pens) >= 9


def test_more_questions_give_wider_bars_and_exact_sharing_is_never_worse():
    table = error_by_count([1, 10, 100], epsilon=1)
    for points in table.values():
        assert [error for _, error in points] == sorted(error for _, error in points)
    for (_, exact), (_, divided) in zip(table["Laplace, exact"], table["Laplace, ε divided"], strict=True):
        assert exact <= divided


def test_nothing_to_draw_is_refused_in_words():
    for draw in (lambda: burn_down({}), lambda: accuracy([]), lambda: contest({}, across="", up="", title="")):
        with pytest.raises(InvalidInput) as refusal:
            draw()
        assert refusal.value.code == "explain.nothing-to-draw"
