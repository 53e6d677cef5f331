"""A page as a reader's browser shows it: everything drawn, nothing asked of a network, nothing wider than the screen."""

import csv
import io
import statistics

import browser
import pytest
import synthetic
from sonde_tools.report import main

OUTSIDE = """return [...document.querySelectorAll(".chart svg text")].filter((text) => {
  const [own, all] = [text, text.ownerSVGElement].map((e) => e.getBoundingClientRect());
  return text.textContent && (own.left < all.left - 1 || own.right > all.right + 1); }).map((e) => e.textContent + " in " + e.closest(".chart").id)"""
SHOWN = [(1400, "light"), (1400, "dark"), (400, "light"), (400, "dark")]


@pytest.fixture(scope="module")
def chromium():
    driver = browser.opened()
    yield driver
    driver.quit()


def many_records(number):
    """A run with every kind of picture: levels, other orders and paths, bandwidth, copies, contention, findings."""
    device = f"gpu-{number}"
    driver = {"platform": "p", "driver": "radeonsi, a driver of a long name", "driver_version": f"{number}.1"}
    name = f"Radeon RX {7000 + number} XTX with a long name"
    lines = synthetic.full_records(seed=number)[:-3]
    lines = [{**line, **({"device": device} if "device" in line else {})} for line in lines]
    lines[1] = synthetic.device_record(device=device, name=name, type="discrete", opencl=driver, vulkan=driver)

    def samples(probe, unit, x=None, **series):
        found = synthetic.sample_records("opencl", number, device, every=4, factor=1 + number / 10, series=series)
        return [{**each, "probe": probe, "unit": unit, "x": {**each["x"], **(x or {})}} for each in found]

    lines += samples("latency", "ns", path="scalar")
    for pattern in ("read", "write", "triad"):
        lines += samples("bandwidth", "GB/s", pattern=pattern, path="buffer", sharing="shared")
    for kind in ("device", "alloc-host-ptr", "host-visible+host-coherent+host-cached"):
        lines += samples("host-memory", "ns", memory=kind, side="gpu")
        lines.append(synthetic.finding_record(
            "zero-copy", device=device, probe="zero-copy", series={"memory": kind, "direction": "to-device"}, unit="us"))  # fmt: skip
    for direction in ("to-device", "to-host"):
        lines += samples("copy", "GB/s", engine="driver", host="pinned", direction=direction)
    windows = samples("contention", "ns", side="cpu", beside="gpu-load", pattern="add")
    for load, sample in enumerate(windows):
        sample["x"] = {"load": load / len(windows), "cpu_threads": 0, "gpu_gbps": 10 * load}
    return [*lines, *windows]


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """The page of one file."""
    return made(tmp_path_factory.mktemp("one"), [many_records(1)])


@pytest.fixture(scope="module")
def twelve(tmp_path_factory):
    """The page of twelve devices, one of them simulated, with pictures of them together."""
    files = []
    for number in range(1, 12):
        name = f"Radeon RX {7000 + number} XTX with a long name"
        device = synthetic.device_record(device=f"gpu-{number}", name=name, type="discrete")
        walk = synthetic.sample_records("opencl", number, f"gpu-{number}", every=4, factor=1 + number / 10)
        files.append([synthetic.run_record(), device, *walk])
    model = synthetic.device_record(device="model:x", name="x", type="model", opencl=None, vulkan=None)
    files.append([synthetic.run_record(), model, *synthetic.sample_records("model", 1, "model:x", factor=3)])
    return made(tmp_path_factory.mktemp("twelve"), files, "--together")


def made(folder, files, *options):
    paths = [synthetic.write(folder / f"run-{number}.jsonl", lines) for number, lines in enumerate(files)]
    page = folder / "page.html"
    assert main([*map(str, paths), "-o", str(page), *options]) == 0
    return page


@pytest.mark.parametrize(("width", "scheme"), SHOWN)
def test_everything_is_drawn_and_nothing_is_wider_than_the_screen(chromium, one, width, scheme):
    page = browser.Page(chromium, one, width, scheme)
    assert page.undrawn == [] and page.said == [] and page.requests == []
    assert (
        page.wider == [] and page.run("const e = document.documentElement; return e.scrollWidth - e.clientWidth") == 0
    )
    drawn = "return [...document.querySelectorAll('.chart')].map((e) => e.querySelectorAll('svg path').length)"
    assert len(page.run(drawn)) == 8 and min(page.run(drawn)) > 15
    # A legend or an axis that did not fit would be cut at the picture's edge.
    assert page.run(OUTSIDE) == []


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_twelve_devices_together(chromium, twelve, width, scheme):
    page = browser.Page(chromium, twelve, width, scheme)
    assert page.undrawn == [] and page.said == [] and page.requests == [] and page.wider == []
    legend = page.run("""return [...document.querySelectorAll("#latency-together .role-legend-label text")].map((e) => {
      const box = e.getBoundingClientRect(); return [e.textContent, box.left, box.top, box.right, box.bottom]; })""")
    assert len({text for text, *_ in legend}) == 12 and all("…" not in text for text, *_ in legend)
    for index, (_, left, top, right, bottom) in enumerate(legend):
        for _, others_left, others_top, others_right, others_bottom in legend[:index]:
            apart = left >= others_right or right <= others_left
            assert apart or top >= others_bottom - 3 or bottom <= others_top + 3
    words = page.run("return [...document.querySelectorAll('#latency-together text')].map((e) => e.textContent)")
    assert "partly simulated" in words

    ground = page.colour("figure", "backgroundColor")
    assert (sum(ground) > 700) == (scheme == "light")
    for selector in (".role-axis-label text", ".role-axis-title text", ".role-legend-label text"):
        assert browser.contrast(page.colour(selector, "fill"), ground) >= 4.5, selector
    strokes = page.run("""return [...document.querySelectorAll("#latency-together .mark-line path")]
      .map((e) => getComputedStyle(e).stroke)""")
    assert len(set(strokes)) == 12
    # The picture's own ground lets that of the page through.
    assert (
        page.run("return getComputedStyle(document.querySelector('.chart svg')).backgroundColor") == "rgba(0, 0, 0, 0)"
    )


@pytest.mark.parametrize(("width", "scheme"), SHOWN)
def test_traffic_of_two_files_without_a_device(chromium, tmp_path, width, scheme):
    # Files of one name, whose runs are called by their paths.
    paths = [tmp_path / "a-folder-of-a-long-name" / rate / "run.jsonl" for rate in ("0.7", "0.2")]
    for path in paths:
        path.parent.mkdir(parents=True)
        synthetic.write(path, synthetic.watch_records(served=float(path.parent.name), count=1500))
    out = tmp_path / "page.html"
    assert main([*map(str, paths), "-o", str(out)]) == 0
    page = browser.Page(chromium, out, width, scheme)
    assert page.undrawn == [] and page.said == [] and page.requests == [] and page.wider == []
    drawn = "return [...document.querySelectorAll('.chart')].map((e) => e.querySelectorAll('svg path').length)"
    assert len(page.run(drawn)) == 5 and min(page.run(drawn)) > 15
    # A legend or an axis that did not fit would be cut at the picture's edge.
    assert page.run(OUTSIDE) == []
    point = chromium.find_elements("css selector", "[id^='traffic-'] .hovered_rates_marks path")[100]
    page.run("arguments[0].scrollIntoView({block: 'center'})", point)
    browser.hover(chromium, point)
    said = page.run("return document.querySelector('#vg-tooltip-element')?.textContent ?? ''")
    assert "hit rate" in said and " s" in said and "%" in said and "NaN" not in said


def test_hovering_says_what_was_measured(chromium, one):
    page = browser.Page(chromium, one, 1400, "light")
    point = chromium.find_element("css selector", "#latency-gpu-1 .hovered_marks path")
    page.run("arguments[0].scrollIntoView({block: 'center'})", point)
    browser.hover(chromium, point)
    found = page.run("return document.querySelector('#vg-tooltip-element')?.textContent ?? ''")
    assert "1 KiB" in found and "median, ns1.5" in found and "CPU taken by others" in found


def test_on_paper_everything_is_light_and_nothing_scrolls(chromium, one):
    page = browser.Page(chromium, one, 1400, "dark")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})  # fmt: skip
    assert sum(page.colour("body", "backgroundColor")) == 3 * 255
    assert browser.contrast(page.colour("body", "color"), (255, 255, 255)) > 10
    scrolled = "return [...document.querySelectorAll('.scroll')].map((e) => getComputedStyle(e).overflowX)"
    assert set(page.run(scrolled)) == {"visible"}
    printed = page.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(printed["data"]) > 50_000


def test_a_file_with_no_more_than_must_be_there_is_drawn(chromium, tmp_path):
    run = {"record": "run", "schema": 1}
    device = {"record": "device", "device": "gpu", "name": "gpu", "type": "discrete"}
    needed = ("record", "device", "api", "probe", "series", "x", "unit", "values")
    samples = [{name: each[name] for name in needed} for each in synthetic.sample_records("opencl", 1, "gpu")]
    page = browser.Page(chromium, made(tmp_path, [[run, device, *samples]]), 400, "dark")
    assert page.undrawn == [] and page.said == [] and page.wider == []


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, program, root):
    """Pages of recorded and simulated devices, and of two devices together, by name."""
    folder = tmp_path_factory.mktemp("recorded")
    files = {name: [root / f"tests/data/first_screen/{name}.jsonl"] for name in ("cpu", "h100", "strix-halo")}
    files["together"] = [*files["h100"], *files["strix-halo"]]
    for name, paths in files.items():
        options = ["--together"] if name == "together" else []
        assert main([*map(str, paths), "-o", str(folder / f"{name}.html"), *options]) == 0
    return folder


@pytest.mark.parametrize("name", ["cpu", "h100", "strix-halo", "together"])
@pytest.mark.parametrize("width", [1280, 800, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_label_is_read(chromium, recorded, name, width, scheme):
    page = browser.Page(chromium, recorded / f"{name}.html", width, scheme)
    assert page.undrawn == [] and page.said == [] and page.wider == []
    assert page.run("const e = document.documentElement; return e.scrollWidth - e.clientWidth") == 0
    labels = browser.texts(page, ".chart svg text")
    assert len(labels) > 60
    assert browser.overlapping(labels) == []
    assert page.run(OUTSIDE) == []
    assert browser.too_faint([*labels, *browser.texts(page, "body :not(svg, svg *)")]) == []
    beyond = [one["text"] for one in labels if one["box"][0] < -1 or one["box"][2] > width + 1]
    assert beyond == []


def test_a_browser_tells_what_overlaps_and_what_is_faint():
    one, other = ({"text": text, "chart": "c", "box": box, "fill": "rgb(140, 140, 140)", "ground": "rgb(255, 255, 255)"}
                  for text, box in (("a", [0, 0, 20, 10]), ("b", [15, 5, 30, 15])))  # fmt: skip
    assert browser.overlapping([one, other]) == [("c", "b", "a")]
    assert browser.overlapping([one, {**other, "chart": "d"}, {**other, "box": [18, 0, 30, 10]}]) == []
    assert len(browser.too_faint([one, other])) == 2


def test_a_pictures_points_are_saved_as_a_table(chromium, one):
    page = browser.Page(chromium, one, 1400, "light")
    links = page.run("""return [...document.querySelectorAll(".chart .vega-actions a[download$=csv]")]
      .map((each) => { each.addEventListener("click", (click) => click.preventDefault()); each.click();
                       return [each.textContent, each.download, each.href.slice(0, 5)]; })""")
    texts = page.run("return places.map((place) => [place.id, table(pointsOf(report.charts[place.id])).join('')])")
    assert links == [["Save as CSV", f"{place}.csv", "blob:"] for place, _ in texts]
    tables = {place: list(csv.DictReader(io.StringIO(text))) for place, text in texts}
    assert all(len(rows) > 1 for rows in tables.values()), {place: len(rows) for place, rows in tables.items()}
    saved = [(float(row["bytes"]), float(row["median"])) for row in tables["latency-paths-gpu-1"]]
    scalar = [
        (each["x"]["bytes"], pytest.approx(statistics.median(each["values"]), rel=1e-4))
        for each in many_records(1)
        if each["record"] == "sample" and each["series"] == {"path": "scalar"} and each["probe"] == "latency"
    ]
    assert len(scalar) > 3 and all(each in saved for each in scalar)


def test_a_name_from_a_file_is_no_formula_in_a_saved_table(chromium, one):
    page = browser.Page(chromium, one, 1400, "light")
    assert page.run("""return table([{a: "=1+1", dashed: 1}, {a: 'say "a, b"', b: -1.5}]).join("")""") == (
        """a,b\n'=1+1,\n"say ""a, b""\",-1.5\n"""
    )
