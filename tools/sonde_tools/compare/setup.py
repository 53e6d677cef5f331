"""Under which circumstances runs were made, and in which of them the two sides differ."""

import statistics

from sonde_tools import parts

_APIS = {"opencl": "OpenCL", "vulkan": "Vulkan"}
_CLOCKS = {
    "clock_mhz": "core clock", "gpu_clock_mhz": "GPU clock", "memory_clock_mhz": "memory clock",
    "cpu_clock_mhz": "CPU clock",
}  # fmt: skip
# Clocks are never quite the same twice.
_CLOCKS_DIFFER = 0.02
# Options of a run that say nothing of how it is measured, each with a value after it, and those without one.
_NOT_MEASURING = {"-o", "--out", "--device", "--seed", "--silence-limit", "--time-limit", "--runs"}
_SWITCHES = {"--no-progress", "-v", "--verbose"}


def circumstances(recording):
    """What one run says of where and how it was made: a dictionary of texts, and of numbers for clocks."""
    run, host = recording.run, recording.run.get("host") or {}
    found = {
        "version": " ".join(filter(None, [run.get("version"), run.get("commit") and f"({run['commit']})"])),
        "settings": _settings(run.get("duel")), "effort": run.get("effort"), "options": _options(run.get("command") or []),
        "machine": host.get("name"), "system": host.get("os"), "kernel": host.get("kernel"), "CPU": host.get("cpu"),
        "virtualised": {True: "yes", False: "no"}.get(host.get("virtualised")),
    }  # fmt: skip
    for device in recording.devices:
        for api, name in _APIS.items():
            found[f"{name} driver of {device['device']}"] = parts.driver_name(device.get(api) or {})
        found[f"name of {device['device']}"] = device["name"]
    found |= _clocks(recording.samples) | _throttling(recording.samples)
    return {what: value for what, value in found.items() if value not in (None, "")}


def _settings(duel):
    """The settings of a side of a duel, or None of another run."""
    return duel and (" ".join(duel["settings"]) or "none")


def _options(command):
    """The words after the command's name that say what is measured."""
    words, kept = iter(command[2:]), []
    for word in words:
        name, equals, _ = word.partition("=")
        if name in _NOT_MEASURING:
            if not equals:
                next(words, None)
        elif word not in _SWITCHES and not (word.startswith("-o") and not word.startswith("--")):
            kept.append(word)
    return " ".join(kept)


def _clocks(samples):
    found = {}
    for sample in samples:
        state = sample.get("state") or {}
        for key, name in _CLOCKS.items():
            if state.get(key):
                found.setdefault(f"{name} of {sample['device']}", []).append(state[key])
    return {what: statistics.median(clocks) for what, clocks in found.items()}


def _throttling(samples):
    """Why a GPU was throttled at some of its points: a limit of power or temperature shows here."""
    found = {}
    for sample in samples:
        for reason in (sample.get("state") or {}).get("throttle_reasons") or ():
            found.setdefault(f"throttled on {sample['device']} by", set()).add(reason)
    return {what: ", ".join(sorted(reasons)) for what, reasons in found.items()}


def of_side(runs):
    """What a list of circumstances has in common: every different value, numbers as their median."""
    found = {}
    for what in dict.fromkeys(what for run in runs for what in run):
        values = [run[what] for run in runs if what in run]
        is_text = isinstance(values[0], str)
        found[what] = ", ".join(dict.fromkeys(values)) if is_text else statistics.median(values)
    return found


def differing(base, new):
    """A list of {what, base, new} for two sides' circumstances; what only one of them knows is not said to differ."""
    # A GPU of which nothing is said was not throttled.
    throttled = dict.fromkeys((what for what in (*base, *new) if what.startswith("throttled")), "nothing")
    base, new = {**base, **throttled, **base}, {**new, **throttled, **new}
    both = [(what, base[what], new[what]) for what in base if what in new]
    return [
        {"what": what, "base": said(mine), "new": said(other)} for what, mine, other in both
        if (mine != other if isinstance(mine, str) else abs(other / mine - 1) > _CLOCKS_DIFFER)
    ]  # fmt: skip


def said(value):
    """A circumstance as text: clocks in MHz."""
    return value if isinstance(value, str) else f"{value:.0f} MHz"
