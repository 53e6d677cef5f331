"""`sonde watch`: what it says where nothing can be counted, what becomes of COMMAND, and what a replay shows."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from program_runs import of_kind, read_records, wait_until
from terminals import run_in_terminal

NOBODY = 65534


@pytest.fixture
def msr(sonde):
    """The words for the source that every x86 machine has, where this user may count."""
    probe = sonde("watch", "--source", "msr", "--seconds", "0.01", "-o", "probe.jsonl")
    if probe.status != 0:
        pytest.skip(f"nothing can be counted here: {probe.err}")
    return ("--source", "msr", "-o", "run.jsonl")


def counter(t, fabric, memory, dt=0.1, **changed):
    """A record of an interval: bytes read and written at the fabric and at memory."""
    return {
        "record": "counter", "source": "amd", "t": t, "dt": dt,
        "fabric_read": fabric[0], "fabric_write": fabric[1], "memory_read": memory[0], "memory_write": memory[1],
        "gpu_read": None, "gpu_write": None, "cpu_read": None, "cpu_write": None,
        "cpu_latency_ns": None, "hit_rate": None, "beat_bytes": 64, "scale": 1, "scaled": False, "baseline": False,
        "state": {},
    } | changed  # fmt: skip


@pytest.fixture
def replay(sonde, valid):
    """Writes counter records as a file and replays it: how that ended, and the records that it left."""

    def run(counters, *words):
        first = {"record": "run", "schema": 1, "seed": 1}
        lines = [json.dumps(record) for record in [first, *counters]]
        (sonde.folder / "old.jsonl").write_text("\n".join(lines) + "\n")
        done = sonde("watch", "--source", "replay:old.jsonl", "-o", "run.jsonl", *words)
        records = sonde.records() if (sonde.folder / "run.jsonl").exists() else []
        valid(records)
        return done, of_kind(records, "counter")

    return run


def test_without_counters_one_sentence_says_what_is_missing(sonde, tmp_path):
    done = sonde("watch", "--sysfs-root", str(tmp_path), "--seconds", "1")
    assert (done.status, done.out, len(done.said)) == (2, "", 1)
    assert "amd_df" in done.err and "uncore_imc" in done.err
    assert not (sonde.folder / "results").exists()


@pytest.mark.parametrize("status", [0, 7])
def test_without_counters_the_command_runs_all_the_same(sonde, tmp_path, status):
    done = sonde("watch", "--sysfs-root", str(tmp_path), "--", "sh", "-c", f"echo its own words; exit {status}")
    assert (done.status, done.out, len(done.said)) == (status, "its own words\n", 1)
    assert "amd_df" in done.err and "nothing is counted" in done.err
    assert not (sonde.folder / "results").exists()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--interval", "0.4"], "0.5"),
        (["--interval", "1001"], "1000"),
        (["--seconds", "0"], "seconds"),
        (["--source", "perf"], "replay:FILE"),
        (["--source", "replay:missing.jsonl"], "missing.jsonl"),
        (["--source", "replay:missing.jsonl", "--", "true"], "COMMAND"),
        (["--source", "msr", "--"], "COMMAND"),
        (["--source", "msr", "--", "./no such program"], "no such program"),
        (["--self-check", "--source", "replay:missing.jsonl"], "missing.jsonl"),
        (["--self-check", "--source", "msr", "--", "true"], "its own traffic"),
        (["ls"], "ls"),
    ],
)
def test_a_wrong_request_measures_nothing(sonde, words, wanted):
    done = sonde("watch", *words)
    assert (done.status, done.out, len(done.said)) == (2, "", 1)
    assert wanted in done.err
    assert os.listdir(sonde.folder) == []


@pytest.mark.parametrize("status", [0, 1, 77])
def test_returns_the_status_of_its_command(sonde, msr, valid, status):
    done = sonde("watch", *msr, "--", sys.executable, "-c", f"print('its own words'); raise SystemExit({status})")
    assert done.status == status
    assert "its own words" in done.out
    records = sonde.records()
    valid(records)
    assert [records[0]["record"], records[-1]["record"], records[-1]["status"]] == ["run", "end", "complete"]
    assert {record["record"] for record in records[1:-1]} == {"counter"}


def test_the_idle_baseline_comes_before_the_command(sonde, msr):
    done = sonde("watch", *msr, "--interval", "10", "--", "sleep", "0.3")
    counters = of_kind(sonde.records(), "counter")
    before = [record for record in counters if record["baseline"]]
    after = [record for record in counters if not record["baseline"]]
    assert before and after
    assert max(record["t"] for record in before) < min(record["t"] for record in after)
    assert 0.3 < sum(record["dt"] for record in before) < 3
    assert sum(record["dt"] for record in after) > 0.2
    assert "Idle before" in done.text


def test_every_interval_begins_where_the_one_before_ended(sonde, msr):
    sonde("watch", *msr, "--seconds", "0.5")
    counters = of_kind(sonde.records(), "counter")
    assert len(counters) > 20
    for before, after in zip(counters, counters[1:], strict=False):
        assert before["t"] + before["dt"] == pytest.approx(after["t"], abs=1e-6)
        assert after["fabric_read"] is None and after["hit_rate"] is None
        assert after["state"]["other"] > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_passes_signals_on(sonde, msr, number):
    script = f"""
import signal, sys, time
signal.signal({int(number)}, lambda *_: sys.exit(42))
open("ready", "w").close()
time.sleep(30)
"""
    process = sonde.start("watch", *msr, "--", sys.executable, "-c", script)
    try:
        wait_until((sonde.folder / "ready").exists)
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
    assert process.returncode == 42
    assert read_records(sonde.folder / "run.jsonl")[-1]["status"] == "complete"


def test_a_command_that_a_signal_ended_is_said_as_a_shell_says_it(sonde, msr):
    done = sonde("watch", *msr, "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 15)")
    assert done.status == 128 + signal.SIGTERM


def test_ctrl_c_ends_a_watch_of_the_machine(sonde, msr):
    process = sonde.start("watch", *msr)
    file = sonde.folder / "run.jsonl"
    wait_until(lambda: file.exists() and len(of_kind(read_records(file), "counter")) > 5)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert read_records(file)[-1]["status"] == "interrupted"
    assert "Record: run.jsonl" in out


def test_after_its_seconds_it_waits_for_the_command(sonde, msr):
    started = time.monotonic()
    done = sonde("watch", *msr, "--seconds", "0.1", "--", "sleep", "1")
    assert done.status == 0
    assert time.monotonic() - started > 1
    assert sum(c["dt"] for c in of_kind(sonde.records(), "counter") if not c["baseline"]) < 0.8


def test_the_default_file_names_what_was_watched(sonde, msr):
    sonde("watch", "--source", "msr", "--seconds", "0.05")
    names = os.listdir(sonde.folder / "results")
    assert len(names) == 1 and re.fullmatch(r".*-watch-msr-\d{8}T\d{6}Z\.jsonl", names[0])


def test_a_replay_shows_the_busiest_times_and_the_hit_rate(replay):
    million = 1_000_000
    quiet = [counter(t / 10, (100 * million, 0), (20 * million, 5 * million)) for t in range(10)]
    busy = [counter(1 + t / 10, (900 * million, 100 * million), (200 * million, 50 * million)) for t in range(10)]
    missing = [counter(2 + t / 10, (50 * million, 0), (300 * million, 200 * million)) for t in range(10)]
    done, counters = replay([*quiet, *busy, *missing])
    assert done.status == 0
    assert counters[0]["hit_rate"] == pytest.approx(0.75)
    assert counters[-1]["hit_rate"] == pytest.approx(-9)  # not kept above 0
    assert "Most traffic at memory, 1.00 s from 2.000 s on: fabric 0.50 GB/s, memory 5.00 GB/s" in done.text
    assert "Most traffic at the fabric, 1.00 s from 1.000 s on: fabric 10.0 GB/s, memory 2.50 GB/s" in done.text
    whole = 1 - (250 + 2500 + 5000) / (1000 + 10000 + 500)
    assert f"Hit rate of the whole time: {whole * 100:.1f} %" in done.text
    assert "p50 75.0 %, p90 75.0 %, of 30 intervals of 30" in done.text


def test_the_processors_requests_are_taken_off(replay):
    done, counters = replay([counter(0, (1000, 200), (500, 100), cpu_read=400, cpu_write=100)])
    assert counters[0]["hit_rate"] == pytest.approx(1 - 100 / 700, rel=1e-5)
    assert counters[0]["state"]["hit_rate_of_reads"] == pytest.approx(1 - 100 / 600, rel=1e-5)
    assert "without the CPU's own requests" in done.text


def test_latency_behind_l3_is_kept_and_weighted_by_its_samples(replay):
    sampled = [{"l3_latency_ns": 10000, "l3_samples": 100}, {"l3_latency_ns": 42000, "l3_samples": 300}]
    done, counters = replay([counter(t, (1000, 0), (500, 0), dt=1, state=state) for t, state in enumerate(sampled)])
    assert [one["cpu_latency_ns"] for one in counters] == [100, 140]
    assert "CPU latency behind L3 130 ns" in done.text
    assert "CPU latency 140 ns" in done.err


def test_who_asked_is_told_as_far_as_counters_do(replay):
    billion = 10**9
    amd = counter(0, (3 * billion, billion), (billion, billion), dt=1, cpu_read=billion, cpu_write=0)
    done, counters = replay([amd])
    assert "at the fabric: CPU 1.00 GB/s, GPU and devices together 3.00 GB/s" in done.text
    assert counters[0]["gpu_read"] is None and counters[0]["gpu_write"] is None


def test_intels_requests_are_told_apart(replay):
    requests = {"cpu_requests": 10**9, "gpu_requests": 2 * 10**9, "io_requests": 5 * 10**8}
    done, counters = replay([counter(0, (None, None), (10**9, 10**9), dt=1, state=requests)])
    assert "By requester, at memory: CPU 1.00 GB/s, GPU 2.00 GB/s, devices 0.50 GB/s" in done.text
    assert counters[0]["gpu_read"] is None  # both ways together is neither


def test_what_was_unknown_stays_unknown(replay):
    unknown = counter(0, (1000, 200), (None, None), state={"labels": ["reads-zero"]})
    done, counters = replay([unknown])
    assert counters[0]["hit_rate"] is None and counters[0]["memory_read"] is None
    assert counters[0]["state"]["labels"] == ["reads-zero"]
    assert "Hit rate: not known" in done.text and "read zero" in done.text


def test_a_file_without_counters_is_a_wrong_request(replay):
    done, _ = replay([])
    assert done.status == 2 and "no counter records" in done.err


@pytest.mark.parametrize("changed", [{"dt": 0}, {"t": -1}, {"fabric_read": -5}, {"scale": 0}, {"state": []}])
def test_a_file_with_impossible_counters_is_a_wrong_request(replay, changed):
    done, _ = replay([counter(0, (1, 1), (1, 1)) | changed])
    assert (done.status, len(done.said)) == (2, 1)
    assert f"line 2: {next(iter(changed))}" in done.err


def test_plain_lines_where_there_is_no_terminal(replay):
    done, _ = replay([counter(t / 10, (10**9, 0), (10**8, 0)) for t in range(20)])
    assert done.said == [
        "    1.00 s  fabric 10.0 GB/s  memory 1.00 GB/s  hit rate 90.0 %",
        "    2.00 s  fabric 10.0 GB/s  memory 1.00 GB/s  hit rate 90.0 %",
    ]


def test_rolling_bars_on_a_terminal(sonde, replay):
    replay([counter(t / 10, (10**9, 0), (10**8, 0)) for t in range(50)])
    words = ("watch", "--source", "replay:old.jsonl", "-o", "drawn.jsonl")
    status, shown, _ = run_in_terminal(sonde, *words, columns=100)
    assert status == 0
    lines = [line for line in shown.split("\r\x1b[K") if "fabric" in line]
    assert len(lines) == 5 and "█████" in lines[-1]
    assert max(map(len, lines)) <= 100
    assert "\n" not in shown


LOADS = [("idle", 0, 0), ("read-in-cache", 1, 20), ("read", 1, 10), ("read", 4, 30), ("write", 4, 20)]


def repetition(number, place, seen):
    """A record of a self-check: a tenth of a second of one load; seen: GB/s read and written of GB/s moved."""
    load, threads, gbps = LOADS[place]
    fabric = {"count_bytes": 64, "counters": 15}
    check = {
        "load": load,
        "cpu_threads": threads,
        "moved": gbps * 10**8,
        "counting": {"fabric_read": fabric, "fabric_write": fabric},
    }
    read, written = seen(load, gbps)
    bytes_seen = (round(read * 1e8), round(written * 1e8))
    moment = 0.2 * (number * len(LOADS) + place)
    return counter(moment, bytes_seen, (None, None), baseline=load == "idle", state={"self_check": check})


def repetitions(seen):
    """Five of each load."""
    return [repetition(number, place, seen) for number in range(5) for place in range(len(LOADS))]


def rightly(load, gbps):
    return (gbps if load in ("read", "write") else 0, gbps if load == "write" else 0)


def test_a_self_check_of_right_counters_is_done(replay):
    done, counters = replay(repetitions(rightly), "--self-check")
    assert done.status == 0, done.out
    assert "Self-check of amd" in done.text
    assert done.text.count("as expected") == 2
    assert "fabric, read: as expected: it sees 1 (1 to 1) times what was moved. One count stands for 64" in done.text
    assert "4 cores" in done.text and "* not judged" in done.text
    assert [one["state"]["self_check"]["load"] for one in counters[:5]] == [load for load, _, _ in LOADS]


def test_a_self_check_finds_the_station_that_is_missing_and_says_the_same_again(sonde, replay):
    done, _ = replay(repetitions(lambda *load: [15 / 16 * gbps for gbps in rightly(*load)]), "--self-check")
    assert done.status == 1
    assert "as if 15 of 16 stations were counted" in done.text
    again = sonde("watch", "--source", "replay:run.jsonl", "--self-check", "-o", "again.jsonl")
    assert again.status == 1
    assert again.out.replace("again.jsonl", "run.jsonl") == done.out


def test_a_self_check_of_counters_that_stand_still_names_the_firmware(replay):
    still = [one | {"memory_read": 0, "memory_write": 0} for one in repetitions(rightly)]
    for one in still:
        one["state"]["self_check"]["counting"]["memory_read"] = {"count_bytes": 64, "counters": 16}
    done, _ = replay(still, "--self-check")
    assert done.status == 1
    assert "memory, read: it counts nothing while memory is busy" in done.text and "BIOS" in done.text


def test_a_watch_is_no_self_check(replay):
    done, counters = replay([counter(0, (1, 1), (1, 1))], "--self-check")
    assert (done.status, done.out, len(done.said), counters) == (2, "", 1, [])
    assert "is not from a self-check" in done.err


@pytest.mark.parametrize("broken", [{"load": "sleep"}, {"moved": -1}, {"cpu_threads": -1}, {"counting": []}])
def test_an_impossible_self_check_is_a_wrong_request(replay, broken):
    record = repetition(0, 2, rightly)
    record["state"]["self_check"] |= broken
    done, _ = replay([record], "--self-check")
    assert (done.status, len(done.said)) == (2, 1)
    assert f"line 2: {next(iter(broken))}" in done.err


def test_a_self_check_moves_what_it_says_and_tells_that_msr_counts_no_bytes(sonde, msr, valid):
    done = sonde("watch", *msr, "--self-check", "--seconds", "1.2")
    assert done.status == 1
    assert "msr counts no bytes of memory, so there is nothing to check" in done.text
    records = sonde.records()
    valid(records)
    counters = of_kind(records, "counter")
    moved = {}
    for record in counters:
        load = record["state"]["self_check"]["load"]
        moved[load] = moved.get(load, 0) + record["state"]["self_check"]["moved"]
        assert record["baseline"] == (load == "idle")
    assert moved.pop("idle") == 0
    assert moved.keys() >= {"read-in-cache", "read", "write"}
    seconds = sum(record["dt"] for record in counters)
    # On a busy machine the threads of one load may have got no time while they were looked at.
    assert sum(moved.values()) / seconds > 1e6
    assert max(moved.values()) / seconds < 1e13


@pytest.fixture
def setcap():
    found = shutil.which("setcap", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if os.geteuid() != 0 or found is None:
        pytest.skip("only root, with setcap (libcap2-bin), gives a file capabilities")
    return found


def as_nobody(program, folder, *words):
    return subprocess.run(
        [program, *words], cwd=folder, user=NOBODY, group=NOBODY, extra_groups=[], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def copied(program):
    """A copy of the program in a folder that everybody may use."""
    with tempfile.TemporaryDirectory(prefix="sonde-watched-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        shutil.copy2(program, folder / "sonde")
        yield folder / "sonde"


def test_who_may_not_count_is_told_how_to(copied, msr):
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        paranoid = int(file.read())
    if paranoid <= 0:
        pytest.skip("everybody may count here")
    done = as_nobody(copied, copied.parent, "watch", "--source", "msr", "--", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"perf_event_paranoid is {paranoid}" in done.stderr
    assert "sudo sysctl kernel.perf_event_paranoid=0" in done.stderr and "setcap cap_perfmon+ep" in done.stderr


def test_the_right_to_count_is_used_and_not_passed_on(copied, msr, setcap):
    if subprocess.run([setcap, "cap_perfmon,cap_net_raw+ep", copied], check=False, capture_output=True).returncode != 0:
        pytest.skip("this file system keeps no capabilities")
    script = "grep -h Cap /proc/self/status /proc/$PPID/status"
    done = as_nobody(copied, copied.parent, "watch", "--source", "msr", "-o", "run.jsonl", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    held = re.findall(r"^(Cap\w+):\s+(\w+)$", done.stdout, re.MULTILINE)
    assert len(held) >= 10
    # The bounding set says what could be had, not what is.
    assert [name for name, bits in held if name != "CapBnd" and int(bits, 16)] == []
