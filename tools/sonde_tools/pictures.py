"""A picture: a Vega-Lite specification, the curves that its rows come from, and what is made of both."""

import textwrap
from dataclasses import dataclass, field

import msgspec

from sonde_tools import formats
from sonde_tools.curves import contradicted

# Both that vl_convert draws with and that a page brings along.
VEGA_LITE_VERSION = "6.4"

# What fits a picture's width in a title's size.
_TITLE_CHARACTERS = 88

_MEASURED = ("median", "low", "high", "minimum", "maximum", "cycles")
_STATE = ("foreign_cpu", "clock_mhz")
# Those and what lines of numbers have beside them.
_ROUNDED = {*_MEASURED, *_STATE, "low_quartile", "high_quartile"}


@dataclass(frozen=True)
class Line:
    """One curve of a picture, or a piece of one: its name there, whether it is dashed, and its points.

    barred: its intervals are a bar at each point, and no band between them.

    numbers: instead of points lists of numbers by name, one entry a row, null where unknown.
    piece: lines of the same name with other numbers are not joined.
    """

    series: str
    dashed: bool
    points: list
    numbers: dict | None = None
    piece: int = 0
    barred: bool = False

    @property
    def key(self):
        """What tells lines of other points from those of the same, hashable."""
        # Pictures make lists of their own, of the same points.
        return (id(self.numbers),) if self.numbers is not None else tuple(map(id, self.points))


@dataclass(frozen=True)
class Picture:
    """A specification (object) of which each row is a point of a Line, or that has its rows itself where it has no lines.

    The page keeps the rows apart, since several pictures show the same points.
    """

    specification: dict
    lines: list = field(default_factory=list)

    def to_dict(self):
        """The whole specification (object), its rows inside."""
        if not self.lines:
            return self.specification
        rows = [row for line in self.lines for row in _rows(line)]
        return {**self.specification, "data": {"values": rows}}


def headed(picture, headline):
    """The Picture with what it shows as its title, and its own title below that; as it is without a headline."""
    if not picture or not headline:
        return picture
    title = picture.specification["title"]
    head = {"text": textwrap.wrap(headline, _TITLE_CHARACTERS), "subtitle": [title["text"], *title["subtitle"]]}
    return Picture({**picture.specification, "title": head}, picture.lines)


def columns(points):
    """Lists of numbers by name, one entry a point: coordinates, statistics, what was around; those that any point has."""
    names = dict.fromkeys(name for point in points for name in point.x)
    found = {name: [point.x.get(name) for point in points] for name in names}
    found["repetitions"] = [len(point.values) for point in points]
    found["disturbed"] = [point.disturbed or None for point in points]
    found["contradicted"] = [each or None for each in contradicted(points)]
    found |= {name: [getattr(point, name) for point in points] for name in _MEASURED}
    found |= {name: [point.state.get(name) for point in points] for name in _STATE}
    return {name: values for name, values in found.items() if values.count(None) < len(values)}


def columns_text(line):
    """The columns of a Line as JSON (bytes), what was measured to five digits: a picture shows three, the tables all."""
    texts = []
    for name, values in _columns(line).items():
        text = _numbers(values) if name in _ROUNDED else msgspec.json.encode(values)
        texts.append(msgspec.json.encode(formats.visible(name)) + b":" + text)
    return b"{%s}" % b",".join(texts)


def _numbers(values):
    if None in values:
        return b"[%s]" % b",".join(b"null" if value is None else b"%.5g" % value for value in values)
    return b"[%s]" % (b",".join([b"%.5g"] * len(values)) % tuple(values))


def _columns(line):
    return columns(line.points) if line.numbers is None else line.numbers


def _rows(line):
    named = _columns(line)
    about = {"series": line.series, "dashed": line.dashed, "piece": line.piece, "barred": line.barred}
    return [{**about, **dict(zip(named, values, strict=True))} for values in zip(*named.values(), strict=True)]


def _visible(value):
    """The object with every text as it may be shown: the renderer ends the process at a control character."""
    if isinstance(value, dict):
        return {formats.visible(name): _visible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_visible(each) for each in value]
    return formats.visible(value) if isinstance(value, str) else value


def for_page(picture):
    """The specification (object) without its rows, as it fills its place in a page, which has its own heading."""
    found = {key: _visible(each) for key, each in picture.specification.items() if key != "title"}
    found["padding"] = {"left": 8, "right": 14, "top": 6, "bottom": 4}
    # The page sets the width of panels, which know no container.
    fitting = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    return found if "vconcat" in found else {**found, **fitting}


def png(picture):
    """The picture as PNG bytes, at twice the pixel size: 17 cm at 300 dots an inch."""
    return _renderer().vegalite_to_png(_visible(picture.to_dict()), vl_version=VEGA_LITE_VERSION, scale=2)


def svg(picture):
    """The picture as SVG text."""
    return _renderer().vegalite_to_svg(_visible(picture.to_dict()), vl_version=VEGA_LITE_VERSION)


def _renderer():
    import vl_convert  # half of what a report takes, and only pictures beside the page need it

    return vl_convert
