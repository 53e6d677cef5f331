"""A disk that fills up in the middle of a run, played by a limit on the size of a file."""

import resource
import signal

from program_runs import of_kind

ROOM = 4096


def fill_up_soon():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk sends no signal: writing fails
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def test_says_so_and_keeps_every_complete_line(sonde, valid, model_file):
    words = ("run", "--device", model_file(), "--sizes", "4K:1M", "--time", "1", "-o", "run.jsonl")
    done = sonde(*words, preexec_fn=fill_up_soon)
    assert done.status == 1
    assert "run.jsonl" in done.said[-1] and done.said[-1].startswith("sonde: ")
    assert (sonde.folder / "run.jsonl").stat().st_size <= ROOM
    records = sonde.records()
    valid(records)
    assert of_kind(records, "sample") and not of_kind(records, "end")
