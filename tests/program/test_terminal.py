"""Progress and colour: on a terminal only, and not where they are refused."""

import re

import pytest
from program_runs import CLEARED_LINE, COLOUR
from terminals import run_in_terminal

SWEEP = ("--sizes", "4K:1M", "--time", "5")
# Something for every table but that of contention, whose arrays are larger than this sweep.
EVERYTHING = {
    "unified_memory": True,
    "copy": {"to_device_gbps": 20, "to_host_gbps": 10, "latency_us": 5, "engines": 1},
    "host_memory": {"latency_ns": 300, "bypasses_memory_side_cache": True, "zero_copy": ["alloc-host-ptr"]},
}
SCREEN_ABOVE = re.compile(r"\x1b\[\d+A\x1b\[J")  # clears it
TIME_LEFT = re.compile(r"\d+ (s|min) left")


@pytest.fixture
def words(model_file):
    return ("run", "--device", model_file(), *SWEEP, "-o", "run.jsonl")


def drawn_lines(shown):
    """Each state of the progress line, without what clears it."""
    parts = SCREEN_ABOVE.sub("", shown).split(CLEARED_LINE)[1:]
    return [part.split("\r\n")[0] for part in parts]


def test_a_terminal_shows_progress(sonde, words):
    status, shown, out = run_in_terminal(sonde, *words)
    assert status == 0
    states = [line for line in drawn_lines(shown) if TIME_LEFT.match(line)]
    assert len(states) > 1
    assert any(all(word in line for word in ("little", "latency", "vector", "KiB")) for line in states)
    left = [int(line.split()[0]) for line in states]
    assert left == sorted(left, reverse=True) and left[0] <= 5
    assert CLEARED_LINE not in out and "\x1b" not in out


def test_the_time_left_is_shown_beside_a_long_name(sonde, model_file):
    device = model_file(name="Made-up(R) Processor of the Second Generation")
    words = ("run", "--device", device, *SWEEP, "-o", "run.jsonl")
    _, shown, _ = run_in_terminal(sonde, *words, columns=80)
    assert any(TIME_LEFT.search(line) for line in drawn_lines(shown))


def test_the_progress_line_is_gone_in_the_end(sonde, words):
    _, shown, _ = run_in_terminal(sonde, *words)
    assert shown.endswith(CLEARED_LINE)


@pytest.mark.parametrize("columns", [60, 40])
def test_progress_stays_in_one_row(sonde, words, columns):
    _, shown, _ = run_in_terminal(sonde, *words, columns=columns)
    assert max(map(len, drawn_lines(shown))) <= columns


def test_progress_never_cuts_a_letter_in_two(sonde, model_file):
    for columns in (60, 61):  # reading what was shown fails where half a letter is left
        words = ("run", "--device", model_file(name="ü" * 60), *SWEEP, "-o", f"{columns}.jsonl")
        assert run_in_terminal(sonde, *words, columns=columns)[0] == 0


@pytest.mark.parametrize("refused", ["by the option", "by a terminal that cannot"])
def test_progress_is_refused(sonde, words, refused):
    option, env = (["--no-progress"], {}) if refused == "by the option" else ([], {"TERM": "dumb"})
    status, shown, _ = run_in_terminal(sonde, *words, *option, env=env)
    assert status == 0
    assert CLEARED_LINE not in shown and "left" not in shown


@pytest.fixture
def rough(model_file):
    """A run whose numbers scatter, so that the first screen has something to mark."""
    device = model_file(noise={"relative": 0.3, "outlier_share": 0.1, "outlier_factor": 5})
    return ("run", "--device", device, *SWEEP, "-o", "run.jsonl")


def test_a_terminal_shows_colour(sonde, rough):
    status, shown, _ = run_in_terminal(sonde, *rough, results_too=True)
    assert status == 0
    assert COLOUR.search(shown)


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colour_is_refused(sonde, rough, env):
    _, shown, _ = run_in_terminal(sonde, *rough, results_too=True, env=env)
    assert "KiB" in shown
    assert not COLOUR.search(shown)


def printed_lines(shown):
    return COLOUR.sub("", shown).replace("\r", "").split("\n")


def test_no_line_of_the_tables_is_wider_than_the_terminal(sonde, model_file):
    device = model_file(**EVERYTHING)
    for file, time, probes in (("run.jsonl", "20", ()), ("copy.jsonl", "2", ("--probe", "copy"))):
        done = sonde("run", "--device", device, "--sizes", "4K:1M", "--time", time, *probes, "-o", file)
        assert done.status == 0, done.err
    for columns in (60, 80, 120):
        words = ("show", "run.jsonl", "copy.jsonl", "-v")
        status, shown, _ = run_in_terminal(sonde, *words, columns=columns, results_too=True)
        assert status == 0
        lines = printed_lines(shown)
        for table in ("latency of one", "levels", "simulated bandwidth, GB/s", "latency of a load beside",
                      "kinds of memory", "bandwidth of a copy", "latency by other", "hit rate of the last cache"):  # fmt: skip
            assert any(table.lower() in line.lower() for line in lines), table
        assert [line for line in lines if len(line) > columns] == []
        assert max(map(len, lines)) > columns - 12  # sentences fill it


def test_the_first_screen_is_one_screen_of_100_columns(sonde, model_file):
    words = ("run", "--device", model_file(**EVERYTHING), *SWEEP, "--no-progress", "-o", "run.jsonl")
    status, shown, _ = run_in_terminal(sonde, *words, columns=100, results_too=True)
    assert status == 0
    lines = printed_lines(shown)
    screen = lines[next(at for at, line in enumerate(lines) if line.startswith("little, simulated · ")) :]
    assert "sonde show run.jsonl" in " ".join(screen)
    assert len(screen) <= 40 and max(map(len, screen)) <= 100


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_line_of_the_list_is_wider_than_the_terminal(sonde, columns):
    status, shown, _ = run_in_terminal(sonde, "list", columns=columns, results_too=True)
    assert status == 0
    # A word that is wider, as a driver's name for a processor may be, has a line of its own: it can be copied whole.
    assert [line for line in printed_lines(shown) if len(line) > columns and " " in line.strip()] == []


def test_where_there_is_no_terminal_a_table_has_all_its_columns(sonde, model_file):
    # Large enough for several working sets of each probe.
    levels = [{"name": "L1", "bytes": 65536, "latency_ns": 40}, {"name": "DRAM", "latency_ns": 300}]
    device = model_file(**EVERYTHING, levels=levels)
    words = ("run", "--device", device, "--probe", "latency,bandwidth", *SWEEP, "-v", "-o", "run.jsonl")
    out = sonde(*words).out
    (head,) = [line for line in out.splitlines() if line.split()[:2] == ["level", "size"]]
    assert head.split() == ["level", "size", "between", "edge", "ns", "between", "GB/s", "between", "cycles"]
