// Vega and the pictures come packed, as they would be most of the page; Vega is not unpacked before a picture is drawn.
let report, library;
async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function run(id) {
  const script = document.createElement("script");
  script.textContent = await unpacked(id);
  document.head.append(script);
}

// A line of a picture is [name, dashed, piece, barred, number of a curve]; each of its points becomes a row.
function rows([series, dashed, piece, barred, curve]) {
  const columns = Object.entries(report.curves[curve]);
  return columns[0][1].map((_, index) => {
    const row = {series, dashed, piece, barred};
    for (const [name, values] of columns) if (values[index] !== null) row[name] = values[index];
    return row;
  });
}

// A picture without lines has its points in its layers, beside shorter lists of rules and names.
function pointsOf({lines, ...specification}) {
  if (lines.length) return lines.flatMap(rows);
  const found = [[]];
  JSON.stringify(specification, (name, each) => {
    if (name === "data" && Array.isArray(each?.values)) found.push(each.values);
    return each;
  });
  return found.reduce((longest, each) => each.length > longest.length ? each : longest);
}

// A picture's points as the lines of a CSV file; no spreadsheet takes a name from a file for a formula.
function table(points) {
  const columns = [...new Set(points.flatMap(Object.keys))].filter((each) => !["dashed", "piece", "barred"].includes(each));
  const cell = (value) => {
    if (typeof value !== "string") return value ?? "";
    const text = /^[=+@-]/.test(value) ? `'${value}` : value;
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...points.map((point) => columns.map((each) => point[each]))].map((row) => row.map(cell).join() + "\n");
}

// The table is made once somebody wants it.
function offerTable(place) {
  const link = Object.assign(document.createElement("a"), {textContent: "Save as CSV", download: `${place.id}.csv`, href: "#"});
  link.addEventListener("click", () => {
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob(table(pointsOf(report.charts[place.id])), {type: "text/csv"}));
  });
  place.querySelector(".vega-actions").append(link);
}

async function draw(place) {
  if (place.dataset.state) return;
  place.dataset.state = "drawing";
  await (library ??= run("library"));
  const {lines, ...specification} = report.charts[place.id];
  for (const panel of specification.vconcat ?? []) panel.width = place.clientWidth - 100;
  if (lines.length) specification.data = {values: lines.flatMap(rows)};
  // Names at the ends of curves stand beside a plot that is wide, within one that is narrow.
  const outside = specification.params?.find((each) => each.name === "names_outside");
  if (outside) outside.value = place.clientWidth > Math.max(600, 5 * specification.usermeta.names_at_ends_pixels);
  // Names that do not fit beside each other go below each other; the axis and the menu button take about 110 pixels.
  const columns = Math.floor((place.clientWidth - 110) / specification.usermeta.legend_name_pixels);
  specification.config.legend.columns = Math.max(1, columns);
  specification.config.legend.labelLimit = Math.max(120, place.clientWidth - 85);
  if (place.clientWidth < 500) {
    specification.config.legend.labelFontSize = 12;
    // Of two legends the second stands below the first.
    specification.config.legend.layout = {top: {direction: "vertical", anchor: "start"}};
  }
  const actions = {export: true, source: false, compiled: false, editor: false};
  await vegaEmbed(place, specification, {renderer: "svg", actions});
  offerTable(place);
  place.dataset.state = "drawn";
}

// What is near the screen is drawn first, the rest while nothing else is to be done. What is folded away has no width
// yet: it is drawn when it is opened.
const isFolded = (place) => place.closest("details:not([open])");
const places = [...document.querySelectorAll(".chart")];
const whenIdle = window.requestIdleCallback ?? ((action) => setTimeout(action, 50));
async function drawNext() {
  const next = places.find((place) => !place.dataset.state && !isFolded(place));
  if (!next) return;
  await draw(next);
  whenIdle(drawNext);
}
async function begin() {
  report = JSON.parse(await unpacked("report-data"));
  const near = new IntersectionObserver(
    (seen) => seen.filter((each) => each.isIntersecting).forEach((each) => draw(each.target)), {rootMargin: "400px"});
  places.forEach((place) => near.observe(place));
  // Panels know their width in pixels only.
  addEventListener("resize", () => {
    for (const place of places) if (report.charts[place.id].vconcat) delete place.dataset.state;
    drawNext();
  });
  document.querySelectorAll("details").forEach((each) => each.addEventListener("toggle", drawNext));
  whenIdle(drawNext);
}
// Paper has everything, and what was folded is folded again behind it.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const each of opened) each.open = true;
});
addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
begin();
