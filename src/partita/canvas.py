"""One look for all pictures: line styles that differ without colour, labels beside the lines, PNG and SVG."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from partita.errors import explain as refuse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# What a drawing says of itself, which a page around it has no use for.
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)

INK = "#222222"
FAINT = "#8a8a8a"
ENDINGS = (".png", ".svg")

_LOOK: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "svg.hashsalt": "partita",
    "svg.fonttype": "none",  # text stays text: small files, any alphabet, readable to screen readers
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


@final
@dataclass(frozen=True, slots=True)
class Pen:
    """How one line is told from the others: by dashes and darkness first, by colour second."""

    color: str
    dashes: tuple[float, ...]
    width: float


# Colours that the colour-blind tell apart, from dark to light, so that they also differ when printed in grey.
_PENS = (
    Pen("#111111", (), 2.2),
    Pen("#0072b2", (6, 2), 2.0),
    Pen("#d55e00", (1.5, 1.5), 2.2),
    Pen("#009e73", (7, 2, 1.5, 2), 2.0),
    Pen("#cc79a7", (3, 2), 1.8),
    Pen("#56b4e9", (5, 1.5, 1, 1.5, 1, 1.5), 1.8),
    Pen("#e69f00", (2, 4), 2.2),
    Pen("#7a4f1d", (9, 2, 2, 2, 2, 2), 1.8),
    Pen("#5e3c99", (4, 1, 1, 1), 1.6),
)


# The same colour for a method in every picture.
_METHODS = {
    "basic": Pen("#111111", (6, 2), 1.8),
    "advanced": Pen("#0072b2", (7, 2, 1.5, 2), 2.0),
    "optimal": Pen("#d55e00", (), 2.0),
    "exact": Pen("#009e73", (1.5, 1.5), 2.4),
    "zcdp": Pen("#cc79a7", (3, 2), 1.8),
    "rényi": Pen("#56b4e9", (5, 1.5, 1, 1.5, 1, 1.5), 1.8),
    "gaussian": Pen("#e69f00", (2, 4), 2.2),
}
_ALSO = {"pld": "exact", "best": "exact", "gdp": "gaussian", "renyi": "rényi"}


def pens_of_methods(names: Iterable[str]) -> list[Pen]:
    """A pen for each method by its name, the same in every picture; other names have the pens that are left.

    >>> [pen.color for pen in pens_of_methods(["basic", "optimal for any ε", "pld"])]
    ['#111111', '#d55e00', '#009e73']
    """
    words = [re.split(r"[^a-zé]", name.lower(), maxsplit=1)[0] for name in names]
    found = [_METHODS.get(_ALSO.get(word, word)) for word in words]
    taken = {pen.color for pen in found if pen is not None}
    rest = cycle([pen for pen in _PENS if pen.color not in taken] or _PENS)
    return [next(rest) if pen is None else pen for pen in found]


def pens() -> Iterator[Pen]:
    """One pen after the other, for ever."""
    return cycle(_PENS)


@contextmanager
def sheet(title: str, *, width: float = 7.2, height: float = 4.5) -> Iterator[tuple[Figure, Axes]]:
    """An empty picture with a title; no window is ever opened."""
    with sheets(title, width=width, height=height) as (made, (axes,)):
        yield made, axes


@contextmanager
def sheets(*titles: str, width: float = 7.2, height: float = 4.5) -> Iterator[tuple[Figure, list[Axes]]]:
    """Empty pictures side by side, each with its title."""
    try:
        import matplotlib as mpl
    except ImportError as missing:
        raise refuse.no_matplotlib() from missing
    with mpl.rc_context(_LOOK):
        made = figure(width, height)
        row = [made.add_subplot(1, len(titles), place + 1) for place in range(len(titles))]
        for axes, title in zip(row, titles, strict=True):
            axes.set_title(title)
        yield made, row


@cache
def _picture() -> type[Figure]:
    """A figure that a notebook shows by itself; matplotlib's own is shown only where pyplot was set up for it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise refuse.no_matplotlib() from missing

    @final
    class Picture(Figure):
        def add_subplot(self, *places: Any, **options: Any) -> Axes:
            import matplotlib as mpl

            with mpl.rc_context(_LOOK):
                axes: Axes = super().add_subplot(*places, **options)
                axes.grid(visible=True)
            made: Any = axes
            made.set_title = partial(axes.set_title, loc="left", fontsize=12, fontweight="bold", pad=12)
            made.legend = partial(_legend, axes, axes.legend)
            made.set_xscale = partial(_scaled, axes.set_xscale, axes.xaxis)
            made.set_yscale = partial(_scaled, axes.set_yscale, axes.yaxis)
            return axes

        def _repr_svg_(self) -> str:
            return svg(self)

    return Picture


def _legend(axes: Axes, write: Callable[..., Legend], **options: Any) -> Legend:
    """A legend below its axes, where it hides no line; or where it is asked to be."""
    from matplotlib.transforms import ScaledTranslation

    if "loc" not in options:
        deep = 0.5 if axes.get_xlabel() else 0.3
        lower = axes.transAxes + ScaledTranslation(0, -deep, axes.figure.dpi_scale_trans)
        options |= {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": lower, "borderaxespad": 0}
    return write(**{"frameon": False, "fontsize": 9, "labelcolor": INK, **options})


def _scaled(change: Callable[..., None], axis: Axis, scale: str, **options: Any) -> None:
    change(scale, **options)
    if scale == "log":
        plain_ticks(axis)


def figure(width: float = 7.2, height: float = 4.5) -> Figure:
    """An empty picture for drawings of your own in the look of all others, which a notebook shows by itself.

    >>> picture = figure(4, 3)
    >>> axes = picture.subplots()
    >>> lines = axes.plot([1, 2, 3])
    >>> svg(picture).count("<svg")
    1
    """
    return _picture()(figsize=(width, height), dpi=150, layout="constrained")


@final
@dataclass(frozen=True, slots=True)
class Drawn:
    """A line that stands on the sheet: its name, its pen and where it ends."""

    name: str
    pen: Pen
    end: tuple[float, float]


def draw(axes: Axes, pen: Pen, x: Sequence[float], y: Sequence[float], name: str) -> Drawn:
    """A line in this pen; its name is written by :func:`name_lines` at its end, or by :func:`write_on` on it."""
    _stroke(axes, pen, x, y, marker="" if len(x) > 1 else "o")
    return Drawn(name, pen, (x[-1], y[-1]))


def name_lines(axes: Axes, lines: Sequence[Drawn], *, gap: float = 0.055) -> None:
    """Write each line's name at its right end with a sample of the line, moved apart where they would overlap."""
    inside = axes.transData + axes.transAxes.inverted()
    heights = [float(inside.transform(line.end)[1]) for line in lines]
    for line, height in zip(lines, spread(heights, gap), strict=True):
        _stroke(axes, line.pen, [1.015, 1.075], [height, height], transform=axes.transAxes, clip_on=False)
        axes.annotate(
            line.name,
            xy=(1.09, height),
            xycoords="axes fraction",
            color=line.pen.color,
            fontsize=9,
            va="center",
            annotation_clip=False,
        )


def plain_ticks(axis: Axis) -> None:
    """1, 10, 100 and 1e-6 beside the ticks of a logarithmic axis, rather than powers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    def plainly(value: float, _: object) -> str:
        if 0.01 <= value < 10**5:
            return f"{value:,.10g}"
        digits, _, power = f"{value:.2g}".partition("e")
        return f"{digits}e{int(power)}" if power else digits

    axis.set_major_formatter(FuncFormatter(plainly))
    axis.set_minor_formatter(NullFormatter())


def named_ticks(axes: Axes, names: Sequence[str]) -> None:
    """Names below the places 0, 1, 2, ..., aslant where they would run into each other."""
    crowded = sum(len(name) + 2 for name in names) > 80
    shown = [name if len(name) <= 24 else f"{name[:23]}…" for name in names]
    axes.set_xticks(range(len(names)), shown, rotation=45 if crowded else 0, ha="right" if crowded else "center")


def whole_ticks(axis: Axis) -> None:
    """Whole numbers only beside the ticks: there is no query 2.5."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def write_on(axes: Axes, pen: Pen, place: tuple[float, float], name: str) -> None:
    """Write a name on its line, on a light ground that interrupts the line."""
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.92}
    axes.text(*place, name, color=pen.color, fontsize=9, ha="center", va="center", bbox=ground, zorder=5)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights as near as possible to the wanted ones, in the same order, and at least a gap apart.

    >>> [round(height, 6) for height in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    clusters: list[list[int]] = []
    centres: list[float] = []
    for index in order:
        clusters.append([index])
        centres.append(heights[index])
        while len(clusters) > 1 and _top(centres[-2], clusters[-2], gap) + gap > _bottom(
            centres[-1], clusters[-1], gap
        ):
            last = clusters.pop()
            centres.pop()
            clusters[-1] += last
            centres[-1] = sum(heights[i] for i in clusters[-1]) / len(clusters[-1])
    placed = [0.0] * len(heights)
    for centre, cluster in zip(centres, clusters, strict=True):
        for place, index in enumerate(cluster):
            placed[index] = centre + gap * (place - (len(cluster) - 1) / 2)
    return placed


def svg(figure: Figure) -> str:
    """The picture as one SVG element, to stand inside a page: text stays text, and nothing is fetched."""
    import io

    import matplotlib as mpl

    with mpl.rc_context(_LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None})
    text = written.getvalue()
    return _METADATA.sub("", text[text.index("<svg") :]).strip()


def save(figure: Figure, path: str | Path) -> Path:
    """Write a picture as PNG or SVG, by the ending of the file; the same picture gives the same bytes."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise refuse.not_a_picture_file(str(path), " or ".join(ENDINGS))
    import matplotlib as mpl

    with mpl.rc_context(_LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a font need not know every alphabet
        try:
            figure.savefig(target, metadata={"Date": None} if target.suffix.lower() == ".svg" else {"Software": None})
        except OSError as failure:
            raise refuse.cannot_write(str(path), failure.strerror or "it is not a file") from failure
    return target


def _stroke(axes: Axes, pen: Pen, x: Sequence[float], y: Sequence[float], **more: Any) -> None:
    axes.plot(x, y, color=pen.color, linewidth=pen.width, dashes=pen.dashes or (1, 0), **more)


def _bottom(centre: float, cluster: list[int], gap: float) -> float:
    return centre - gap * (len(cluster) - 1) / 2


def _top(centre: float, cluster: list[int], gap: float) -> float:
    return centre + gap * (len(cluster) - 1) / 2
