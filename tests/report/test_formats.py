"""Numbers, sizes and axis ticks as a person reads them."""

import pytest
from sonde_tools import axes, formats


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


@pytest.mark.parametrize(
    ("band", "text"),
    [
        ((48 << 10, 47 << 10, 49 << 10), "48 KiB (47 to 49)"),
        ((2034237, 1992294, 2076180), "1.94 MiB (1.9 to 1.98)"),
        ((1048000, 1040000, 1060000), "1023 KiB (1016 to 1035)"),
        ((1 << 20, 1 << 20, 1 << 20), "1 MiB"),
        ((512, 0, 600), "512 B (0 to 600)"),
    ],
)
def test_size_between(band, text):
    assert formats.size_between(*band) == text


def test_size_span_names_a_unit_once_where_it_can():
    assert formats.size_span(48 << 10, 54 << 10) == "48 to 54 KiB"
    assert formats.size_span(900 << 10, 1.2 * (1 << 20)) == "900 KiB to 1.2 MiB"
    assert formats.size_span(1 << 20, 1 << 20) == "1 MiB"


def test_latency_between():
    assert formats.latency_between(6.5, 6.41, 6.6) == "6.50 ns (6.41 to 6.60)"
    assert formats.latency_between(12345, 12000, 13000) == "12.3 µs (12.0 to 13.0)"
    assert formats.latency_between(165, 165, 165) == "165 ns"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(6 << 20, "bytes", "6 MiB"), (3.1, "ns", "3.10 ns"), (4, "us", "4.00 µs"), (16, "ratio", "16"),
     (0.5, "ratio", "0.5"), (212.4, "GB/s", "212 GB/s"), (7, None, "7")],
)  # fmt: skip
def test_quantity(value, unit, text):
    assert formats.quantity(value, unit) == text


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
    assert axes.log_ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (4.8, "4.8"), (10, "10"), (1000, "1000"), (12345, "12300"), (0.00123, "0.00123")]
)
def test_plain(value, text):
    assert formats.plain(value) == text
