"use strict";
// Draws the charts and moves the point of the trade-off. All numbers come with the page.
const page = JSON.parse(document.getElementById("data").textContent);
const ink = "currentColor";
// Colours follow the page's text, in the light, in the dark and on paper.
const narrow = innerWidth < 600;
const config = {
  background: null,
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: ink, titleColor: ink, tickColor: ink, domainColor: ink, gridColor: ink,
    gridOpacity: 0.12, domainOpacity: 0.4, tickOpacity: 0.4, labelFontSize: 12, titleFontSize: 12,
    titleFontWeight: "normal",
  },
  axisY: { labelLimit: narrow ? 150 : 240, labelFontSize: narrow ? 11 : 12 },
  legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12 },
  header: {
    labelColor: ink, titleColor: ink, labelFontSize: 13, labelFontWeight: "bold",
    labelLimit: narrow ? 180 : 260,
  },
  text: { color: ink },
  rule: { color: ink },
};
if (narrow) {
  // Fewer names have room in the trade-off.
  for (const methods of [page.charts.tradeoff?.datasets.methods, ...page.tradeoffs.map((line) => line.methods)]) {
    methods?.forEach((method) => { method.text = method.narrow; });
  }
}
const options = { ast: true, actions: false, renderer: "svg", config, logLevel: 1 };

async function draw(name, spec) {
  if (narrow && spec.columns) {
    spec.columns = 1;
    if (typeof spec.spec.width === "number") {
      spec.spec.width = Math.min(spec.spec.width, innerWidth - 200);  // Names stand beside it.
    }
  }
  const result = await vegaEmbed(document.getElementById(name), spec, options);
  return result.view;
}

function format(value, digits) {
  return value === null ? "undefined" : value.toFixed(digits);
}

function cell(row, text, small) {
  const found = row.insertCell();
  found.textContent = text;
  if (!row.cells[1]) {
    found.className = "name";
  }
  if (small) {
    const more = document.createElement("small");
    more.textContent = small;
    found.append(more);
  }
}

function startTradeoffSlider(view) {
  const lines = page.tradeoffs;
  const pick = document.getElementById("pair");
  const slider = document.getElementById("tradeoff-slider");
  const command = document.getElementById("mix-command");
  let line = lines[0];

  function show() {
    const point = line.points[Number(slider.value)];
    view.data("chosen", [point]).run();
    const rows = document.getElementById("chosen-aucs");
    rows.replaceChildren();
    page.names.forEach((name, k) => {
      const row = rows.insertRow();
      cell(row, name);
      cell(row, `${Math.round(100 * point.pull[k])}%`);
      const bounds = point.low[k] === null ? "" : `${format(point.low[k], 3)} to ${format(point.high[k], 3)}`;
      cell(row, format(point.aucs[k], 3), bounds);
    });
    document.getElementById("chosen-conflict").textContent = point.conflict === null
      ? "These labels are never in conflict."
      : `Where they disagree, ${line.first} wins ${Math.round(100 * point.conflict)}% against ${line.second}.`;
    slider.setAttribute("aria-valuetext", `point ${Number(slider.value) + 1} of ${line.points.length}`);
    command.textContent = point.command;
  }

  function choose(index, start) {
    line = lines[index];
    slider.max = String(line.points.length - 1);
    slider.value = String(start ?? line.start);
    // With more labels than these two, the others keep theirs.
    const [ends, kept] = page.names.length > 2
      ? ["no weight on", [line.second, line.first]]
      : ["all weight on", [line.first, line.second]];
    document.getElementById("end-first").textContent = `${ends} ${kept[0]}`;
    document.getElementById("end-second").textContent = `${ends} ${kept[1]}`;
    view.data("line", line.points).data("methods", line.methods).data("axes", line.axes);
    show();
  }

  slider.addEventListener("input", show);
  if (pick) {
    pick.addEventListener("change", () => choose(Number(pick.value)));
  }
  choose(0);
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(document.getElementById(button.dataset.copy));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

async function main() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copy(button));
  }
  for (const [name, spec] of Object.entries(page.charts)) {
    const view = await draw(name, spec);
    if (name === "tradeoff") {
      startTradeoffSlider(view);
    }
  }
  document.documentElement.dataset.ready = "yes";
}

main();
