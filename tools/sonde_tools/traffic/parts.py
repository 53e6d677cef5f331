"""The report's part on traffic: a picture a run, pictures of all runs over one another, and a table."""

from dataclasses import dataclass, field
from functools import partial

from sonde_tools import formats, style
from sonde_tools.sections import Cell, Figure, Table
from sonde_tools.traffic import axes, numbers, over_time, spread
from sonde_tools.traffic.runs import PLACES


@dataclass(frozen=True)
class Traffic:
    """All of the page's part: summary (colour, text) a run for its first screen, Figures, Tables, notes."""

    summary: list = field(default_factory=list)
    parts: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    notes: list = field(default_factory=list)


def of(runs):
    """The Traffic of Runs with labels."""
    shown = [run for run in runs if over_time.shown(run)]
    unknown = [run for run in runs if not over_time.shown(run)]
    notes = [f"{run.label}: no number is known in its {len(run.intervals):,} counter records." for run in unknown]
    if not shown:
        return Traffic(notes=notes)
    palette = _palette(shown)
    parts = [*_hit_rates(shown, palette), *_each(shown), *_shares(shown, palette), *_latency(shown, palette)]
    return Traffic([(palette[run.label], _in_words(run)) for run in shown], parts, _tables(shown), notes)


def _palette(runs):
    # The first as the hit rate in its own picture.
    own = over_time.SERIES["hit_rate"][1]
    more = [own, *(colour for colour in style.COLOURS if colour != own)]
    return {run.label: more[number % len(more)] for number, run in enumerate(runs)}


def _in_words(run):
    """'run-1: hit rate 73.1 %, p50 over time 74.0 % (p10 to p90: 61.0 % to 80.2 %), up to 212 GB/s at memory'."""
    whole, quantiles = numbers.whole(run.work), numbers.over_time(run)
    texts = []
    if whole is not None:
        texts.append(f"hit rate {formats.percent(whole)}")
    if quantiles:
        low, middle, high = map(formats.percent, quantiles)
        texts.append(f"p50 over time {middle} (p10 to p90: {low} to {high})")
    for side, place in PLACES.items():
        if found := numbers.highest(run, side):
            texts.append(f"up to {_gbps(found.gbps)} GB/s {place}")
    simulated = " (simulated)" if run.is_model else ""
    return f"{run.label}{simulated}: {', '.join(texts) or 'too little is known for a number'}"


def _part(name, runs, heading, what, legend, draw):
    """A Figure of some runs; draw: (title, subtitle's lines) -> Picture; legend: sentences, below the title too."""
    simulated = all(run.is_model for run in runs)
    what = f"simulated {what}" if simulated else what
    title = f"{runs[0].label}: {what}" if len(runs) == 1 else f"{what[0].upper()}{what[1:]}, {len(runs)} runs"
    chart = draw((title, [_about(runs), *_lines(legend)]))
    return Figure(name, f"{heading} (simulated)" if simulated else heading, chart, legend)


def _each(runs):
    for run, slug in zip(runs, formats.slugs(run.label for run in runs), strict=True):
        heading = "Traffic over time" if len(runs) == 1 else f"Traffic over time, {run.label}"
        draw = partial(over_time.one, run)
        yield _part(f"traffic-{slug}", [run], heading, "traffic over time", over_time.legend(run), draw)


def _hit_rates(runs, palette):
    runs = [run for run in runs if not run.work.is_empty() and run.work["hit_rate"].count()]
    if len(runs) < 2:
        return []
    legend = (
        "Medians of the intervals at one place of the picture; time begins where each run's idle baseline ends. "
        "Where a line is broken, nothing is known."
    )
    lowest = min(run.work["hit_rate"].min() for run in runs)
    if lowest < axes.LOWEST_HIT_RATE:
        legend += f" {over_time.beyond(lowest)}"
    draw = partial(over_time.several, runs, {run.label: palette[run.label] for run in runs})
    return [_part("hit-rate-over-time", runs, "Hit rate over time, all runs", "hit rate over time", legend, draw)]


def _shares(runs, palette):
    runs = [run for run in runs if len(numbers.known_hit_rates(run)[0])]
    if not runs:
        return []
    legend = "How much of the time in which the hit rate is known it lay in each step of the axis, without the idle baseline."
    lowest = min(float(numbers.known_hit_rates(run)[0].min()) for run in runs)
    if lowest < axes.LOWEST_HIT_RATE:
        legend += f" Lower ones, down to {formats.percent(lowest)}, count in the lowest step."
    draw = partial(spread.shares, runs, {run.label: palette[run.label] for run in runs})
    what = "share of time at each hit rate"
    return [_part("hit-rate-share", runs, f"{what[0].upper()}{what[1:]}", what, legend, draw)]


def _latency(runs, palette):
    runs = [run for run in runs if spread.has_latency(run)]
    if not runs:
        return []
    legend = "Medians of the intervals in each step of traffic, read and written; band from first to third quartile."
    draw = partial(spread.latency, runs, {run.label: palette[run.label] for run in runs})
    what = "CPU latency behind L3 over traffic"
    return [_part("cpu-latency-over-traffic", runs, "CPU latency over traffic", what, legend, draw)]


def _tables(runs):
    """Hit rates and traffic of the runs; a table each, as so many columns would not fit."""
    of_rates, of_traffic = [], []
    for run in runs:
        highest = {side: numbers.highest(run, side) for side in ("memory", "fabric")}
        rates = [numbers.whole(run.work), *(numbers.over_time(run) or [None] * 3)]
        rates += [found and found.hit_rate for found in highest.values()]
        of_rates.append((run.label, [Cell(formats.percent(rate)) for rate in rates]))
        idle = [Cell(_gbps(numbers.idle(run, side))) for side in highest]
        most = [Cell(_gbps(each.gbps), f"until {each.at:.1f} s") if each else Cell("–") for each in highest.values()]
        of_traffic.append((run.label, [*most, *idle]))
    rates = ["", "whole run", "p10 over time", "p50", "p90", "while most at memory", "while most at the fabric"]
    traffic = ["", "memory, most in 1 s", "fabric, most in 1 s", "memory, idle", "fabric, idle"]
    return [
        Table(
            "Hit rate: of the whole run each interval weighted by its bytes, over time by its length", rates, of_rates
        ),
        Table("Traffic, read and written, GB/s", traffic, of_traffic),
    ]


def _gbps(value):
    return "–" if value is None else formats.significant(value)


def _about(runs):
    """'2025-03-04 · bench-7 · amd: 60,000 intervals of 1 ms'."""
    dates = [(run.about.get("time") or "")[:10] for run in runs]
    hosts = [(run.about.get("host") or {}).get("name") for run in runs]
    sources = [run.source for run in runs]
    words = [*dict.fromkeys(dates), *dict.fromkeys(hosts), f"counters: {', '.join(dict.fromkeys(sources))}"]
    if len(runs) == 1:
        count, seconds = len(runs[0].intervals), runs[0].intervals["dt"].median()
        words.append(f"{count:,} interval{'s' if count > 1 else ''} of {formats.plain(1000 * seconds)} ms")
    return " · ".join(filter(None, words))


def _lines(text, most=130):
    """Sentences as few lines of a subtitle."""
    found = [""]
    for sentence in text.replace(". ", ".\n").split("\n"):
        fits = len(found[-1]) + len(sentence) < most
        found[-1:] = [f"{found[-1]} {sentence}".strip()] if fits else [found[-1], sentence]
    return [line for line in found if line]
