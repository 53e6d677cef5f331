"""Small multiples: plots below one another, where one axis would press the curves of some of them flat."""

from sonde_tools import axes, charts
from sonde_tools.pictures import Picture
from sonde_tools.style import colours

_HEIGHT_PIXELS = 210


def panels(head, found, palette, drawn):
    """The Picture of several plots below one another, each with axes of its own.

    found: (title, layers, labels of what is in it) of each; drawn: Picture(texts as "transform", lines) or rows (list).
    """
    texts, lines = ([], []) if isinstance(drawn, list) else (drawn.specification.get("transform", []), drawn.lines)
    framed = charts.frame(head, [], names=palette)
    framed["vconcat"] = [
        {"title": {"text": title, "fontSize": 14}, "width": framed["width"], "height": _HEIGHT_PIXELS,
         # A name may be there once, and only what a reader can switch or zoom needs one.
         "layer": [{key: each for key, each in one.items() if key != "name"} for one in layers],
         "transform": [{"filter": {"field": "series", "oneOf": labels}}, *texts]}
        for title, layers, labels in found
    ]  # fmt: skip
    framed["resolve"] = {"scale": {"color": "shared", "shape": "shared"}}
    for name in ("layer", "width", "height"):
        del framed[name]
    return Picture({**framed, "data": {"values": drawn}} if isinstance(drawn, list) else framed, lines)


def over(across, titled, quantity, unit, head):
    """Curves over an Across in panels: (title, labelled curves) of each, with an axis of its own for the quantity."""
    entries = [entry for _, own in titled for entry in own]
    palette = colours(entries)
    found = []
    for title, own in titled:
        both = axes.axes_of(across, across.of(own), f"{quantity}, {unit}", 0)
        layers = charts.curve_layers(across, entries, palette, both, charts.measured_tooltip(across, unit, False))
        word = charts.simulated_word({entry.curve.api == "model" for entry in own}, corner=True)
        found.append((title, [*word, *layers], [entry.label for entry in own]))
    return panels(head, found, palette, Picture({"transform": charts.texts(across)}, charts.lines(across, entries)))
