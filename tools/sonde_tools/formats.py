"""Numbers and sizes as a person reads them."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BINARY_UNITS = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]


def size(size_bytes):
    """A size in the largest binary unit that it reaches, to four digits: 4096 is '4 KiB', 2900 is '2.832 KiB'."""
    factor, unit = _binary_unit(size_bytes)
    return f"{_short(size_bytes / factor, 4)} {unit}"


def coordinate(name, value):
    """Where on a curve: '64 KiB', '12.5 GB/s', 'queues 2'."""
    if name in ("bytes", "gpu_gbps"):
        return size(value) if name == "bytes" else f"{significant(value)} GB/s"
    return f"{name.replace('_', ' ')} {value:g}"


def resolution(x):
    """Width and height: '1920×1080'."""
    return f"{x['width']:g}×{x['height']:g}"


def threads(count):
    """'1 thread', '8 threads'."""
    return f"{count:g} thread{'' if count == 1 else 's'}"


def size_between(value, low, high):
    """A size and the bounds it lies between, to three digits in one unit: '1.94 MiB (1.90 to 1.98)'."""
    factor, unit = _binary_unit(value)
    text, bounds = _short(value / factor, 3), [_short(bound / factor, 3) for bound in (low, high)]
    return f"{text} {unit}" if bounds == [text, text] else f"{text} {unit} ({bounds[0]} to {bounds[1]})"


def size_short(size_bytes):
    """A size to three digits: '1.94 MiB'."""
    return size_between(size_bytes, size_bytes, size_bytes)


def size_span(low, high):
    """A span of sizes to three digits: '48 to 54 KiB', or '900 KiB to 1.2 MiB'."""
    first, last = size_short(low), size_short(high)
    (number, unit), last_unit = first.split(" "), last.split(" ")[1]
    return first if first == last else f"{number if unit == last_unit else first} to {last}"


def _binary_unit(size_bytes):
    return next(((factor, unit) for factor, unit in _BINARY_UNITS if size_bytes >= factor), (1, "B"))


def _short(value, digits):
    """So many significant digits without trailing zeros and without an exponent."""
    text = significant(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value, digits=3):
    """A number with so many significant digits and without an exponent: 4.8 is '4.80', 12345 is '12345'."""
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}".rstrip(".")
    if "e" not in text:
        return text
    return f"{value:.0f}" if abs(value) >= 1 else f"{value:.12f}".rstrip("0")


def plain(value):
    """A number with three digits, without zeros behind them and without an exponent: 4.8 is '4.8', 12345 is '12300'."""
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e+" in text else text


def latency(nanoseconds):
    """A latency as text: '4.81 ns', from 10,000 ns on in microseconds."""
    if nanoseconds >= 10_000:
        return f"{significant(nanoseconds / 1000)} µs"
    return f"{significant(nanoseconds)} ns"


def gbps(value):
    """A bandwidth as text: '145 GB/s'."""
    return f"{significant(value)} GB/s"


def cycles(count):
    """Cycles of a core's clock to three digits: '27.5 cycles'."""
    return f"{significant(count)} cycles"


def latency_between(value, low, high):
    """A latency and the bounds it lies between: '6.50 ns (6.41 to 6.60)'."""
    factor = 1000 if value >= 10_000 else 1
    bounds = [significant(bound / factor) for bound in (low, high)]
    text = latency(value)
    return text if bounds == [text.split(" ")[0]] * 2 else f"{text} ({bounds[0]} to {bounds[1]})"


def quantity(value, unit):
    """A value with its unit as a person reads it: bytes become KiB and so on, a ratio has no unit."""
    if unit == "bytes":
        return size_short(value)
    if unit == "ns":
        return latency(value)
    if unit == "us":
        return latency(value * 1000) if value >= 10 else f"{significant(value)} µs"
    number = str(value) if isinstance(value, int) else _short(value, 3)
    return number if unit in (None, "ratio") else f"{number} {unit}"


def percent(share):
    """A share from 0 to 1 as text, or a dash where it is not known."""
    if share is None:
        return "–"
    return f"{share * 100:.1f} %" if abs(share) < 1000 else f"{plain(share * 100)} %"


def span(low, high, text):
    """'7 to 12', or only '7' where both ends read the same."""
    first, last = text(low), text(high)
    return first if first == last else f"{first} to {last}"


def visible(text):
    """A text from a file or a driver as it may be shown: control characters and those that turn the direction of
    writing become \\x1b, so that no terminal, page or picture obeys them."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def slug(text):
    """A text as part of a file name: lower case, digits, letters and single hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "device"


def slugs(texts):
    """The slug of each text (list); those that would share one are numbered."""
    found = []
    for text in texts:
        one, number = slug(text), 1
        while one in found:
            number += 1
            one = f"{slug(text)}-{number}"
        found.append(one)
    return found
