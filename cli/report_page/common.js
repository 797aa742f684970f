"use strict";
// What the pages share: text, elements, charts, theme.
const data = JSON.parse(document.getElementById("data").textContent);
const el = id => document.getElementById(id);

// ---- text -----------------------------------------------------------------------------------------------------------
// Tooltips are HTML: whatever did not come from this script goes through esc().
const esc = text => String(text).replace(/[&<>"']/g, c => "&#" + c.charCodeAt(0) + ";");
const fmt = v => v === null || v === undefined || Number.isNaN(v) ? "-" : !Number.isFinite(v) ? "∞"
  : v.toLocaleString("en", {maximumFractionDigits: Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 2});
const scaled = (v, steps) => { let i = 0; while (i + 1 < steps.length && Math.abs(v) >= steps[i + 1][0]) ++i; return fmt(v / steps[i][0]) + " " + steps[i][1]; };
const duration = ns => ns === null || ns === undefined ? "-" : scaled(ns, [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]]);
const bytes = n => scaled(n, [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]]);
const fig = f => f.unit === "ns" ? duration(f.value) : f.unit === "bytes" ? bytes(f.value) : fmt(f.value) + " " + f.unit;
const percent = v => fmt(100 * v) + " %";
const times = v => (v >= 100 ? fmt(v) : v.toFixed(2)) + "×";
const plain = name => name.replaceAll("_", " ");
const short = text => text.length > 28 ? text.slice(0, 12) + "…" + text.slice(-15) : text;
// Of several, such that no two are the same: what would be has its number before it.
const shortNames = texts => {
  const all = texts.map(short);
  return all.map((name, i) => all.indexOf(name) === all.lastIndexOf(name) ? name : `${i + 1}: ${name}`);
};

// ---- elements -------------------------------------------------------------------------------------------------------
const make = (tag, text, attributes = {}) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
  return e;
};
const section = (title, note, parent = el("body")) => {
  const box = make("section");
  box.append(make("h2", title));
  if (note) box.append(make("p", note, {class: "muted"}));
  parent.append(box);
  return box;
};
const table = (parent, head, rows, kind = "") => {
  const t = make("table", null, {class: kind || (head && head.length > 4 ? "wide" : "")});
  if (head) {
    const top = make("thead"), row = make("tr");
    head.forEach(name => row.append(make("th", name)));
    top.append(row);
    t.append(top);
  }
  const body = make("tbody");
  rows.forEach(cells => {
    const row = make("tr");
    cells.forEach((c, i) => {
      const cell = make("td", c instanceof Node ? null : c, head && i ? {"data-name": head[i]} : {});
      if (c instanceof Node) cell.append(c);
      row.append(cell);
    });
    body.append(row);
  });
  t.append(body);
  parent.append(t);
  return t;
};
const card = (value, name) => { const c = make("div", null, {class: "card"}); c.append(make("b", value), make("span", name)); el("cards").append(c); };
const fold = (title, parent = el("body")) => { const d = make("details"); d.append(make("summary", title)); parent.append(d); return d; };

// Okabe and Ito's, which all kinds of colour vision tell apart.
const okabe = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- charts: drawn when first seen, again when the theme changes; arrows move along what can be opened, Enter opens ------
let patterns = false;
const charts = [];
const chart = (parent, label, height, build, click) => {
  const box = make("div", null, {class: "chart", tabindex: "0", role: "img", "aria-label": label});
  box.style.height = height + "px";
  parent.append(box);
  const c = {box, build, stops: [], at: -1, view: null};
  c.draw = () => {
    if (!c.view) {
      c.view = echarts.init(box, null, {renderer: "canvas"});
      if (click) c.view.on("click", p => click(p));
    }
    const option = build(box.clientWidth || 800);
    c.stops = option.stops || [];
    delete option.stops;
    c.view.setOption({animation: false, backgroundColor: "transparent", textStyle: {color: css("--fg"), fontFamily: "system-ui, Open Sans, sans-serif"},
      aria: {enabled: true, decal: {show: patterns}, label: {description: label}}, ...option}, {notMerge: true});
  };
  box.addEventListener("keydown", e => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
    if (step && c.stops.length) {
      if (c.at >= 0) c.view.dispatchAction({type: "downplay", ...c.stops[c.at]});
      c.at = (c.at + step + c.stops.length) % c.stops.length;
      c.view.dispatchAction({type: "highlight", ...c.stops[c.at]});
      if (c.tell) c.tell(c.stops[c.at]);  // of a kind of chart that has no place for a tooltip
      else c.view.dispatchAction({type: "showTip", ...c.stops[c.at]});
      e.preventDefault();
    } else if ((e.key === "Enter" || e.key === " ") && click && c.at >= 0) {
      click(c.stops[c.at]);
      e.preventDefault();
    } else if (e.key === "Escape" && c.view) {
      c.view.dispatchAction({type: "hideTip"});
    }
  });
  charts.push(c);
  watcher.observe(box);
  return c;
};
const watcher = new IntersectionObserver(seen => seen.forEach(entry => {
  const c = charts.find(one => one.box === entry.target);
  if (entry.isIntersecting && c && !c.view) c.draw();
}), {rootMargin: "200px"});
const redraw = () => charts.forEach(c => { if (c.view) { c.view.resize(); c.draw(); } });
let width = innerWidth, waiting = 0;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 100);
});
const setTheme = dark => {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  el("theme").textContent = dark ? "light" : "dark";
  el("theme").setAttribute("aria-label", "use the " + (dark ? "light" : "dark") + " theme");
  redraw();
};
const isDark = () => document.documentElement.dataset.theme === "dark";
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
el("theme").addEventListener("click", () => setTheme(!isDark()));
el("patterns").addEventListener("click", () => {
  patterns = !patterns;
  el("patterns").setAttribute("aria-pressed", String(patterns));
  redraw();
});
let wasDark = false;
addEventListener("beforeprint", () => {
  wasDark = isDark();
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  setTheme(false);
  charts.forEach(c => { if (!c.view) c.draw(); c.view.resize({width: Math.min(c.box.clientWidth, 700)}); });
});
addEventListener("afterprint", () => setTheme(wasDark));

const axisStyle = () => ({axisLine: {lineStyle: {color: css("--line")}}, axisTick: {lineStyle: {color: css("--line")}}, axisLabel: {color: css("--muted"), fontSize: 11, hideOverlap: true},
  splitLine: {lineStyle: {color: css("--line"), opacity: .6}}, nameTextStyle: {color: css("--muted"), fontSize: 11}});
const tooltip = more => ({confine: true, backgroundColor: css("--panel"), borderColor: css("--line"), textStyle: {color: css("--fg"), fontSize: 12}, extraCssText: "white-space: normal; max-width: 22rem", ...more});
const legendBox = (parent, entries) => {
  const box = make("div", null, {class: "legend"});
  entries.forEach(([name, colour]) => { const item = make("span"), i = make("i"); i.style.background = colour; item.append(i, name); box.append(item); });
  parent.append(box);
};
