"""What every refusal of a wrong request has in common."""

from program_runs import ONE_POINT

LONGEST_SENTENCE = 240


def assert_refused(sonde, *words, says, **options):
    """One clear sentence that has the words in `says`, status 2, nothing measured, nothing written."""
    if words[:1] == ("run",) and "--sizes" not in words:  # a request that is not refused is soon done
        words = ("run", *ONE_POINT, *words[1:])
    before = sorted(sonde.folder.rglob("*"))
    done = sonde(*words, timeout=30, **options)
    assert (done.status, done.out) == (2, "")
    assert len(done.said) == 1, done.err
    assert done.err.startswith("sonde: ")
    assert len(done.err) <= LONGEST_SENTENCE
    for word in [says] if isinstance(says, str) else says:
        assert word in done.err
    assert sorted(sonde.folder.rglob("*")) == before
