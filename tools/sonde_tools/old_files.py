"""What the files of older versions do not say of themselves: their words, curves and findings, as newer files have them.

Nothing here grows: what a file measures stands in its own `curve` and `finding-kind` records.
"""

# The word that an absent key of a series stands for, in old files and new ones.
DEFAULTS = {
    "path": "vector", "memory": "device", "order": "cycle", "method": "timing", "fabric": "idle", "beside": "nothing",
    "pattern": "read", "sharing": "shared", "side": "gpu", "writer": "cpu", "direction": "to-device",
    "counted": "total", "engine": "driver", "host": "pageable", "pages": "small", "bytes-counted": "program",
    "state": "asleep", "core": "performance", "exchange": "compare-and-swap", "line": "clean",
    "placement": "same-cluster", "role": "writer", "stores": "ordinary", "pinning": "compact", "type": "fp64",
    "operation": "fma", "chain": "parallel",
}  # fmt: skip

# probe | unit | words of the series | keys of further words | title | x | better | table: title | rows | columns
_CURVES = """
bandwidth | GB/s | path=image | memory, pattern, sharing | Read through the texture unit | bytes | higher | Bandwidth by other paths | bytes | path
bandwidth | GB/s | path=local | memory, pattern, sharing | Read from work-group memory | bytes | higher | Bandwidth by other paths | bytes | path
compute | Gop/s | | chain, operation, type | Rate | groups | higher | Arithmetic | type, operation | title
compute | Gop/s | | chain, operation, type, level, sharing | Rate by operations a byte | operations_per_byte | higher | Roofline | operations_per_byte | level
compute | ns | chain=dependent | operation, type | Latency of one operation | | lower | Arithmetic | type, operation | title
loaded-latency | ns | | path, memory | Latency | gpu_gbps | lower | Latency of a load beside what the rest of the device moves | bytes, gpu_gbps | title
loaded-latency | ns | | pattern, placement, stores | Latency | cpu_threads | lower | Latency of the CPU itself while other cores load | placement, pattern, bytes, cpu_threads, delay | title
loaded-latency | GB/s | | pattern, placement, stores | Bandwidth of the load | cpu_threads | higher | Latency of the CPU itself while other cores load | placement, pattern, bytes, cpu_threads, delay | title
hit-rate | ratio | order=independent | memory, writer, method, path | Hit rate of random loads | bytes | higher | Hit rate of the last cache before memory | bytes | memory, writer, method
hit-rate | ratio | path=buffer, sharing=private | memory, method, pattern | Hit rate of streams | bytes | higher | Hit rate of streams in the last cache, by counters | bytes | pattern
frames | ms | | | Time of a frame | height | lower | Frames | width, height | title
frames | bytes | | | Bytes of a frame | height | | Frames | width, height | title
frames | GB/s | | | Bandwidth of a frame | height | higher | Frames | width, height | title
contention | ns | beside=gpu-load, pattern=add, side=cpu | | Latency of the CPU | gpu_gbps | lower | Latency of the CPU while the GPU works | cpu_threads, gpu_gbps | title
contention | ratio | beside=gpu-load, pattern=add, side=cpu | | Over that with the GPU idle | load | lower | Latency of the CPU while the GPU works | cpu_threads, gpu_gbps | title
contention | ns | side=gpu | pattern | Latency of the GPU | cpu_threads | lower | What threads of the CPU cost the GPU | pattern, cpu_threads | title
contention | GB/s | side=gpu | pattern | Bandwidth of the GPU | cpu_threads | higher | What threads of the CPU cost the GPU | pattern, cpu_threads | title
cpu-latency | ns | placement=same-node | pages, state | Memory of the core's own node | from | lower | Latency from node to node | from | to
cpu-latency | ns | placement=other-node | pages, state | Memory of another node | from | lower | Latency from node to node | from | to
cpu-bandwidth | GB/s | pattern=read, pinning=compact | bytes-counted, stores | Bandwidth of reading | bytes | higher | Bandwidth of the CPU itself by working set | bytes | pattern, cpu_threads
cpu-bandwidth | GB/s | pattern=write, pinning=compact, stores=ordinary, bytes-counted=program | | Bandwidth of writing | bytes | higher | Bandwidth of the CPU itself by working set | bytes | pattern, cpu_threads
cpu-bandwidth | GB/s | pattern=triad, pinning=compact, stores=ordinary, bytes-counted=program | | Bandwidth of STREAM's triad | bytes | higher | Bandwidth of the CPU itself by working set | bytes | pattern, cpu_threads
cpu-bandwidth | GB/s | pinning=compact, bytes-counted=program | pattern, stores | Bandwidth of a stream | cpu_threads | higher | Bandwidth of the CPU itself in the largest working set | pattern | stores, cpu_threads
cpu-bandwidth | GB/s | pinning=spread | bytes-counted, pattern, stores | Bandwidth of spread threads | cpu_threads | higher | Bandwidth of the CPU itself in the largest working set, threads in turn over all nodes and clusters | cpu_threads | pattern, bytes-counted
cpu-bandwidth | GB/s | pinning=compact, bytes-counted=bus | pattern, stores | Bandwidth as the bus counts | bytes | higher | Bandwidth of the CPU itself in the largest working set, as the bus counts | pattern | stores, cpu_threads
cpu-bandwidth | GB/s | placement=same-node | bytes-counted, pattern, pinning | A node's own memory | from | higher | All cores of a node reading, from node to node | from | to
cpu-bandwidth | GB/s | placement=other-node | bytes-counted, pattern, pinning | Another node's memory | from | higher | All cores of a node reading, from node to node | from | to
core-to-core | ns | line=modified | beside, exchange, placement | Round trip of a cache line | from | lower | Round trip of a cache line from core to core | from | to
core-to-core | ns | sharing=private | exchange | Locked operation of a core that nobody disturbs | address | lower | Locked operations within a line and across two | title, bytes | address
core-to-core | ns | beside=split-locks, role=reader | | Load of a core while others lock | bytes | lower | Locked operations within a line and across two | title, bytes | address
core-to-core | ns | beside=nothing, role=reader | | Load of a core while nobody locks | bytes | lower | Locked operations within a line and across two | title, bytes | address
core-to-core | GB/s | beside=split-locks | pattern | Reading of a core while others lock | bytes | higher | Locked operations within a line and across two | title, bytes | address
core-to-core | GB/s | beside=nothing | pattern | Reading of a core while nobody locks | bytes | higher | Locked operations within a line and across two | title, bytes | address
"""

# probe | finding | heading | better | named by | compared | feature | per_clock
_FINDING_KINDS = """
latency | translation | Address translation
latency | apis-disagree | OpenCL and Vulkan disagree
latency | probes-disagree | Two probes disagree
latency | orders-disagree | Two orders of loads disagree
cpu-latency | translation | Address translation
cpu-latency | orders-disagree | Two orders of loads disagree
cpu-latency | node-latency | Latency from node to node | lower | placement | ratio | latency from node to node | 0
bandwidth | launch | Cost of a dispatch | lower | | ratio | launch cost | 1
bandwidth | saturated-by | What saturates the memory
bandwidth | suspicious | Suspicious value
loaded-latency | idle-latency | Latency without load | lower | | ratio | latency without load | 1
loaded-latency | full-load-latency | Latency under full load | lower | | ratio | latency under full load | 1
loaded-latency | one-core-load-latency | Latency beside one loading core | lower | | ratio | latency beside one loading core | 1
hit-rate | effective-capacity | What the last cache holds | higher | memory, method | ratio | effective capacity | 0
hit-rate | methods-differ | Counters against timing
hit-rate | none-seen | No cache before memory seen
hit-rate | contrast-too-small | Hits hardly faster than misses
host-memory | like-device-memory | As fast as device memory | lower | memory | word | host-memory latency | 0
host-memory | bypasses-last-level-cache | Bypasses the last-level cache | lower | memory | word | host-memory latency | 0
host-memory | across-the-bus | Across the bus | lower | memory | word | host-memory latency | 0
host-memory | slow-for-the-cpu | Slow for the CPU | higher | memory | ratio | CPU bandwidth | 0
host-memory | round-trip | Round trip between CPU and GPU | lower | | ratio | round trip | 0
zero-copy | zero-copy | Shared without a copy | lower | memory, direction | word | zero-copy | 0
zero-copy | copies | Copied, not shared | higher | memory, direction | word | zero-copy | 0
zero-copy | cache-maintenance | Cache maintenance | higher | memory, direction | word | zero-copy | 0
zero-copy | migrates | Pages migrate | lower | memory, direction | word | zero-copy | 0
zero-copy | unclear | Unclear | | memory, direction | word | zero-copy | 0
zero-copy | unsupported | Not supported | | memory, direction | word | zero-copy | 0
copy | latency | Latency of a copy | lower | engine, host, direction | ratio | copy latency | 0
copy | bandwidth | Bandwidth of a copy | higher | engine, host, direction | ratio | copy bandwidth | 0
copy | engines | Copy engines | higher | engine | ratio | copy engines | 0
copy | overlaps-compute | Copies while computing | higher | engine, host, direction
contention | idle-latency | Latency without load | lower | | ratio | CPU latency without load | 0
contention | full-load-latency | Latency under full load | lower | | ratio | CPU latency under full load | 0
contention | load-for-10-percent | Load that adds 10 % to the latency
contention | load-for-50-percent | Load that adds 50 % to the latency
contention | cpu-loss | What the CPU loses | lower | | difference | CPU loss | 0
contention | gpu-loss | What the GPU loses | lower | | difference | GPU loss | 0
compute | peak | Fastest arithmetic | higher | type, operation | ratio | arithmetic rate | -1
compute | half-rate | Halves are not twice as fast
compute | sustained | Arithmetic without a pause
compute | ridge | Operations a byte until arithmetic is the limit | | level
compute | suspicious | Suspicious value
cpu-bandwidth | saturated-by | What saturates the memory
cpu-bandwidth | non-temporal-gain | What non-temporal stores gain | higher | pattern | ratio | gain of non-temporal stores | 0
cpu-bandwidth | node-bandwidth | Bandwidth from node to node | higher | placement | ratio | bandwidth from node to node | 0
cpu-bandwidth | nodes-crossing | All nodes reading from the next one | higher | | ratio | all nodes crossing | 0
core-to-core | exchange-latency | Round trip between cores | lower | exchange, placement, beside | ratio | round trip between cores | 0
core-to-core | held-line-latency | Loading what another core holds | lower | line, placement | ratio | held line's latency | 0
core-to-core | queue-rate | A queue from core to core | higher | role, placement | ratio | queue between cores | 0
core-to-core | copy-rate | A copy from core to core, by way of memory | higher | role, placement | ratio | copy between cores | 0
core-to-core | split-lock-latency | A locked operation across two lines
core-to-core | split-lock-loss | What split locks take from another core
"""


def _rows(text, columns):
    for line in text.strip().splitlines():
        fields = [field.strip() for field in line.split("|")]
        yield fields + [""] * (columns - len(fields))


def keys(text):
    """The keys of a list with ", " between them."""
    return [key for key in text.split(", ") if key]


def curves():
    """A pair for each curve that belongs in a table: its `curve` record, and the keys of further words that it may have."""
    for probe, unit, words, varies, title, x, better, table, rows, columns in _rows(_CURVES, 10):
        series = dict(word.split("=") for word in keys(words))
        yield (
            {"probe": probe, "unit": unit, "series": series, "title": title, "x": x, "better": better or None,
             "per_clock": 0, "table": {"title": table, "rows": rows, "columns": columns}},
            set(keys(varies)),
        )  # fmt: skip


def finding_kinds():
    """The `finding-kind` record of each kind."""
    for probe, finding, heading, better, named_by, compared, feature, per_clock in _rows(_FINDING_KINDS, 8):
        kind = {
            "probe": probe,
            "finding": finding,
            "heading": heading,
            "better": better or None,
            "named_by": keys(named_by),
        }
        if compared:
            kind |= {"compared": compared, "feature": feature, "per_clock": int(per_clock)}
        yield kind


def _beside(probe, fabric, x):
    """The word of `beside` for what `fabric` meant in a probe, or None where it means the same still."""
    if probe in ("latency", "host-memory"):
        return None
    if fabric == "idle":
        return "nothing"
    if probe == "core-to-core":
        return "split-locks" if "address" in x else "pairs"
    return {"copy": "kernel", "contention": "gpu-load"}.get(probe)


def renamed(series, probe, x):
    """The series of a record (object) with the words of today: `fabric` became `beside`."""
    word = "fabric" in series and _beside(probe, series["fabric"], x)
    return {**{key: each for key, each in series.items() if key != "fabric"}, "beside": word} if word else series
