"""Frames are compared by their time at each resolution, and only with frames that move the same bytes."""

import synthetic_runs


def frames(run, milliseconds, megabytes=315):
    """A run with frames of 1920x1080 added."""
    (sample,) = [one for one in run if one["record"] == "sample"][:1]
    x = {"width": 1920, "height": 1080}
    about = {**sample, "probe": "frames", "series": {}, "x": x}
    said = {"ms": milliseconds, "bytes": megabytes * 1e6}
    return [*run[:-1], *({**about, "unit": unit, "values": [value] * 7} for unit, value in said.items()), run[-1]]


def test_a_frame_that_takes_longer_is_slower(verdicts):
    base = [frames(run, 2.0) for run in synthetic_runs.runs(5)]
    new = [frames(run, 2.2) for run in synthetic_runs.runs(5, first=11)]
    found, status = verdicts(base, new)
    assert found["frame time 1920x1080, 315 MB"]["verdict"] == "slower" and status == 1


def test_frames_of_other_files_are_not_compared(verdicts):
    base = [frames(run, 2.0) for run in synthetic_runs.runs(5)]
    new = [frames(run, 2.2, megabytes=700) for run in synthetic_runs.runs(5, first=11)]
    found, _ = verdicts(base, new)
    assert found["frame time 1920x1080, 315 MB"]["verdict"] == "only-in-base"
    assert found["frame time 1920x1080, 700 MB"]["verdict"] == "only-in-new"
