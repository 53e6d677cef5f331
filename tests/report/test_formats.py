"""Numbers, sizes and axis ticks as a person reads them."""

import pytest
from sonde_tools import charts, formats


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1, "1.00"), (4.8, "4.80"), (96, "96.0"), (100, "100"), (999.6, "1000"), (12345, "12345"),
     (0.5, "0.500"), (0.00123, "0.00123"), (0.0000123, "0.0000123")],
)  # fmt: skip
def test_significant(value, text):
    assert formats.significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(700, "700 B"), (1024, "1 KiB"), (2896, "2.828 KiB"), (1 << 28, "256 MiB"), (3 << 30, "3 GiB")]
)
def test_size(value, text):
    assert formats.size(value) == text


def test_spans_units_and_slugs():
    assert formats.latency(9876) == "9876 ns" and formats.latency(12345) == "12.3 µs"
    assert formats.span(7, 12, str) == "7 to 12" and formats.span(7, 7, str) == "7"
    assert formats.percent(None) == "–" and formats.percent(0.123) == "12.3 %"
    assert formats.slug("model:Strix Halo (64 GiB)") == "model-strix-halo-64-gib" and formats.slug("::") == "device"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(1.5, 97, [1, 2, 5, 10, 20, 50, 100]), (61, 69, [50, 100]), (20, 20, [20]), (0.3, 3, [0.2, 0.5, 1, 2, 5])],
)
def test_log_ticks_hold_the_values(low, high, ticks):
    assert charts.log_ticks(low, high) == pytest.approx(ticks)
