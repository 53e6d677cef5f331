"""Pictures without time: the share of time at each hit rate, and the CPU's latency over traffic."""

import numpy
import polars

from sonde_tools import charts
from sonde_tools.pictures import Line, Picture
from sonde_tools.traffic import axes, numbers
from sonde_tools.traffic.runs import PLACES, gbps

_BIN = 0.02
_LOADS = 50


def shares(runs, palette, head):
    """The Picture of the share of time at each hit rate, a line a run that knows some; palette: label: colour."""
    lowest = min(float(numbers.known_hit_rates(run)[0].min()) for run in runs)
    first = max(int(numpy.floor(min(lowest, 0.0) / _BIN)), round(axes.LOWEST_HIT_RATE / _BIN))
    edges = numpy.arange(first, round(1 / _BIN) + 1) * _BIN
    lines = [Line(run.label, False, [], _shares(run, edges)) for run in runs]
    highest = max(value for line in lines for value in line.numbers["share"])
    x = charts.channel("hit_rate", "hit rate", float(edges[0]), 1.0, format="~%", tickCount=11)
    title = f"share of time in each {100 * _BIN:.0f} points"
    y = charts.channel("share", title, 0, 1.04 * highest, format="~%", tickCount=6)
    encoding = {"x": x, "y": y, "color": charts.colour(palette)}
    between = _percent("from") + " + ' to ' + " + _percent("to")
    texts = [axes.text("between", between), axes.text("share", _percent("share"))]
    titles = {"series": "series", "between_text": "hit rate", "share_text": "share of time"}
    layers = [
        *charts.simulated_word({run.is_model for run in runs}),
        {"name": "curve", **charts.layer("line", encoding, interpolate="step", strokeWidth=1.8, clip=True)},
        {"name": "hovered", **charts.hovered(encoding, titles, size=90, clip=True)},
    ]  # fmt: skip
    return _picture(head, layers, palette, lines, texts)


def _shares(run, edges):
    values, seconds = numbers.known_hit_rates(run)
    found, _ = numpy.histogram(numpy.clip(values, edges[0], edges[-1]), edges, weights=seconds / seconds.max())
    share = found / found.sum()
    # An empty step is kept where the line comes down to it from a neighbour.
    beside = numpy.convolve(share > 0, [1, 1, 1], "same") > 0
    columns = {"hit_rate": (edges[:-1] + edges[1:]) / 2, "share": share, "from": edges[:-1], "to": edges[1:]}
    return {name: column[beside].round(6).tolist() for name, column in columns.items()}


def has_latency(run):
    """Whether the run has CPU latencies beside traffic."""
    return not _latencies(run, _load(run)).is_empty()


def _load(run):
    return "fabric" if run.knows("fabric") else "memory"


def latency(runs, palette, head):
    """The Picture of the CPU's latency over traffic, a line a run; palette: label: colour."""
    loads = [_load(run) for run in runs]
    lines = [Line(run.label, False, [], _binned(_latencies(run, load))) for run, load in zip(runs, loads, strict=True)]
    over = " or ".join(PLACES[load] for load in dict.fromkeys(loads))
    largest = max(value for line in lines for value in line.numbers["gbps"])
    x = charts.channel("gbps", f"traffic {over}, GB/s", 0, 1.04 * max(largest, 1e-9), tickCount=10)
    lowest = min(value for line in lines for value in line.numbers["low_quartile"])
    highest = max([1e-9, *(value for line in lines for value in line.numbers["high_quartile"])])
    y = charts.channel("median", "CPU latency behind L3, ns", 0.95 * lowest, 1.05 * highest, scale={"zero": False})
    encoding = {"x": x, "y": y, "color": charts.colour(palette)}
    quartiles = f"{charts.significant('low_quartile')} + ' to ' + {charts.significant('high_quartile')} + ' ns'"
    texts = [axes.text("gbps", f"{charts.significant('gbps')} + ' GB/s'"),
             axes.text("median", f"{charts.significant('median')} + ' ns'"), axes.text("quartiles", quartiles)]  # fmt: skip
    titles = {"series": "series", "gbps_text": "traffic", "median_text": "median", "quartiles_text": "quartiles",
              "intervals": "intervals"}  # fmt: skip
    layers = [
        *charts.simulated_word({run.is_model for run in runs}),
        charts.layer("area", {**encoding, "y": {**y, "field": "low_quartile"}, "y2": {"field": "high_quartile"}},
                     opacity=0.22, clip=True),
        {"name": "curve", **charts.layer("line", encoding, strokeWidth=1.8, clip=True)},
        charts.points(encoding, size=26, clip=True),
        {"name": "hovered", **charts.hovered(encoding, titles, clip=True)},
    ]  # fmt: skip
    return _picture(head, layers, palette, lines, texts)


def _latencies(run, load):
    """Traffic and latency of the intervals that have both, the baseline's too: there the latency is the idle one."""
    return run.intervals.select(gbps(load).alias("gbps"), polars.col("cpu_latency_ns").alias("ns")).drop_nulls()


def _binned(found):
    """Equal steps of traffic: median and quartiles of the latencies in each."""
    width = max(found["gbps"].max() / _LOADS, 1e-12)
    rows = (
        found.group_by((polars.col("gbps") / width).floor().clip(0, _LOADS - 1).alias("step"))
        .agg(
            polars.col("gbps").mean(), polars.col("ns").median().alias("median"),
            *(polars.col("ns").quantile(share, "linear").alias(name)
              for share, name in ((0.25, "low_quartile"), (0.75, "high_quartile"))),
            polars.len().alias("intervals"),
        )
        .sort("step")
        .drop("step")
    )  # fmt: skip
    return {each.name: each.to_list() for each in rows}


def _percent(name):
    return f"format(100 * datum.{name}, '.1~f') + ' %'"


def _picture(head, layers, palette, lines, texts):
    return Picture(charts.interactive(charts.frame(head, layers, names=palette), palette, texts), lines)
