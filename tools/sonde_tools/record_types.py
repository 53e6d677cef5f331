"""The records of docs/records.md as types that the decoder holds every file to: what is behind it may trust its input.

Fields that no type names pass and are left out; so do kinds of record that nobody here knows. docs/records.schema.json is
made from these types (schema.py). What `_said` lists is what this version writes; other words are read too.
"""

from typing import Annotated, Literal, Required, TypedDict

from msgspec import Meta

# The largest whole number that any reader of JSON holds; the numbers in a file are nanoseconds, bytes, shares.
_LARGEST = 2**63 - 1
_LARGEST_FLOAT = 1e300

Name = Annotated[str, Meta(min_length=1, max_length=1000)]
Text = Annotated[str, Meta(max_length=100_000)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST)]
Number = Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)] | Annotated[float, Meta(ge=-_LARGEST_FLOAT, le=_LARGEST_FLOAT)]
NotNegative = Annotated[int, Meta(ge=0, le=_LARGEST)] | Annotated[float, Meta(ge=0, le=_LARGEST_FLOAT)]
Positive = Annotated[int, Meta(gt=0, le=_LARGEST)] | Annotated[float, Meta(gt=0, le=_LARGEST_FLOAT)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]
Sign = Annotated[int, Meta(ge=-1, le=1)]
Series = Annotated[dict[Name, Name], Meta(max_length=50)]
Numbers = Annotated[dict[Name, Number], Meta(max_length=50)]


def _said(*words):
    return Annotated[Name, Meta(extra_json_schema={"enum": list(words)})]


Api = _said("opencl", "vulkan", "cpu", "model")
Unit = _said("ns", "us", "ms", "cycles", "GB/s", "Gop/s", "bytes", "ratio", "operations/byte")
Better = _said("higher", "lower")
Time = Annotated[Text, Meta(extra_json_schema={"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$"})]
LevelName = Annotated[Name, Meta(extra_json_schema={"pattern": r"^(level [1-9]\d*|memory|beyond)$"})]


class Host(TypedDict, total=False):
    """Where a run was made."""

    name: Text | None
    os: Text | None
    kernel: Text | None
    cpu: Text | None
    cores: Count | None
    memory_bytes: Count | None
    virtualised: bool | None


class Run(TypedDict, total=False):
    """The first record of a file."""

    record: Required[Literal["run"]]
    schema: int | None
    run: Text
    time: Time
    version: Text
    commit: Text | None
    command: Annotated[list[Text], Meta(max_length=10_000)] | None
    seed: Annotated[int, Meta(ge=0)] | None
    effort: _said("quick", "normal", "thorough")
    host: Host | None


class Driver(TypedDict, total=False):
    """What one API says of a device."""

    platform: Text | None
    driver: Text | None
    driver_version: Text | None
    api_version: Text | None


class StatedCache(TypedDict, total=False):
    """A cache that the system or a driver names."""

    level: Count | None
    bytes: Required[Count]
    source: Required[Text]


class Device(TypedDict, total=False):
    """A device that was measured."""

    record: Required[Literal["device"]]
    device: Required[Name]
    name: Required[Name]
    type: Required[_said("discrete", "integrated", "cpu", "model")]
    uuid: Text | None
    pci: Text | None
    compute_units: Count | None
    memory_bytes: Count | None
    unified_memory: bool | None
    line_bytes: Count | None
    stated_caches: Annotated[list[StatedCache], Meta(max_length=100)] | None
    opencl: Driver | None
    vulkan: Driver | None


class State(TypedDict, total=False):
    """What was around a sample."""

    foreign_cpu: Share | None
    steal: Share | None
    interrupted: Share | None
    smt_interference: Share | None
    disturbed: bool | None
    attempts: Count | None
    clock_settled: bool | None
    laps_settling: NotNegative | None
    shape: Numbers | None
    steps: Count | None
    launch_ns: NotNegative | None
    drift: Number | None
    instruction: Text | None
    involuntary_switches: Count | None
    clock_mhz: Positive | None
    clock_source: _said("shader-clock", "arithmetic-chain") | None
    gpu_clock_mhz: NotNegative | None
    memory_peak_gbps: Positive | None
    memory_clock_mhz: NotNegative | None
    temperature_celsius: Number | None
    power_watts: NotNegative | None
    throttle_reasons: Annotated[list[_said("power", "temperature", "current", "other")], Meta(max_length=100)] | None
    cpu_clock_mhz: NotNegative | None


class Interval(TypedDict):
    """A value of either sign and the interval that another run finds it in."""

    low: Number
    value: Number
    high: Number


class Sample(TypedDict, total=False):
    """The repetitions of one point."""

    record: Required[Literal["sample"]]
    device: Required[Name]
    api: Required[Api]
    probe: Required[Name]
    series: Required[Series]
    x: Required[Numbers]
    unit: Required[Unit]
    values: Required[Annotated[list[Number], Meta(min_length=1, max_length=10_000_000)]]
    interval: Interval | None
    state: State | None
    t: NotNegative | None


class TableOfCurves(TypedDict):
    """The table that a curve belongs in: keys of series or x, ", " between them, or "title"."""

    title: Text
    rows: Text
    columns: Text


class Curve(TypedDict, total=False):
    """What one curve is, before its first sample."""

    record: Required[Literal["curve"]]
    curve: Required[Name]
    probe: Required[Name]
    series: Required[Series]
    unit: Required[Unit]
    title: Required[Text]
    x: Required[Text]
    better: Better | None
    per_clock: Sign | None
    table: TableOfCurves | None


class Band(TypedDict):
    """A value and the interval that holds it."""

    low: NotNegative
    value: Positive
    high: NotNegative


class Transition(TypedDict, total=False):
    """Bytes where a curve begins to leave a level, and where it has left it."""

    onset: Positive | None
    end: Positive | None


class Level(TypedDict, total=False):
    """A level of a memory hierarchy."""

    record: Required[Literal["level"]]
    device: Required[Name]
    api: Required[Api]
    probe: Required[Name]
    series: Required[Series]
    level: Required[Annotated[int, Meta(ge=1, le=1000)]]
    name: LevelName | None
    or_translation: bool | None
    matches: Annotated[int, Meta(ge=1, le=1000)] | None
    bytes: Band | None
    transition: Transition | None
    latency_ns: Band | None
    cycles: Band | None
    bandwidth: Band | None


class FindingKind(TypedDict, total=False):
    """What a fixed word of findings means, before the first finding of that kind."""

    record: Required[Literal["finding-kind"]]
    probe: Required[Name]
    finding: Required[Name]
    heading: Required[Name]
    meaning: Text | None
    better: Better | None
    named_by: Annotated[list[Name], Meta(max_length=50)] | None
    feature: Name | None
    compared: _said("ratio", "difference", "word") | None
    per_clock: Sign | None


class Finding(TypedDict, total=False):
    """A conclusion with its evidence."""

    record: Required[Literal["finding"]]
    device: Required[Name]
    finding: Required[Name]
    evidence: Required[Annotated[str, Meta(min_length=1, max_length=100_000)]]
    api: Api | None
    probe: Name | None
    series: Series | None
    value: Number | None
    low: Number | None
    high: Number | None
    unit: Unit | None
    details: Numbers | None


class Counter(TypedDict, total=False):
    """What counters counted in an interval: bytes, null where unknown."""

    record: Required[Literal["counter"]]
    source: Required[Name]
    t: Required[NotNegative]
    dt: Required[Positive]
    fabric_read: NotNegative | None
    fabric_write: NotNegative | None
    memory_read: NotNegative | None
    memory_write: NotNegative | None
    gpu_read: NotNegative | None
    gpu_write: NotNegative | None
    cpu_read: NotNegative | None
    cpu_write: NotNegative | None
    cpu_latency_ns: NotNegative | None
    hit_rate: Number | None  # of either side of 0 and 1: what is beyond them is evidence too
    beat_bytes: Positive | None
    scale: Positive | None
    scaled: bool | None
    baseline: bool | None
    state: State | None
    # Of a run: beside which point it was counted, and for how many bytes that its kernel asked for.
    device: Name | None
    api: Api | None
    probe: Name | None
    series: Series | None
    x: Numbers | None
    moved_bytes: NotNegative | None
    fabric_per_byte: Number | None
    memory_per_byte: Number | None


class Reason(TypedDict, total=False):
    """What was not measured, and why: a skip or an error."""

    record: Required[Literal["skip", "error"]]
    reason: Required[Annotated[str, Meta(min_length=1, max_length=100_000)]]
    device: Name | None
    api: Api | None
    probe: Name | None
    series: Series | None
    x: Numbers | None


class End(TypedDict, total=False):
    """The last record."""

    record: Required[Literal["end"]]
    status: Required[_said("complete", "interrupted", "failed")]
    seconds: NotNegative | None
    samples: Count | None
    skips: Count | None
    errors: Count | None
