const runs = data.runs, s = runs[0].stats, samples = data.samples, comparing = runs.length > 1;

// ---- colours: a place is a hue, its stages are shades -----------------------------------------------------------------
const stageOf = {
  port_enqueue: ["host bridge", "#003f66"], memq_alloc: ["SR queue of the root port", "#0072b2"], ctrl_accept: ["memory queue", "#56b4e9"],
  wire_m2s: ["request on the link", "#e69f00"], ep_accept: ["endpoint's receive queue", "#00573f"], ep_lookup: ["internal DRAM lookup", "#009e73"],
  media_issue: ["wait for the medium", "#7fd1b9"], media_done: ["medium", "#cc79a7"], ep_respond: ["endpoint's response queue", "#8a3f69"],
  wire_s2m: ["response on the link", "#d55e00"], port_respond: ["root port takes the response", "#9a9a9a"], sys_respond: ["response on the system bus", "#555c63"]};
// A run of pages has the same events for other things.
const pagedStageOf = {ep_lookup: ["look up the page", "#8c7a00"], media_done: ["GPU memory, or the page's migration", "#f0e442"], sys_respond: ["answer", "#555c63"]};
const stageKeys = [...Object.keys(stageOf), ...Object.keys(pagedStageOf).map(key => "page:" + key)];
const stageKey = (stats, key) => stats.paging && pagedStageOf[key] ? "page:" + key : key;
const stage = key => (key.startsWith("page:") ? pagedStageOf[key.slice(5)] : stageOf[key]) || [plain(key), "#999999"];
const stageName = key => stage(key)[0], stageColour = key => stage(key)[1];
const kindColours = {"load, internal DRAM hit": okabe[2], "load, internal DRAM miss": okabe[5], "load, merged with a fill": okabe[1],
  "load, no internal DRAM": okabe[0], "load, deferred store": okabe[4], "store": okabe[3]};
const slotNames = {issued: ["issued", "#0072b2"], memory: ["waits for memory", "#d55e00"], lsu_full: ["load/store unit full", "#e69f00"],
  result: ["waits for arithmetic", "#56b4e9"], barrier: ["at a barrier", "#cc79a7"], no_warp: ["no warp has work", "#8a939c"]};
const runColour = i => okabe[i];

// Categories stand above their bars, so that they have the whole width.
const barAxis = (names, width) => ({type: "category", data: names, inverse: true, axisLine: {show: false}, axisTick: {show: false},
  axisLabel: {inside: true, width: width - 24, overflow: "truncate", color: css("--fg"), fontSize: 12, verticalAlign: "bottom", padding: [0, 0, 13, 0], margin: 0}, z: 5});
// rows: [label, [[key, value] ...]]; names and colours of keys. The axis is linear, since lengths are compared; a row that is
// short beside the others is seen when each row is drawn as long as the others, with `shares`.
const stackedBars = (rows, keys, nameOf, colourOf, unit, shares = {on: false}) => width => {
  const sums = rows.map(r => r[1].reduce((a, x) => a + x[1], 0)), whole = unit === "%" || shares.on;
  const largest = shares.on ? 100 : Math.max(...sums, 1e-9), text = v => unit === "%" ? fmt(v) + " %" : duration(v);
  const value = (row, key) => (rows[row][1].find(x => x[0] === key) || [key, 0])[1];
  const series = keys.map(key => ({type: "bar", stack: "all", name: nameOf(key), key, barWidth: 20, itemStyle: {color: colourOf(key), borderColor: css("--bg"), borderWidth: 1},
    emphasis: {itemStyle: {borderColor: css("--fg"), borderWidth: 2}},
    label: {show: true, fontSize: 11, formatter: p => p.value / largest > 54 / width ? text(value(p.dataIndex, key)) : "", color: "#fff", textBorderColor: "#0008", textBorderWidth: 2},
    data: rows.map((_, row) => shares.on ? 100 * value(row, key) / (sums[row] || 1) : value(row, key))}));
  const stops = [];
  rows.forEach((r, row) => series.forEach((one, i) => { if (one.data[row] > 0) stops.push({seriesIndex: i, dataIndex: row}); }));
  return {grid: {left: 4, right: 24, top: 16, bottom: whole ? 4 : 24}, xAxis: {type: "value", max: largest, show: !whole, ...axisStyle(), splitNumber: width < 500 ? 3 : 5, axisLabel: {...axisStyle().axisLabel, formatter: v => v === 0 ? "0" : duration(v), alignMinLabel: "left", showMaxLabel: false}},
    yAxis: barAxis(rows.map(r => r[0]), width), series, stops,
    tooltip: tooltip({trigger: "item", formatter: p => "<b>" + esc(p.seriesName) + "</b><br>" + esc(rows[p.dataIndex][0]) + "<br>" + esc(text(value(p.dataIndex, keys[p.seriesIndex]))) +
      (unit === "%" ? "" : ", " + esc(percent(value(p.dataIndex, keys[p.seriesIndex]) / (sums[p.dataIndex] || 1))) + " of " + esc(duration(sums[p.dataIndex])))})};
};
// Beside a chart of several rows: each as long as the others.
const sharesButton = parent => {
  const shares = {on: false, chart: null}, button = make("button", "each row as 100 %", {type: "button", "aria-pressed": "false", class: "no-print"});
  button.addEventListener("click", () => {
    shares.on = !shares.on;
    button.setAttribute("aria-pressed", String(shares.on));
    shares.chart.draw();
  });
  parent.append(button);
  return shares;
};

// ---- what a run says of itself ----------------------------------------------------------------------------------------
const stagesOf = (k, stats) => k.stages.filter(x => x.mean.value > 0).map(x => [stageKey(stats, x.stage), x.mean.value]);
const usedStages = lists => stageKeys.filter(key => lists.some(list => list.some(x => x[0] === key)));
const slotShares = g => { const all = Object.values(g.slots).reduce((a, f) => a + f.value, 0) || 1; return Object.keys(slotNames).map(k => [k, 100 * g.slots[k].value / all]); };
const ratio = (a, b) => b ? a / b : 0;
const title = r => r.stats.scenario + ", " + r.stats.engine;
const flatKeys = (part, prefix = "") => Object.entries(part).flatMap(([name, v]) =>
  v !== null && typeof v === "object" && !Array.isArray(v) ? flatKeys(v, prefix + name + ".") : [[prefix + name, typeof v === "string" ? v : JSON.stringify(v)]]);
const linkUse = (d, direction) => {
  const link = d.config.link, ports = Math.max(1, d.media_counters.length), rate = (link.lanes || 8) * (link.lane_mbit_s || 32000) / 8000;
  return d.flits[direction].all.value * 68 / Math.max(1, d.end_to_end.value) / (rate * ports);
};
// Of all kinds of loads together: [from, count] by bin of the histogram.
const histogramOf = (d, keep) => {
  const bins = new Map();
  d.kinds.filter(k => keep(k.kind)).forEach(k => k.histogram && k.histogram.from.values.forEach((from, i) => bins.set(from, (bins.get(from) || 0) + k.histogram.count.values[i])));
  return [...bins].sort((a, b) => a[0] - b[0]);
};
const isLoad = kind => kind !== "store";
const fastest = d => { const bins = histogramOf(d, isLoad); return bins.length ? bins[0][0] : 0; };
const why = d => {
  const lines = [];
  if (d.gpu) {
    const share = slotShares(d.gpu), memory = share.find(x => x[0] === "memory")[1], most = [...share].sort((a, b) => b[1] - a[1])[0];
    lines.push("Of the GPU's issue slots " + fmt(share.find(x => x[0] === "issued")[1]) + " % issued an instruction; most went to “" + slotNames[most[0]][0] + "” (" + fmt(most[1]) + " %)." +
      (memory > 1 && memory < 99.9 ? " Were memory never waited for, the run could be at most " + times(100 / (100 - memory)) + " as fast." : ""));
  }
  if (d.loads.count.value) {
    const parts = stagesOf(d.loads, d).sort((a, b) => b[1] - a[1]), mean = d.loads.mean.value;
    lines.push("A mean load takes " + duration(mean) + ": " + parts.slice(0, 3).map(x => stageName(x[0]) + " " + percent(x[1] / mean)).join(", ") + ".");
  }
  const hit = d.internal_dram_lookups, looked = hit.hit.value + hit.miss.value + hit.merge.value;
  if (looked) lines.push("The internal DRAM had " + fmt(hit.hit_rate.value) + " % of what was looked up" + (d.memspecrd.sent.value ? "; of " + fmt(d.memspecrd.filled.value) + " lines that MemSpecRd filled, " + percent(ratio(d.memspecrd.useful_lines.value, d.memspecrd.filled.value)) + " were used in time." : "."));
  return lines;
};

// ---- the requests behind a bar ----------------------------------------------------------------------------------------
const requestRow = (r, most, marked) => {  // [kind, port, address, tag, at, stages]
  const row = make("div", null, {class: "request"}), all = r[5].reduce((a, x) => a + (x || 0), 0), bar = make("div", null, {class: "bar"});
  row.append(make("span", r[2] + ", port " + r[1] + ", tag " + r[3] + ", at " + duration(r[4]) + ": " + duration(all) + (marked === undefined ? "" : ", of these " + duration(r[5][marked]) + " in “" + stageName(stageKey(s, s.loads.stages[marked].stage)) + "”")));
  r[5].forEach((ns, i) => {
    if (!ns) return;
    const key = stageKey(s, s.loads.stages[i].stage), part = make("div", null, {title: stageName(key) + ": " + duration(ns)});
    part.style.width = 100 * ns / most + "%";
    part.style.background = stageColour(key);
    bar.append(part);
  });
  row.append(bar);
  return row;
};
const showRequests = (panel, heading, indices, marked) => {
  panel.replaceChildren();
  const list = indices.map(i => samples.requests[i]);
  const sum = r => r[5].reduce((a, x) => a + (x || 0), 0);
  panel.append(make("h3", heading));
  if (!list.length) panel.append(make("p", "None was kept.", {class: "muted"}));
  const most = Math.max(1, ...list.map(sum));
  list.forEach(r => panel.append(requestRow(r, most, marked)));
  panel.dataset.requests = list.length;
};
const requestPanel = parent => { const p = make("div", null, {class: "requests", role: "region", "aria-live": "polite", "aria-label": "requests behind the bar"}); parent.append(p); return p; };

// ---- one run ------------------------------------------------------------------------------------------------------------
const onePage = () => {
  document.title = s.scenario + ", " + s.engine;
  el("title").textContent = s.scenario;
  el("subtitle").textContent = "machine " + s.machine.name + (s.machine.changed.length ? ", but " + s.machine.changed.join(", ") : "") + "; engine " + s.engine + "; seed " + s.seed + "; " + s.status;
  s.checks.problems.forEach(p => el("problems").append(make("p", p, {class: "bad"})));
  if (s.unfinished) el("problems").append(make("p", "The run did not end: " + s.unfinished.why + ", " + fig(s.unfinished.unanswered) + " unanswered.", {class: "bad"}));

  card(duration(s.end_to_end.value), "end to end");
  if (s.loads.count.value) {
    card(duration(s.loads.p50.value), "median load; 99 %: " + duration(s.loads.p99.value));
    card(fmt(64 * s.loads.count.value / Math.max(1, s.end_to_end.value)) + " GB/s", "loads, " + fmt(s.loads.count.value) + " of 64 B");
  }
  if (s.stores.count.value) card(fmt(64 * s.stores.count.value / Math.max(1, s.end_to_end.value)) + " GB/s", "stores, " + fmt(s.stores.count.value) + " of 64 B");
  if (s.gpu) card(fmt(s.gpu.ipc.value), "warp instructions a cycle a core");
  if (s.internal_dram_lookups.hit.value + s.internal_dram_lookups.miss.value) card(fmt(s.internal_dram_lookups.hit_rate.value) + " %", "internal-DRAM hit rate");
  card(s.status === "clean" ? "clean" : s.status, fmt(s.checks.reads_checked.value) + " loads checked, " + fmt(s.checks.mismatches.value) + " wrong");

  const first = make("div", null, {class: "columns"});
  el("body").append(first);
  const left = section("Why: where the time of a request goes", null, first);
  why(s).forEach(line => left.append(make("p", line, {class: "why"})));
  if (s.gpu) {
    const shares = slotShares(s.gpu);
    chart(left, "issue slots of the GPU, one stacked bar", 44, stackedBars([["issue slots of " + fmt(s.config.gpu.cores) + " cores", shares]], Object.keys(slotNames), k => slotNames[k][0], k => slotNames[k][1], "%"));
    legendBox(left, shares.filter(x => x[1] >= .05).map(x => [slotNames[x[0]][0] + " " + fmt(x[1]) + " %", slotNames[x[0]][1]]));
  }
  if (s.kinds.length) {
    const rows = s.kinds.map(k => [k.kind + ": " + duration(k.mean.value) + ", " + fmt(k.count.value) + " requests", stagesOf(k, s)]), keys = usedStages(rows.map(r => r[1]));
    const open = p => {
      const kind = s.kinds[p.dataIndex], key = keys[p.seriesIndex], at = kind.stages.findIndex(x => stageKey(s, x.stage) === key);
      showRequests(panel, kind.kind + ": longest in “" + stageName(key) + "”", samples.longest[kind.kind][at], at);
    };
    const note = make("p", "Mean of each kind by stage" + (samples ? "; a click on a part opens its slowest requests. " : ". "), {class: "muted"});
    left.append(note);
    const shares = sharesButton(note);
    shares.chart = chart(left, "waterfall: mean time in each stage by kind of request", 28 + 44 * rows.length, stackedBars(rows, keys, stageName, stageColour, "ns", shares), samples && open);
    shares.chart.box.id = "waterfall";
    legendBox(left, keys.map(k => [stageName(k), stageColour(k)]));
    const panel = requestPanel(left);
    panel.id = "waterfall-requests";
  }

  const right = section("Compared with what", null, first);
  const yard = [], meter = (text, share) => { const c = make("span", text), m = make("span", null, {class: "meter"}), i = make("i"); i.style.width = 100 * Math.min(1, share) + "%"; m.append(i); c.append(m); return c; };
  if (s.loads.count.value) {
    const low = fastest(s), mean = s.loads.mean.value;
    yard.push(["fastest load of this run", duration(low) + ", the mean is " + times(mean / Math.max(low, 1e-3))]);
    const hit = s.kinds.find(k => k.kind.endsWith("DRAM hit")), miss = s.kinds.find(k => k.kind.endsWith("DRAM miss"));
    if (hit && miss) yard.push(["a hit of the internal DRAM against a miss", duration(hit.mean.value) + " against " + duration(miss.mean.value) + ", " + times(miss.mean.value / hit.mean.value)]);
  }
  if (s.flits.m2s.all.value) ["m2s", "s2m"].forEach(d => yard.push(["link " + d.toUpperCase() + ", of what it can carry", meter(percent(linkUse(s, d)), linkUse(s, d))]));
  if (s.gpu) {
    const memory = slotShares(s.gpu).find(x => x[0] === "memory")[1];
    yard.push(["slots that wait for memory", meter(fmt(memory) + " %", memory / 100)]);
    yard.push(["occupancy of warps", meter(fig(s.gpu.occupancy), s.gpu.occupancy.value / 100)]);
  }
  if (s.memspecrd.filled.value) yard.push(["lines filled ahead and used in time", meter(percent(ratio(s.memspecrd.useful_lines.value, s.memspecrd.filled.value)), ratio(s.memspecrd.useful_lines.value, s.memspecrd.filled.value))]);
  if (s.cosim) yard.push(["model against RTL, mean latency", fig(s.cosim.latency_difference)]);
  yard.push(["data set against GPU memory", bytes(s.data_set.value) + " against " + bytes(s.local_memory.value)]);
  table(right, null, yard);
  const hint = make("p", "With another run: ", {class: "muted"});
  hint.append(make("code", "cxlgpu report DIR OTHER_DIR"), ", for example the same scenario with configuration gpu-dram (all data in GPU memory) or cxl (no speculation).");
  right.append(hint);

  if (s.kinds.length) latencies();
  overTime();
  addresses();
  if (s.slowest_loads.length) {
    const box = section("Slowest loads"), longest = Math.max(...s.slowest_loads.map(r => r.latency.value));
    s.slowest_loads.forEach(r => {
      const at = r.stages.map(x => x.at.value), index = name => s.loads.stages.findIndex(y => y.stage === name), parts = s.loads.stages.map(() => null);
      r.stages.slice(1).forEach((x, i) => { parts[index(x.stage)] = at[i + 1] - at[i]; });
      box.append(requestRow([0, r.port, r.address, r.tag, at[0], parts], longest));
    });
  }
  figures();
};

const latencies = () => {
  const box = section("Latency by kind", "Requests in bins an eighth of their latency wide, and the share of them that was answered within it" + (samples ? "; a click on a bar opens requests of it." : "."));
  const all = [...new Set(s.kinds.flatMap(k => k.histogram.from.values))].sort((a, b) => a - b);
  const open = p => {
    const kind = s.kinds[p.seriesIndex % s.kinds.length], low = all[p.dataIndex], high = all[p.dataIndex + 1] || Infinity;
    const some = samples.by_latency[kind.kind].filter(i => { const ns = samples.requests[i][5].reduce((a, x) => a + (x || 0), 0); return ns >= low - .6 && ns < high + .6; });
    showRequests(panel, kind.kind + ": some of " + duration(low) + (high < Infinity ? " to " + duration(high) : " and more"), some);
  };
  chart(box, "histogram and cumulative distribution of latency by kind", 430, () => {
    const counts = s.kinds.map(k => { const of = new Map(k.histogram.from.values.map((f, i) => [f, k.histogram.count.values[i]])); return all.map(f => of.get(f) || 0); });
    const series = s.kinds.map((k, i) => ({type: "bar", stack: "n", name: k.kind, barCategoryGap: "4%", itemStyle: {color: kindColours[k.kind]}, emphasis: {itemStyle: {borderColor: css("--fg"), borderWidth: 2}}, data: counts[i]}));
    s.kinds.forEach((k, i) => {
      let sum = 0;
      series.push({type: "line", name: k.kind, xAxisIndex: 1, yAxisIndex: 1, step: "end", symbol: "none", lineStyle: {width: 2, color: kindColours[k.kind]}, itemStyle: {color: kindColours[k.kind]}, data: counts[i].map(n => { sum += n; return 100 * sum / k.count.value; })});
    });
    const bin = ns => { let i = 0; while (i + 1 < all.length && all[i + 1] <= ns) ++i; return i; };
    const marks = [["50 %", s.loads.p50.value], ["99 %", s.loads.p99.value]].filter(() => s.loads.count.value);
    if (marks.length) series[0].markLine = {silent: true, symbol: "none", lineStyle: {color: css("--muted"), type: "dashed"}, label: {color: css("--muted"), fontSize: 11, formatter: p => marks[p.dataIndex][0]}, data: marks.map(m => ({xAxis: bin(m[1])}))};
    const x = (index, show) => ({type: "category", gridIndex: index, data: all.map(duration), ...axisStyle(), axisLabel: {...axisStyle().axisLabel, show}, axisTick: {show: false}});
    return {grid: [{left: 54, right: 24, top: 40, height: 200}, {left: 54, right: 24, top: 262, height: 120}], legend: {data: s.kinds.map(k => k.kind), textStyle: {color: css("--fg"), fontSize: 11}, type: "scroll", top: 0, left: 0, itemWidth: 14, itemHeight: 10, pageTextStyle: {color: css("--fg")}},
      xAxis: [x(0, false), x(1, true)], yAxis: [{type: "value", gridIndex: 0, ...axisStyle(), axisLabel: {...axisStyle().axisLabel, formatter: v => scaled(v, [[1, ""], [1e3, "k"], [1e6, "M"]])}, splitNumber: 4}, {type: "value", gridIndex: 1, max: 100, ...axisStyle(), axisLabel: {...axisStyle().axisLabel, formatter: "{value} %"}, splitNumber: 2}],
      axisPointer: {link: [{xAxisIndex: "all"}], lineStyle: {color: css("--muted")}}, series, stops: counts.flatMap((list, i) => list.map((n, j) => n ? {seriesIndex: i, dataIndex: j} : null).filter(Boolean)),
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "line"}, formatter: ps => "<b>" + esc(duration(all[ps[0].dataIndex])) + (all[ps[0].dataIndex + 1] ? " to " + esc(duration(all[ps[0].dataIndex + 1])) : "") + "</b>" +
        s.kinds.map((k, i) => [k, counts[i][ps[0].dataIndex], series[s.kinds.length + i].data[ps[0].dataIndex]]).filter(x => x[1] || (x[2] > 0 && x[2] < 100)).map(x => "<br>" + esc(x[0].kind) + ": " + esc(fmt(x[1])) + ", " + esc(fmt(x[2])) + " % so far").join("")})};
  }, samples && open).box.id = "histogram";
  const panel = requestPanel(box);
  panel.id = "histogram-requests";
  table(box, ["kind", "requests", "mean", "50 %", "90 %", "99 %", "99.9 %", "most"], s.kinds.map(k => [k.kind, fmt(k.count.value), ...["mean", "p50", "p90", "p99", "p99.9", "max"].map(p => duration(k[p].value))]));
};

// Panes one below the other, with one cursor and one zoom.
const overTime = () => {
  const panes = [], binned = (values, width) => values.map((v, i) => [i * width / 1000, v]).concat([[values.length * width / 1000, values[values.length - 1]]]);
  const pane = (name, unit, lines, more = {}) => { if (lines.length) panes.push({name, unit, lines, ...more}); };
  const of = name => samples && samples.curves[name] ? binned(samples.curves[name].values, samples.bin) : null;
  const curves = list => list.map(([key, name, colour]) => ({name, colour, data: of(key)})).filter(l => l.data);
  const width = s.series.bin.value, latency = [];
  s.series.latency.filter(k => k.kind === "load" || k.kind === "store").forEach(k => [["p50", "50 %"], ["p99", "99 %"], ["max", "most"]].forEach(([p, name], i) =>
    latency.push({name: k.kind + " " + name, colour: k.kind === "load" ? ["#56b4e9", "#0072b2", "#7a8794"][i] : ["#f0c05a", "#e69f00", "#b8a78a"][i], dashed: k.kind === "store", data: binned(k[p].values, width)})));
  pane("Latency, by when a request was accepted", "ns", latency, {log: true, tall: true});
  pane("Bandwidth", "GB/s", curves([["bandwidth_loads", "loads, to the GPU", okabe[0]], ["bandwidth_stores", "stores, to memory", okabe[1]]]));
  pane("Flits a bin", "", curves([["flits_m2s", "M2S", okabe[1]], ["flits_s2m", "S2M", okabe[0]]]));
  pane("Requests in queues, mean", "", curves([["sr_queue", "SR queues", okabe[4]], ["memory_queue", "memory queues", okabe[0]], ["endpoint_queue", "endpoints' receive queues", okabe[2]], ["media_busy", "media", okabe[3]]]));
  const levels = [["light", "#56b4e9"], ["optimal", "#009e73"], ["moderate", "#e69f00"], ["severe", "#d55e00"]], load = s.series.dev_load, sums = load.light.values.map((_, i) => levels.reduce((a, [l]) => a + load[l].values[i], 0));
  if (sums.some(n => n)) {
    // Each is drawn with those below it, the highest first, so that what shows of it is its share: [time, height, share].
    const below = sums.map(() => 0), shares = levels.map(([l, colour]) => ({name: l, colour, area: true, data: binned(load[l].values.map((v, i) => { below[i] += v; return sums[i] ? 100 * below[i] / sums[i] : null; }), width).map((d, i) => [...d, sums[i] ? 100 * load[l].values[i] / sums[i] : null])}));
    pane("DevLoad of the responses", "%", shares.filter(l => l.data.some(d => d[2])).reverse(), {max: 100});
  }
  if (samples) pane("Prefetch granularity of the root ports, mean", "B", Object.keys(samples.curves).filter(k => k.startsWith("granularity_")).map((k, i) => ({name: "port " + k.slice(12), colour: okabe[i % 8], data: of(k)})));
  pane("MemSpecRd a bin", "", curves([["memspecrd_sent", "sent", okabe[0]], ["memspecrd_filled", "lines filled", okabe[2]], ["memspecrd_dropped", "dropped", okabe[5]]]));
  pane("Lines that deterministic store holds, most of a port", "", curves([["ds_deferred", "deferred", okabe[3]]]));
  pane("Flash operations a bin", "", curves([["programs", "pages programmed", okabe[1]], ["collections", "collections and erases", okabe[5]], ["suspends", "suspended for reads", okabe[4]]]));
  pane("Page faults a bin", "", curves([["page_faults", "entries of the fault buffer", okabe[5]]]));
  pane("Pages moved a bin", "", curves([["pages_in", "into GPU memory", okabe[0]], ["pages_out", "out of it", okabe[1]]]));
  pane("Faults of the links a bin", "flits", curves([["flits_damaged", "damaged", okabe[5]], ["flits_retry", "of retries", okabe[3]]]));
  if (!panes.length) return;
  const box = section("Over time", "One cursor through all. Zoom: drag the slider, pinch, or Ctrl and the wheel; keys + and −, arrows move the cursor.");
  const windows = [], gc = s.scripted_collection, out = s.link_outage;
  if (gc) gc.starts.values.forEach(t => windows.push(["collection", t / 1000, t / 1000 + gc.busy.value]));
  if (out && out.down_at) windows.push(["link down", out.down_at.value / 1000, ((out.recovered_at || s.end_to_end).value) / 1000]);
  if (windows.length) box.append(make("p", "Shaded: " + [...new Set(windows.map(w => w[0]))].join(", ") + (gc ? " (scripted, of " + fmt(gc.dies.value) + " % of the dies)" : "") + ".", {class: "muted"}));
  const heights = panes.map(p => p.tall ? 150 : 84), tops = [];
  let y = 0;
  panes.forEach((p, i) => { tops.push(y + 40); y += heights[i] + 58; });
  const c = chart(box, "curves over time: " + panes.map(p => p.name).join(", "), y + 50, wide => {
    const series = [], end = Math.max(s.end_to_end.value, s.drained.value) / 1000;
    const pace = time => time >= 1e4 ? fmt(time / 1000) + " ms" : fmt(time) + " µs";
    panes.forEach((p, i) => p.lines.forEach((l, j) => series.push({type: "line", name: l.name, id: i + "/" + j, xAxisIndex: i, yAxisIndex: i, step: "end", symbol: "none", z: 2 + j, areaStyle: l.area ? {opacity: 1, origin: "start"} : undefined,
      lineStyle: {width: l.area ? 0 : 1.5, type: l.dashed ? "dashed" : "solid"}, color: l.colour, emphasis: {disabled: true}, data: l.data.map(d => [d[0], p.log && !(d[1] > 0) ? null : d[1], d[2]]),
      markArea: j === 0 && windows.length ? {silent: true, itemStyle: {color: css("--muted"), opacity: .18}, data: windows.map(w => [{xAxis: w[1]}, {xAxis: w[2]}])} : undefined})));
    const most = panes.map(p => Math.max(...p.lines.flatMap(l => l.data.map(d => d[1] || 0))));
    return {title: panes.map((p, i) => ({text: p.name + (p.unit ? ", " + p.unit : ""), left: 0, top: tops[i] - 40, textStyle: {fontSize: 12, fontWeight: 600, color: css("--fg"), width: wide - 10, overflow: "truncate"}})),
      legend: panes.map((p, i) => ({data: p.lines.map(l => l.name), left: 0, top: tops[i] - 23, itemWidth: 12, itemHeight: 8, itemGap: 8, type: "scroll", width: wide - 10, textStyle: {color: css("--muted"), fontSize: 11}, pageTextStyle: {color: css("--muted")}, pageIconSize: 10})),
      grid: panes.map((p, i) => ({left: 48, right: 24, top: tops[i], height: heights[i]})),
      xAxis: panes.map((p, i) => ({type: "value", gridIndex: i, min: 0, max: end, ...axisStyle(), splitLine: {show: false}, splitNumber: wide < 500 ? 3 : 6, axisLabel: {...axisStyle().axisLabel, show: i === panes.length - 1, formatter: pace, showMaxLabel: false}, axisPointer: {show: true, label: {show: i === panes.length - 1, formatter: v => pace(v.value)}}})),
      yAxis: panes.map((p, i) => ({type: p.log ? "log" : "value", gridIndex: i, max: p.max, ...axisStyle(), splitNumber: p.tall ? 4 : 2, axisLabel: {...axisStyle().axisLabel, formatter: v => p.unit === "ns" ? duration(v) : scaled(v, [[1, ""], [1e3, "k"], [1e6, "M"]]).trim()}, min: most[i] && p.log ? "dataMin" : undefined})),
      axisPointer: {link: [{xAxisIndex: "all"}], lineStyle: {color: css("--fg")}}, series,
      dataZoom: [{type: "slider", xAxisIndex: panes.map((_, i) => i), bottom: 4, height: 22, showDetail: false, borderColor: css("--line"), textStyle: {color: css("--muted")}, ...c.zoom}, {type: "inside", xAxisIndex: panes.map((_, i) => i), zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, ...c.zoom}],
      stops: (panes[0].lines[0] ? panes[0].lines[0].data : []).map((_, i) => ({seriesIndex: 0, dataIndex: i})),
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "line"}, formatter: ps => "<b>" + esc(pace(ps[0].axisValue)) + "</b>" + panes.map((p, i) => {
        const here = ps.filter(q => q.axisIndex === i && q.value && q.value[1] !== null && q.value[1] !== undefined);
        return here.length ? "<br><span style='opacity:.75'>" + esc(p.name) + "</span><br>" + here.map(q => q.marker + esc(q.seriesName) + " " + esc(p.unit === "ns" ? duration(q.value[1]) : fmt(q.value.length > 2 && q.value[2] !== undefined ? q.value[2] : q.value[1]) + (p.unit ? " " + p.unit : ""))).join(", ") : "";
      }).join("")})};
  });
  c.zoom = {start: 0, end: 100};
  c.box.id = "time";
  c.box.addEventListener("keydown", e => {
    if (!c.view || (e.key !== "+" && e.key !== "-" && e.key !== "0")) return;
    const now = c.view.getOption().dataZoom[0], middle = (now.start + now.end) / 2, half = (now.end - now.start) / (e.key === "+" ? 4 : 1);
    c.zoom = e.key === "0" ? {start: 0, end: 100} : {start: Math.max(0, middle - half), end: Math.min(100, middle + half)};
    c.view.dispatchAction({type: "dataZoom", dataZoomIndex: 0, ...c.zoom});
  });
};

const addresses = () => {
  const list = samples && samples.accesses;
  if (!list || !list.loads.points.length) return;
  const kinds = [["loads", "loads", okabe[0], "circle", 3.5], ["memspecrd", "MemSpecRd", okabe[1], "diamond", 6], ["fills", "fills ahead", okabe[2], "triangle", 6]].filter(k => list[k[0]].points.length);
  const kept = kinds.map(k => fmt(list[k[0]].points.length) + " of " + fmt(list[k[0]].of) + " " + k[1]).join(", ");
  const box = section("Addresses over time", "Host physical addresses; shown: " + kept + ".");
  const base = Math.min(...kinds.map(k => list[k[0]].points.reduce((a, p) => Math.min(a, p[1]), Infinity)));
  const hex = v => "0x" + Math.round(v).toString(16);
  chart(box, "addresses of loads, MemSpecRd and fills over time", 380, wide => ({
    grid: {left: 82, right: 24, top: 34, bottom: 70}, legend: {data: kinds.map(k => k[1]), left: 0, top: 0, textStyle: {color: css("--fg"), fontSize: 11}},
    xAxis: {type: "value", min: 0, ...axisStyle(), splitLine: {show: false}, splitNumber: wide < 500 ? 3 : 6, axisLabel: {...axisStyle().axisLabel, formatter: v => duration(v)}},
    yAxis: {type: "value", scale: true, min: base, ...axisStyle(), splitNumber: 4, axisLabel: {...axisStyle().axisLabel, formatter: hex, fontSize: 10}},
    dataZoom: [{type: "slider", bottom: 8, height: 20, showDetail: false, borderColor: css("--line")}, {type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false}, {type: "inside", yAxisIndex: 0, zoomOnMouseWheel: "shift", moveOnMouseWheel: false, filterMode: "none"}],
    series: kinds.map(k => ({type: "scatter", name: k[1], symbol: k[3], symbolSize: k[4], itemStyle: {color: k[2], opacity: .75}, data: list[k[0]].points})),
    stops: list.loads.points.map((_, i) => ({seriesIndex: 0, dataIndex: i})),
    tooltip: tooltip({trigger: "item", formatter: p => "<b>" + esc(p.seriesName) + "</b> " + esc(hex(p.value[1])) + "<br>at " + esc(duration(p.value[0])) + (p.seriesName === "loads" ? "<br>" + esc(duration(p.value[2])) : p.seriesName === "MemSpecRd" ? "<br>" + esc(fmt(p.value[2])) + " granules of 256 B" : "")})
  })).box.id = "addresses";
};

const figures = () => {
  const all = fold("All figures"), box = make("div", null, {class: "figures"});
  all.append(box);
  const group = (name, rows) => { if (!rows.length) return; box.append(make("h3", name)); table(box, null, rows); };
  group("Run", [["end-to-end time", fig(s.end_to_end)], ["data set", fig(s.data_set)], ["GPU memory", fig(s.local_memory)], ["loads checked", fig(s.checks.reads_checked)], ["mismatches", fig(s.checks.mismatches)], ["seconds it took", fig(s.wall)],
    ...(s.internal_dram.value ? [["endpoints' internal DRAM, all ports", fig(s.internal_dram)]] : [])]);
  if (s.memspecrd.sent.value) group("Speculation", [["MemSpecRd sent", fig(s.memspecrd.sent)], ["lines filled", fig(s.memspecrd.filled)], ["useful lines", fig(s.memspecrd.useful_lines)], ["late lines", fig(s.memspecrd.late_lines)], ["evicted unused", fig(s.memspecrd.evicted_unused)], ["dropped", fig(s.memspecrd.dropped)],
    ...s.memspecrd.root_ports.flatMap((p, i) => Object.entries(p).map(([k, f]) => ["port " + i + ", " + plain(k), fig(f)]))]);
  if (s.hints.host_bridge.hints.value) group("Hints of kernels", [["hints", fig(s.hints.host_bridge.hints)], ["lost on the way", fig(s.hints.host_bridge.lost)], ["requested", fig(s.hints.hint_granules)], ["useful", fig(s.hints.hint_useful)], ["late", fig(s.hints.hint_late)], ["lost", fig(s.hints.hint_lost)], ["wasted", fig(s.hints.hint_wasted)]]);
  if (s.paging) {
    const flat = (part, prefix) => Object.entries(part).flatMap(([name, f]) => f && f.unit ? [[plain(prefix + name), fig(f)]] : f && typeof f === "object" ? flat(f, prefix + name + ", ") : []);
    group("Pages", flat(s.paging, ""));
  }
  if (s.io) {
    group("I/O", Object.entries(s.io).filter(([, f]) => f.unit).map(([k, f]) => [plain(k), fig(f)]).concat(Object.entries(s.io.steps).filter(([, f]) => f.count.value).flatMap(([k, f]) => [["step " + plain(k) + ", times", fig(f.count)], ["step " + plain(k) + ", time", fig(f.time)]])));
  }
  if (s.copy) {
    const flat = (one, prefix) => Object.entries(one).filter(([, f]) => f && f.unit).map(([k, f]) => [prefix + plain(k), fig(f)]);
    group("Copies", [...flat(s.copy, ""), ...s.copy.streams.flatMap((one, i) => flat(one, "stream " + i + ", ")),
      ...s.copy.links.flatMap((one, i) => flat(one, "link of GPU " + i + ", "))]);
  }
  if (s.prefix) {
    const flat = (one, prefix) => Object.entries(one).flatMap(([name, f]) => f && f.unit ? [[plain(prefix + name), fig(f)]] : f && typeof f === "object" && !Array.isArray(f) ? flat(f, prefix + name + ", ") : []);
    group("Prefixes", [...flat(s.prefix, ""), ...s.prefix.links.flatMap((one, i) => flat(one, "link of GPU " + i + ", "))]);
  }
  if (s.gpu) group("GPU", Object.entries(s.gpu).filter(([, f]) => f.unit && f.value).map(([k, f]) => [plain(k), fig(f)]).concat(Object.entries(s.gpu.slots).map(([k, f]) => ["issue slots: " + plain(k), fig(f)])));
  s.internal_dram_counters.forEach((d, i) => { if (d) group("Internal DRAM of endpoint " + i, Object.entries(d).filter(([, f]) => f.value).map(([k, f]) => [plain(k), fig(f)])); });
  s.deterministic_store.forEach((d, i) => group("Deterministic store, port " + i, Object.entries(d).filter(([, f]) => f.value).map(([k, f]) => [plain(k), fig(f)])));
  ["m2s", "s2m"].forEach(d => { if (s.flits[d].all.value) group("Flits " + d.toUpperCase(), Object.entries(s.flits[d]).filter(([, f]) => f.value).map(([k, f]) => [plain(k), fmt(f.value)])); });
  s.media_counters.forEach((m, i) => group("Medium of endpoint " + i, Object.entries(m).filter(([, f]) => f.value).map(([k, f]) => [plain(k), fig(f)])));
  if (s.cosim) group("Model against RTL", Object.entries(s.cosim).filter(([, f]) => f && f.unit).map(([k, f]) => [plain(k), fig(f)]));
  const stages = fold("Mean time by stage, as a table");
  table(stages, ["stage", ...s.kinds.map(k => k.kind)], usedStages(s.kinds.map(k => stagesOf(k, s))).map(key => [stageName(key), ...s.kinds.map(k => duration(k.stages.find(x => stageKey(s, x.stage) === key).mean.value))]), "wide");
  configuration(fold("Command, version and configuration"), [runs[0]]);
};
const configuration = (parent, of) => {
  of.forEach(r => {
    parent.append(make("h3", comparing ? r.label : "Command"));
    const line = make("p");
    line.append(make("code", r.stats.command));
    parent.append(line, make("p", "cxlgpu " + r.stats.version.project + ", commit " + r.stats.version.commit + ", machine " + r.stats.machine.name, {class: "muted"}));
  });
  if (of.length === 1) table(parent, ["key", "value"], flatKeys(of[0].stats.config), "text");
};

// ---- several runs ---------------------------------------------------------------------------------------------------------
const difference = (a, b) => {
  const lines = [], A = a.stats, B = b.stats, whole = ratio(B.end_to_end.value, A.end_to_end.value);
  lines.push(Math.abs(whole - 1) < .005 ? "As long as the first, to half a percent." : whole > 1 ? "Takes " + times(whole) + " the time of the first." : "Takes " + percent(whole) + " of the first's time: " + times(1 / whole) + " as fast.");
  if (A.gpu && B.gpu) {
    const of = g => Object.fromEntries(Object.entries(g.slots).map(([k, f]) => [k, f.value])), x = of(A.gpu), y = of(B.gpu), all = Object.values(x).reduce((p, n) => p + n, 0);
    const most = Object.keys(slotNames).map(k => [k, y[k] - x[k]]).sort((p, q) => Math.abs(q[1]) - Math.abs(p[1]))[0], sum = Object.values(y).reduce((p, n) => p + n, 0) - all;
    if (Math.abs(most[1]) > .005 * all) lines.push("Of the issue slots, “" + slotNames[most[0]][0] + "” changes most: " + (most[1] > 0 ? "+" : "−") + fmt(100 * Math.abs(most[1]) / all) + " % of the first's slots, of " + (sum > 0 ? "+" : "−") + fmt(100 * Math.abs(sum) / all) + " % in all.");
    const work = ratio(B.gpu.thread_instructions.value, A.gpu.thread_instructions.value);
    if (Math.abs(work - 1) > .005) lines.push("It does other work: " + times(work) + " the thread instructions.");
  }
  if (A.loads.count.value && B.loads.count.value) {
    const d = B.loads.mean.value - A.loads.mean.value, means = [A, B].map(r => new Map(stagesOf(r.loads, r)));
    const parts = stageKeys.map(k => [k, (means[1].get(k) || 0) - (means[0].get(k) || 0)]).filter(x => Math.abs(x[1]) >= .5).sort((p, q) => Math.abs(q[1]) - Math.abs(p[1])).slice(0, 3);
    lines.push("A mean load takes " + duration(B.loads.mean.value) + " in place of " + duration(A.loads.mean.value) + (parts.length ? "; of " + (d >= 0 ? "+" : "−") + duration(Math.abs(d)) + ": " + parts.map(x => stageName(x[0]) + " " + (x[1] >= 0 ? "+" : "−") + duration(Math.abs(x[1]))).join(", ") : "") + ".");
    const share = (r, kind) => { const k = r.kinds.find(x => x.kind === kind); return k ? k.count.value / r.loads.count.value : 0; };
    const mix = Object.keys(kindColours).filter(isLoad).map(k => [k, share(A, k), share(B, k)]).sort((p, q) => Math.abs(q[2] - q[1]) - Math.abs(p[2] - p[1]))[0];
    if (Math.abs(mix[2] - mix[1]) > .01) lines.push("“" + mix[0] + "” is " + percent(mix[2]) + " of the loads in place of " + percent(mix[1]) + ".");
  } else if (A.loads.count.value !== B.loads.count.value) lines.push((B.loads.count.value ? "The first" : "This one") + " sends no load out of GPU memory.");
  if (Math.abs(ratio(B.loads.count.value, A.loads.count.value || 1) - 1) > .01 && A.loads.count.value && B.loads.count.value) lines.push("It has " + fmt(B.loads.count.value) + " loads in place of " + fmt(A.loads.count.value) + ".");
  return lines;
};
const comparePage = () => {
  document.title = runs.length + " runs compared";
  el("title").textContent = runs.length + " runs compared";
  el("subtitle").textContent = runs.map(r => r.label).join(", ");
  const first = runs[0].stats, names = shortNames(runs.map(r => r.label)), name = r => names[runs.indexOf(r)];
  runs.forEach(r => r.stats.checks.problems.forEach(p => el("problems").append(make("p", r.label + ": " + p, {class: "bad"}))));
  runs.forEach((r, i) => card(duration(r.stats.end_to_end.value), name(r) + (i ? ", " + times(ratio(r.stats.end_to_end.value, first.end_to_end.value)) + " the first" : ", the first") + (r.stats.status === "clean" ? "" : ", " + r.stats.status)));
  const columns = make("div", null, {class: "columns"});
  el("body").append(columns);
  const left = section("How fast", "End to end, side by side.", columns);
  chart(left, "end-to-end time of each run", 28 + 44 * runs.length, stackedBars(runs.map((r, i) => [duration(r.stats.end_to_end.value) + (i ? ", " + times(ratio(r.stats.end_to_end.value, first.end_to_end.value)) : "") + ": " + name(r) + ", " + title(r), [["end", r.stats.end_to_end.value]]]), ["end"], () => "end to end", () => okabe[0], "ns")).box.id = "ends";
  const loaded = runs.filter(r => r.stats.loads.count.value);
  if (loaded.length) {
    left.append(make("h3", "A mean load by stage"));
    const shares = sharesButton(left);
    const rows = loaded.map(r => [name(r) + ": " + duration(r.stats.loads.mean.value), stagesOf(r.stats.loads, r.stats)]), keys = usedStages(rows.map(r => r[1]));
    shares.chart = chart(left, "mean load of each run by stage", 28 + 44 * rows.length, stackedBars(rows, keys, stageName, stageColour, "ns", shares));
    shares.chart.box.id = "waterfall";
    legendBox(left, keys.map(k => [stageName(k), stageColour(k)]));
  }
  const gpus = runs.filter(r => r.stats.gpu);
  if (gpus.length) {
    left.append(make("h3", "Issue slots of the GPU"));
    chart(left, "issue slots of each run", 20 + 40 * gpus.length, stackedBars(gpus.map(r => [name(r), slotShares(r.stats.gpu)]), Object.keys(slotNames), k => slotNames[k][0], k => slotNames[k][1], "%")).box.id = "slots";
    legendBox(left, Object.values(slotNames));
  }
  const right = section("What explains the difference", "Against the first, " + runs[0].label + ".", columns);
  runs.slice(1).forEach(r => { right.append(make("h3", r.label)); difference(runs[0], r).forEach(line => right.append(make("p", line))); });
  const all = [...new Set(runs.flatMap(r => flatKeys(r.stats.config).map(x => x[0])))].map(key => [key, ...runs.map(r => { const found = flatKeys(r.stats.config).find(x => x[0] === key); return found ? found[1] : "-"; })]);
  const differ = all.filter(row => row.slice(1).some(v => v !== row[1]));
  const config = section("What differs in the configuration", differ.length ? null : "Nothing.");
  if (differ.length) table(config, ["key", ...runs.map(name)], differ, "wide");
  if (loaded.length) {
    const box = section("Latency of loads", "The share of all loads that was answered within a time.");
    chart(box, "cumulative distribution of load latency of each run", 300, () => ({
      grid: {left: 48, right: 24, top: 34, bottom: 28}, legend: {data: loaded.map(name), left: 0, top: 0, type: "scroll", textStyle: {color: css("--fg"), fontSize: 11}},
      xAxis: {type: "log", min: "dataMin", ...axisStyle(), axisLabel: {...axisStyle().axisLabel, formatter: duration}}, yAxis: {type: "value", max: 100, ...axisStyle(), axisLabel: {...axisStyle().axisLabel, formatter: "{value} %"}},
      series: loaded.map(r => { let sum = 0; return {type: "line", step: "end", symbol: "none", name: name(r), color: runColour(runs.indexOf(r)), lineStyle: {width: 2, type: ["solid", "dashed", "dotted"][runs.indexOf(r) % 3]}, data: histogramOf(r.stats, isLoad).map(([from, n]) => [Math.max(from, .1), 100 * (sum += n) / r.stats.loads.count.value])}; }),
      tooltip: tooltip({trigger: "axis", formatter: ps => "<b>" + esc(duration(ps[0].value[0])) + "</b>" + ps.map(p => "<br>" + p.marker + esc(p.seriesName) + " " + esc(fmt(p.value[1])) + " %").join("")})
    })).box.id = "cdf";
  }
  const rows = [], row = (label, of) => { const values = runs.map(r => of(r.stats)); if (values.some(f => f && f.value)) rows.push([label, ...values.map(f => f ? fig(f) : "-")]); };
  row("end to end", r => r.end_to_end); row("load, mean", r => r.loads.mean); row("load, 50 %", r => r.loads.p50); row("load, 99 %", r => r.loads.p99); row("load, 99.9 %", r => r.loads["p99.9"]); row("loads", r => r.loads.count);
  row("store, mean", r => r.stores.mean); row("store, 99 %", r => r.stores.p99); row("stores", r => r.stores.count); row("internal-DRAM hit rate", r => r.internal_dram_lookups.hit_rate); row("MemSpecRd", r => r.memspecrd.sent); row("useful lines", r => r.memspecrd.useful_lines);
  row("flits M2S", r => r.flits.m2s.all); row("flits S2M", r => r.flits.s2m.all); row("damaged flits S2M", r => r.flits.s2m.damaged); row("IPC a core", r => r.gpu && r.gpu.ipc); row("occupancy", r => r.gpu && r.gpu.occupancy); row("L1 hit rate", r => r.gpu && r.gpu.l1_hit_rate); row("LLC hit rate", r => r.gpu && r.gpu.llc_hit_rate); row("seconds it took", r => r.wall);
  table(section("Figures side by side"), ["figure", ...runs.map(name)], rows, "wide");
  configuration(fold("Commands and versions"), runs);
};

comparing ? comparePage() : onePage();
