"""Numbers and sizes as a person reads them."""

import re

_BINARY_UNITS = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]


def size(size_bytes):
    """A size in the largest binary unit that it reaches: 4096 is '4 KiB', 2900 is '2.83 KiB'."""
    for factor, unit in _BINARY_UNITS:
        if size_bytes >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes:.4g} B"


def significant(value, digits=3):
    """A number with so many significant digits and without an exponent: 4.8 is '4.80', 12345 is '12345'."""
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}".rstrip(".")
    if "e" not in text:
        return text
    return f"{value:.0f}" if abs(value) >= 1 else f"{value:.12f}".rstrip("0")


def latency(nanoseconds):
    """A latency as text: '4.81 ns', from 10,000 ns on in microseconds."""
    if nanoseconds >= 10_000:
        return f"{significant(nanoseconds / 1000)} µs"
    return f"{significant(nanoseconds)} ns"


def percent(share):
    """A share from 0 to 1 as text, or a dash where it is not known."""
    return "–" if share is None else f"{share * 100:.1f} %"


def span(low, high, text):
    """'7 to 12', or only '7' where both ends read the same."""
    first, last = text(low), text(high)
    return first if first == last else f"{first} to {last}"


def slug(text):
    """A text as part of a file name: lower case, digits, letters and single hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "device"
