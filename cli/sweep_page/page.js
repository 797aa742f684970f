
// ---- the sweep ----------------------------------------------------------------------------------------------------------
const keys = data.keys, points = data.points, figures = new Map(data.figures.map(f => [f.path, f]));
const [ID, STATUS, MESSAGE, REPORT] = [0, 1, 2, 3];
const count = points.length, clean = points.map(p => p[STATUS] === "clean");
let chosen = figures.has(data.objective) ? data.objective : figures.has("end_to_end") ? "end_to_end" : data.figures.length ? data.figures[0].path : "";
let higher = data.better === "higher";
let shownRows = points.map((_, i) => i);  // what the axes of the parallel coordinates and the filter leave
let brushed = null;                       // numbers of points, null: all

const figure = () => figures.get(chosen) || {path: chosen, unit: "", values: points.map(() => null)};
const shown = (v, unit) => v === null || v === undefined ? "-" : unit === "ns" ? duration(v) : unit === "bytes" ? bytes(v) : fmt(v) + (unit && unit.length < 4 ? " " + unit : "");
const usable = i => clean[i] && typeof figure().values[i] === "number";
const better = (a, b) => higher ? b - a : a - b;
const best = () => points.map((_, i) => i).filter(usable).sort((a, b) => better(figure().values[a], figure().values[b]) || a - b);
const cell = (k, i) => keys[k].texts[i] === "" ? "as it is" : keys[k].texts[i];
const pointName = i => keys.map((k, n) => k.texts[i] === "" ? "" : k.name + "=" + k.texts[i]).filter(Boolean).join(", ") || "the only point";
// Numbers where every value is one.
const numeric = keys.map(k => k.numbers.every(v => v !== null));
const distinct = keys.map((k, n) => [...new Set(k.texts)].sort((a, b) => numeric[n] ? k.numbers[k.texts.indexOf(a)] - k.numbers[k.texts.indexOf(b)] : a < b ? -1 : 1));
const link = i => {
  if (!points[i][REPORT]) return make("span", points[i][ID].slice(0, 8), {class: "muted"});
  return make("a", points[i][ID].slice(0, 8), {href: "points/" + points[i][ID] + "/report.html"});
};
const redrawn = [];  // what follows the objective
const sectionOf = (title, draw, note) => {
  const box = section(title, note), body = make("div");
  box.append(body);
  redrawn.push(() => { body.replaceChildren(); draw(body); });
  return box;
};

// ---- above ----------------------------------------------------------------------------------------------------------------
const cards = () => {
  el("cards").replaceChildren();
  const order = best(), values = order.map(i => figure().values[i]), of = status => points.filter(p => p[STATUS] === status).length;
  card(fmt(count), keys.length ? "points of " + keys.length + (keys.length === 1 ? " key" : " keys") : "points");
  if (order.length) {
    card(shown(values[0], figure().unit), "best, " + plain(chosen));
    card(shown(values[values.length - 1], figure().unit), "worst, " + times(higher ? values[0] / (values[values.length - 1] || NaN) : values[values.length - 1] / (values[0] || NaN)) + " of it");
  }
  card(fmt(of("clean")), "clean" + ["limit", "wrong", "failed", "missing"].filter(of).map(s => "; " + fmt(of(s)) + " " + s).join(""));
};

// ---- best points ----------------------------------------------------------------------------------------------------------
const bestPoints = box => {
  const order = best();
  if (!order.length) { box.append(make("p", "No clean point has this figure.", {class: "muted"})); return; }
  const first = figure().values[order[0]];
  table(box, ["point", ...keys.map(k => k.name), plain(chosen), "against the best"], order.slice(0, 10).map(i =>
    [link(i), ...keys.map((_, k) => cell(k, i)), shown(figure().values[i], figure().unit), times(figure().values[i] / (first || NaN))]), "wide");
};

// ---- parallel coordinates ------------------------------------------------------------------------------------------------------
// An axis a key that differs, and the objective. A number has a linear axis, or one by rank if its values are far apart.
let parallel = null;
const byRank = k => numeric[k] && distinct[k].length <= 40;
// Values that lie far apart, drawn by their logarithm as `log` draws them.
const byLog = k => numeric[k] && !byRank(k) && keys[k].numbers.every(v => v > 0) && Math.max(...keys[k].numbers) > 20 * Math.min(...keys[k].numbers);
const axisName = k => { const last = keys[k].name.split(".").pop(); return keys.some((o, n) => n !== k && o.name.split(".").pop() === last) ? keys[k].name : last; };
const coordinate = (k, i) => numeric[k] && !byRank(k) ? keys[k].numbers[i] : distinct[k].indexOf(keys[k].texts[i]);
const parallelChart = () => {
  const box = section("Parallel coordinates", "A line a point, the better the stronger its colour. Drag along an axis to keep some of the points, here and in the table; arrows go through them from the best on.");
  const clear = make("button", "all points", {type: "button", class: "no-print"});
  clear.addEventListener("click", () => { brushed = null; parallel.draw(); refill(); });
  box.append(clear);
  const narrow = innerWidth < 560;
  parallel = chart(box, "parallel coordinates of all clean points, with the objective last", narrow ? 90 + 74 * (keys.length + 1) : 420, width => {
    const order = best().reverse(), upright = width < 560, values = figure().values, all = order.map(i => values[i]);
    const low = Math.min(...all), high = Math.max(...all), log = low > 0 && high / low > 50;
    const short = text => text.length > 18 ? text.slice(0, 8) + "…" + text.slice(-9) : text;
    const names = k => distinct[k].map(t => t === "" ? "as it is" : t);
    const axes = keys.map((k, n) => ({dim: n, name: short(axisName(n)), ...(numeric[n] && !byRank(n) ? {type: byLog(n) ? "log" : "value", scale: true, ...(byLog(n) ? {min: Math.min(...k.numbers), max: Math.max(...k.numbers)} : {})} : {type: "category", data: names(n)}),
      axisLabel: {formatter: v => numeric[n] && !byRank(n) ? shown(v, k.unit) : short(String(v))}}));
    axes.push({dim: keys.length, name: short(plain(chosen)), type: log ? "log" : "value", scale: true, min: low, max: high, inverse: false, axisLabel: {formatter: v => shown(v, figure().unit)}});
    const data = order.map(i => ({value: [...keys.map((_, k) => coordinate(k, i)), values[i]], name: String(i)}));
    const shade = isDark() ? ["#3c4a58", "#56b4e9", "#f0e442"] : ["#c9d3dc", "#56b4e9", "#003f66"];
    if (parallel) parallel.order = order;
    return {
      animation: false,
      parallel: upright ? {left: 24, right: 36, top: 40, bottom: 24, layout: "vertical"} : {left: 40, right: 80, top: 36, bottom: 36},
      parallelAxis: axes.map(a => ({...a, nameTextStyle: {color: css("--fg"), fontSize: 11, fontWeight: 600, ...(upright ? {align: "left", verticalAlign: "bottom", padding: [0, 0, 6, 0]} : {align: "center"}), textBorderColor: css("--bg"), textBorderWidth: 3}, nameGap: upright ? 0 : 14,
        nameLocation: upright ? "start" : "end", axisLine: {lineStyle: {color: css("--muted")}}, axisTick: {lineStyle: {color: css("--muted")}},
        axisLabel: {...a.axisLabel, color: css("--fg"), fontSize: 10, hideOverlap: true, textBorderColor: css("--bg"), textBorderWidth: 3}})),
      visualMap: {show: false, dimension: keys.length, min: low, max: high, inRange: {color: higher ? shade : [...shade].reverse()}},
      tooltip: tooltip({trigger: "item", formatter: p => "<b>" + esc(shown(values[+p.name], figure().unit)) + "</b><br>" + esc(pointName(+p.name))}),
      series: [{type: "parallel", data, progressive: 500, lineStyle: {width: order.length > 400 ? .8 : 1.4, opacity: order.length > 400 ? .45 : .8}, inactiveOpacity: .03, activeOpacity: 1,
        emphasis: {lineStyle: {width: 4, opacity: 1}}}],
      stops: order.map((_, n) => ({seriesIndex: 0, dataIndex: order.length - 1 - n}))};
  });
  parallel.box.id = "parallel";
  const told = make("p", "", {role: "status", class: "muted", id: "parallel-told"});
  box.append(told);
  parallel.tell = stop => { const i = parallel.order[stop.dataIndex]; told.textContent = shown(figure().values[i], figure().unit) + ": " + pointName(i); };
  const listen = () => {
    if (!parallel.view) { setTimeout(listen, 100); return; }
    parallel.view.on("axisareaselected", () => {
      const active = parallel.view.getModel().getSeriesByIndex(0).getRawIndicesByActiveState("active"), order = best().reverse();
      brushed = active.length && active.length < order.length ? new Set(active.map(n => order[n])) : null;
      refill();
    });
  };
  listen();
  redrawn.push(() => { brushed = null; if (parallel.view) parallel.draw(); });
};

// ---- sensitivity -----------------------------------------------------------------------------------------------------------------
// Groups of a key: its values, or, where there are more than twelve, eight ranges with as many points each.
const groupsOf = k => {
  const all = points.map((_, i) => i).filter(usable);
  if (distinct[k].length <= 12 || !numeric[k]) {
    return distinct[k].map(t => [t === "" ? "as it is" : t, all.filter(i => keys[k].texts[i] === t)]).filter(g => g[1].length);
  }
  const sorted = all.sort((a, b) => keys[k].numbers[a] - keys[k].numbers[b] || a - b), groups = [];
  for (let n = 0; n < 8; ++n) {
    const part = sorted.slice(Math.round(n * sorted.length / 8), Math.round((n + 1) * sorted.length / 8));
    const at = i => shown(keys[k].numbers[i], keys[k].unit);
    if (part.length) groups.push([at(part[0]) + " to " + at(part[part.length - 1]), part, at(part[0]) + " …"]);
  }
  return groups;
};
const mean = list => list.reduce((a, b) => a + b, 0) / list.length;
const quantile = (sorted, q) => { const at = q * (sorted.length - 1), low = Math.floor(at); return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]); };
// Of the objective's variance, the part that the key's values explain; chance explains some of it, which `adjusted` takes away.
const effectOf = k => {
  const groups = groupsOf(k).map(([name, of, brief]) => [name, of.map(i => figure().values[i]), brief || name]), all = groups.flatMap(g => g[1]), middle = mean(all);
  const total = all.reduce((a, v) => a + (v - middle) ** 2, 0), between = groups.reduce((a, g) => a + g[1].length * (mean(g[1]) - middle) ** 2, 0);
  const share = total ? between / total : 0, n = all.length, m = groups.length;
  const chance = m > 1 && n > m ? (1 - share) * (m - 1) / (n - m) : null;
  const means = groups.map(g => mean(g[1]));
  return {k, groups, share, adjusted: chance === null ? null : Math.max(0, share - chance), means, spread: Math.max(...means) / (Math.min(...means) || NaN),
    even: groups.every(g => g[1].length === groups[0][1].length)};
};
const ranks = list => { const sorted = list.map((v, i) => [v, i]).sort((a, b) => a[0] - b[0]), of = []; for (let a = 0; a < sorted.length;) { let b = a; while (b < sorted.length && sorted[b][0] === sorted[a][0]) ++b; for (let n = a; n < b; ++n) of[sorted[n][1]] = (a + b - 1) / 2; a = b; } return of; };
const correlation = (a, b) => {
  const x = ranks(a), y = ranks(b), mx = mean(x), my = mean(y);
  const xy = x.reduce((s, v, i) => s + (v - mx) * (y[i] - my), 0), xx = x.reduce((s, v) => s + (v - mx) ** 2, 0), yy = y.reduce((s, v) => s + (v - my) ** 2, 0);
  return xx && yy ? xy / Math.sqrt(xx * yy) : 0;
};
const notes = () => {
  const lines = [], used = points.map((_, i) => i).filter(usable), lost = count - used.length;
  if (data.kind === "random") lines.push("The points were drawn at random. The means of two values differ by chance too, the more the fewer points they have; their standard error stands beside them, and the share is what is left after what chance alone would explain.");
  if (data.kind === "list") lines.push("The points are a list: values need not be there in all combinations, so what one key seems to do may be another's.");
  if (lost) lines.push(fmt(lost) + " of " + fmt(count) + " points are left out: they are not clean, or lack the figure. What is left may not be balanced.");
  if (used.length > 3 && (data.kind !== "grid" || lost)) {
    keys.forEach((a, i) => keys.slice(i + 1).forEach((b, j) => {
      const code = k => used.map(n => coordinate(k, n)), r = correlation(code(i), code(i + 1 + j));
      if (Math.abs(r) > .5) lines.push(a.name + " and " + b.name + " change together (rank correlation " + r.toFixed(2) + "): their effects cannot be told apart here.");
    }));
  }
  return lines;
};
const effectCharts = [];
const sensitivity = box => {
  effectCharts.splice(0).forEach(c => { watcher.unobserve(c.box); if (c.view) c.view.dispose(); charts.splice(charts.indexOf(c), 1); });
  if (!best().length || !keys.length) { box.append(make("p", keys.length ? "No clean point has this figure." : "No key differs.", {class: "muted"})); return; }
  const drawn = data.kind === "random" || data.kind === "list", shareOf = e => drawn ? e.adjusted : e.share;
  const effects = keys.map((_, k) => effectOf(k)).filter(e => e.groups.length > 1).sort((a, b) => shareOf(b) - shareOf(a));
  notes().forEach(line => box.append(make("p", line, {class: "note"})));
  if (!effects.length) { box.append(make("p", "No key has two values among the clean points.", {class: "muted"})); return; }
  table(box, ["key", "values", "largest mean over least", drawn ? "share of the variance, less chance" : "share of the variance", "best value by its mean"], effects.map(e => {
    const at = e.means.indexOf(higher ? Math.max(...e.means) : Math.min(...e.means)), share = shareOf(e);
    return [keys[e.k].name, fmt(e.groups.length) + (distinct[e.k].length > e.groups.length ? " ranges" : "") + (e.even ? "" : ", not as often"), times(e.spread), share === null ? "too few points" : percent(share), e.groups[at][0]];
  }), "wide");
  const grid = make("div", null, {class: "effects"});
  box.append(grid);
  effects.forEach(e => {
    const part = make("div");
    grid.append(part);
    part.append(make("h3", keys[e.k].name + (keys[e.k].unit && keys[e.k].unit !== "bytes" ? ", " + keys[e.k].unit : "")));
    const boxes = e.groups.map(g => { const s = [...g[1]].sort((a, b) => a - b); return [s[0], quantile(s, .25), quantile(s, .5), quantile(s, .75), s[s.length - 1]]; });
    const slant = e.groups.some(g => g[2].length * e.groups.length > 40);
    const c = chart(part, keys[e.k].name + ": range, quartiles and mean of the objective by value", 230, width => ({
      grid: {left: 58, right: 12, top: 10, bottom: slant ? 56 : 26}, animation: false,
      xAxis: {type: "category", data: e.groups.map(g => slant && g[2].length > 13 ? g[2].slice(0, 3) + "…" + g[2].slice(-9) : g[2]), ...axisStyle(), axisLabel: {...axisStyle().axisLabel, interval: 0, hideOverlap: false, rotate: slant ? 35 : 0, width: slant ? 74 : (width - 70) / e.groups.length - 4, overflow: "truncate"}},
      yAxis: {type: "value", scale: true, ...axisStyle(), splitNumber: 4, axisLabel: {...axisStyle().axisLabel, formatter: v => shown(v, figure().unit)}},
      series: [{type: "boxplot", data: boxes, itemStyle: {color: css("--panel"), borderColor: css("--muted")}, emphasis: {itemStyle: {borderColor: css("--fg"), borderWidth: 2}}, boxWidth: [4, 26]},
        {type: "line", data: e.means, symbol: "diamond", symbolSize: 9, color: css("--accent"), lineStyle: {width: numeric[e.k] ? 1.5 : 0}, tooltip: {show: false}, silent: true, z: 5}],
      stops: e.groups.map((_, n) => ({seriesIndex: 0, dataIndex: n})),
      tooltip: tooltip({trigger: "item", formatter: p => {
        const g = e.groups[p.dataIndex], m = mean(g[1]), error = g[1].length > 1 ? Math.sqrt(g[1].reduce((a, v) => a + (v - m) ** 2, 0) / (g[1].length - 1) / g[1].length) : null;
        return "<b>" + esc(keys[e.k].name + " " + g[0]) + "</b><br>" + esc("mean " + shown(m, figure().unit) + (drawn && error !== null ? " ± " + shown(error, figure().unit) : "") + " of " + fmt(g[1].length) + " points") +
          "<br>" + esc("from " + shown(boxes[p.dataIndex][0], figure().unit) + " to " + shown(boxes[p.dataIndex][4], figure().unit) + ", median " + shown(boxes[p.dataIndex][2], figure().unit));
      }})}));
    effectCharts.push(c);
  });
};

// ---- all points ----------------------------------------------------------------------------------------------------------------
const kPage = 100;
let sortBy = {column: "number", down: false}, from = 0, words = "", extra = [];
let refill = () => {};
const allPoints = () => {
  const box = section("All points", "A heading sorts by its column. Numbers of a row are those of its stats.json.");
  const bar = make("div", null, {class: "bar-of-table no-print"}), filter = make("input", null, {type: "search", id: "filter", placeholder: "words that a row has", "aria-label": "filter rows"});
  const more = make("select", null, {id: "more", "aria-label": "show another figure"});
  more.append(make("option", "another figure …", {value: ""}));
  data.figures.forEach(f => more.append(make("option", f.path, {value: f.path})));
  const told = make("span", "", {class: "muted", role: "status", id: "told"}), back = make("button", "← before", {type: "button"}), on = make("button", "after →", {type: "button"});
  bar.append(filter, more, told, back, on);
  const scroll = make("div", null, {class: "scroll", tabindex: "0", role: "region", "aria-label": "table of all points"}), t = make("table", null, {id: "points"});
  scroll.append(t);
  box.append(bar, scroll);
  const columns = () => [{id: "number", name: "#", of: i => i + 1}, {id: "point", name: "point", of: i => points[i][ID], show: link, text: true},
    ...keys.map((k, n) => ({id: "key" + n, name: k.name, of: i => numeric[n] ? k.numbers[i] : k.texts[i], show: i => cell(n, i), text: !numeric[n]})),
    ...[chosen, ...extra].filter((p, n, all) => p && all.indexOf(p) === n).map(path => ({id: path, name: plain(path), of: i => (figures.get(path) || figure()).values[i], show: i => shown((figures.get(path) || figure()).values[i], (figures.get(path) || figure()).unit)})),
    {id: "status", name: "status", of: i => points[i][STATUS], text: true, show: i => points[i][MESSAGE] ? points[i][STATUS] + ": " + short(points[i][MESSAGE]) : points[i][STATUS]}];
  const row = (tag, cells) => { const r = make("tr"); r.append(...cells); return r; };
  refill = () => {
    const all = columns(), by = all.find(c => c.id === sortBy.column) || all[0], wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    shownRows = points.map((_, i) => i).filter(i => (!brushed || brushed.has(i)) && (!wanted.length || wanted.every(w => (pointName(i) + " " + points[i].join(" ")).toLowerCase().includes(w))));
    const value = new Map(shownRows.map(i => [i, by.of(i)])), none = v => v === null || v === undefined || v === "";
    shownRows.sort((a, b) => {
      const x = value.get(a), y = value.get(b);
      if (none(x) || none(y)) return none(x) - none(y) || a - b;  // what is missing comes last either way
      return (typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0) * (sortBy.down ? -1 : 1) || a - b;
    });
    from = Math.min(from, Math.max(0, Math.floor((shownRows.length - 1) / kPage) * kPage));
    const head = make("thead");
    head.append(row("tr", all.map(c => {
      const th = make("th", null, {scope: "col", "aria-sort": c.id === by.id ? (sortBy.down ? "descending" : "ascending") : "none", class: c.text ? "name" : ""}), button = make("button", c.name, {type: "button"});
      button.addEventListener("click", () => {
        sortBy = {column: c.id, down: c.id === sortBy.column ? !sortBy.down : false};
        from = 0;
        refill();
        [...t.querySelectorAll("th button")].find(b => b.textContent === c.name)?.focus();
      });
      th.append(button);
      return th;
    })));
    const body = make("tbody");
    shownRows.slice(from, from + kPage).forEach(i => body.append(row("tr", all.map(c => {
      const what = c.show ? c.show(i) : String(c.of(i)), td = make("td", what instanceof Node ? null : what, {class: c.text ? "name" : ""});
      if (what instanceof Node) td.append(what);
      if (c.id === "status" && points[i][MESSAGE]) { td.setAttribute("title", points[i][MESSAGE]); td.append(" ", make("a", "log", {href: "points/" + points[i][ID] + "/log"})); }
      return td;
    }))));
    t.replaceChildren(head, body);
    told.textContent = shownRows.length ? fmt(from + 1) + " to " + fmt(Math.min(from + kPage, shownRows.length)) + " of " + fmt(shownRows.length) + (shownRows.length < count ? ", of " + fmt(count) + " in all" : "") : "no row";
    back.disabled = from === 0;
    on.disabled = from + kPage >= shownRows.length;
  };
  filter.addEventListener("input", () => { words = filter.value; from = 0; refill(); });
  more.addEventListener("change", () => { if (more.value && !extra.includes(more.value)) extra.push(more.value); more.value = ""; refill(); });
  back.addEventListener("click", () => { from -= kPage; refill(); });
  on.addEventListener("click", () => { from += kPage; refill(); });
  redrawn.push(() => refill());
};

// ---- the page ------------------------------------------------------------------------------------------------------------------
const about = () => {
  const box = section("About");
  if (data.fixed.length) {
    box.append(make("p", "The same in all points:", {class: "muted"}));
    table(box, null, data.fixed, "text");
  }
  box.append(make("p", "Command: ", {class: "muted"}));
  box.lastChild.append(make("code", data.command));
  box.append(make("p", "cxlgpu " + data.version + ". Everything here is in sweep.sqlite beside this page.", {class: "muted"}));
  const d = fold(data.file, box);
  d.append(make("pre", data.text));
};
const page = () => {
  document.title = (data.title || data.file) + ", sweep";
  el("title").textContent = data.title || data.file;
  const kind = {grid: "a grid", list: "a list", random: "points drawn at random"}[data.kind] || "points";
  el("subtitle").textContent = kind + (keys.length ? " over " + keys.map(k => k.name).join(", ") : "") + (data.fixed.length ? "; " + data.fixed.map(f => f.join(" ")).join(", ") : "");
  const missing = points.filter(p => p[STATUS] === "missing").length, bad = points.filter(p => !["missing", "clean"].includes(p[STATUS])).length;
  if (missing) el("problems").append(make("p", fmt(missing) + " of " + fmt(count) + " points have not been run yet.", {class: "bad"}));
  if (bad) el("problems").append(make("p", fmt(bad) + " of " + fmt(count) + " points are not clean; the table says why, and has their logs.", {class: "bad"}));
  if (!figures.has(data.objective) && figures.size) el("problems").append(make("p", "No point has a figure " + data.objective + "; another one is shown.", {class: "bad"}));
  const whole = path => !/\.\d+(\.|$)/.test(path), groups = [["of the run", whole], ["of a port, kind or stage", path => !whole(path)]];
  groups.forEach(([name, of]) => {
    const group = make("optgroup", null, {label: name});
    data.figures.filter(f => of(f.path)).forEach(f => group.append(make("option", f.path + (f.unit ? ", " + f.unit : ""), {value: f.path})));
    if (group.children.length) el("objective").append(group);
  });
  el("objective").value = chosen;
  el("better").value = higher ? "higher" : "lower";
  const again = () => { chosen = el("objective").value; higher = el("better").value === "higher"; redrawn.forEach(f => f()); };
  el("choice").addEventListener("submit", e => e.preventDefault());
  ["objective", "better"].forEach(id => el(id).addEventListener("change", again));
  redrawn.push(cards);
  sectionOf("Best points", bestPoints);
  if (keys.length && best().length) parallelChart();
  sectionOf("Sensitivity", sensitivity, "What each key does by itself: mean, range and quartiles of the objective over the points that have a value of it, whatever their other keys are.");
  allPoints();
  about();
  redrawn.forEach(f => f());
};
page();
