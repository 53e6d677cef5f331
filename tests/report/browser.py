"""Opens pages in headless Chromium, and says what a reader would see of them."""

import json
import shutil
import time

import pytest

MOST_SECONDS = 300  # for drawing on a machine that is busy with other things

# The last element that a page is wider than the screen by, and what only says so within a box of its own.
WIDER = """
const inBox = (e) => { for (let p = e.parentElement; p; p = p.parentElement)
  if (getComputedStyle(p).overflowX !== "visible" && p !== document.documentElement && p !== document.body) return true;
  return false; };
return [...document.querySelectorAll("body *")]
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5 && !inBox(e)).map((e) => e.tagName + "." + e.className)
"""
UNDRAWN = """
return [...document.querySelectorAll(".chart")].filter((p) => p.dataset.state !== "drawn").map((p) => p.id)
"""


def opened():
    """A headless Chromium (selenium's driver); skips the test where there is none."""
    programs = [shutil.which("chromium"), shutil.which("chromedriver")]
    if None in programs:
        pytest.skip("no chromium and chromedriver (tools/setup test installs them on Debian)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing (tools/setup test installs it)")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))


def hover(driver, element):
    """Moves the pointer onto an element."""
    from selenium.webdriver import ActionChains

    ActionChains(driver).move_to_element(element).perform()


class Page:
    """A page that is shown so wide (pixels) and in a colour scheme, everything folded open and drawn."""

    def __init__(self, browser, path, width, scheme):
        self.browser = browser
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(path.as_uri())
        self.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.undrawn = self._drawn()
        self.said = [entry["message"] for entry in browser.get_log("browser")]
        messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        self.requests = [each["request"]["url"] for each in asked if each["request"]["url"] != path.as_uri()]

    def _drawn(self):
        deadline = time.monotonic() + MOST_SECONDS
        while (left := self.run(UNDRAWN)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def run(self, script, *arguments):
        """What a script returns."""
        return self.browser.execute_script(script, *arguments)

    @property
    def wider(self):
        """Elements that stick out of the page without a box that scrolls."""
        return self.run(WIDER)

    def colour(self, selector, name):
        """The colour (red, green, blue) that the first match has for a property of its style."""
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        text = self.run(script, selector, name)
        return tuple(float(number) for number in text[text.index("(") + 1 : -1].split(",")[:3])


def contrast(one, other):
    """The contrast ratio of two colours, as the Web Content Accessibility Guidelines define it."""

    def luminance(colour):
        parts = [value / 255 for value in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# What is read in pictures and beside them: text, its box, its colour and the colour behind it. The pale word behind the
# curves of a simulated device and a text's own outline are not read.
TEXTS = """
const ground = (e) => { for (let p = e; p; p = p.parentElement) {
  const colour = getComputedStyle(p).backgroundColor;
  if (!colour.endsWith(", 0)") && colour !== "transparent") return colour; }
  return "rgb(255, 255, 255)"; };
const own = (e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent).join("").trim();
const seen = [];
for (const e of document.querySelectorAll(arguments[0])) {
  const style = getComputedStyle(e), box = e.getBoundingClientRect(), text = own(e);
  const isSvg = e instanceof SVGElement;
  const faint = Number(style.opacity) * Number(isSvg ? style.fillOpacity : 1) < 0.3 || style.visibility === "hidden";
  if (!text || faint || !box.width || !box.height || (isSvg && style.stroke !== "none")) continue;
  if (["SCRIPT", "STYLE", "NOSCRIPT", "TITLE"].includes(e.tagName)) continue;
  const fill = isSvg ? style.fill : style.color;
  seen.push({text, box: [box.left, box.top, box.right, box.bottom], fill, ground: ground(e),
             chart: e.closest(".chart")?.id ?? ""});
}
return seen;
"""


def texts(page, selector):
    """What a reader reads in the elements of a selector: text, box (left, top, right, bottom), fill, ground, chart."""
    return page.run(TEXTS, selector)


def overlapping(found):
    """Pairs of texts of one picture whose boxes meet by more than two pixels both ways."""
    by_chart = {}
    for one in found:
        by_chart.setdefault(one["chart"], []).append(one)
    return [
        (chart, one["text"], other["text"])
        for chart, own in by_chart.items()
        for index, one in enumerate(own)
        for other in own[:index]
        if _meet(one["box"], other["box"])
    ]


def _meet(one, other):
    return all(min(one[end], other[end]) - max(one[start], other[start]) > 2 for start, end in ((0, 2), (1, 3)))


def too_faint(found, least=4.5):
    """(text, contrast) of texts that stand out less from what is behind them."""
    ratios = ((one, contrast(_numbers(one["fill"]), _numbers(one["ground"]))) for one in found)
    return [(one["text"], one["chart"], one["fill"], round(ratio, 2)) for one, ratio in ratios if ratio < least]


def _numbers(colour):
    return tuple(float(number) for number in colour[colour.index("(") + 1 : -1].split(",")[:3])
