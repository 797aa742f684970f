#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The report page in a browser: no error, every chart drawn, bars open their requests, nothing cut on a phone.

Runs small scenarios, opens each page in headless Chromium at 1300 and at 390 pixels, light and dark, and looks: no line
on the console, pixels of more than one colour in every chart, requests after a click and after Enter, no element wider
than the screen, no alert from a hostile name, first paint and size of the file.
Usage: tests/cli/report_browser.py --cxlgpu build/bin/cxlgpu [--browser FILE] [--shots DIR] [--work DIR]
Needs the Python package playwright; the browser is --browser, else $CHROMIUM, else `chromium` of the distribution.
Exit status: 0 passed, 1 failed, 2 there is no browser.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def of(scenario, *keys, engine="model"):
    return [scenario, "--engine", engine, *(word for key in keys for word in ("--set", key))]


RUNS = {
    "sr": of("vadd-znand-sr", "workload.size=65536", "endpoint.cache_bytes=64KiB"),
    "cxl": of("vadd-znand-cxl", "workload.size=65536"),
    "local": of("vadd-znand-gpu-dram", "workload.size=65536"),
    "uvm": of("vadd-znand-uvm", "workload.size=65536"),
    "ds": of("sort-nand-ds", "workload.size=4096", "endpoint.open_lines=0"),
    "noisy": of("bfs-znand-sr", "workload.size=1024", "link.bit_error_rate_s2m=1e-5", engine="cosim"),
    "moe": of("kvdecode-znand-sr", "workload.size=4", "workload.iterations=2"),
}
SCREENS = ((1300, "light"), (1300, "dark"), (390, "light"), (390, "dark"))
HOSTILE = "a'\"<script>alert(1)<img src=x onerror=alert(2)>=cmd;&"
PIXELS = """box => {
  const c = box.querySelector('canvas'), seen = new Set();
  if (!c) return 0;
  const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (let i = 0; i < d.length; i += 4)
    if (d[i + 3] > 40) seen.add((d[i] >> 4) << 8 | (d[i + 1] >> 4) << 4 | d[i + 2] >> 4);
  return seen.size;
}"""
CUT = """() => {
  const w = document.documentElement.clientWidth, bad = [];
  if (document.documentElement.scrollWidth > w) bad.push('page of ' + document.documentElement.scrollWidth);
  document.querySelectorAll('body *').forEach(e => {
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > w + 1 || r.left < -1)) bad.push(e.tagName + '.' + e.className + ' to ' + r.right);
  });
  return bad;
}"""
# Labels lie inside their canvas: [chart, text, left, right] of those that do not. A legend has pages.
CUT_LABELS = """() => charts.filter(c => c.view).flatMap(c => {
  const width = c.view.getWidth(), bad = [], legend = new Set(c.view.getOption().series.map(s => s.name));
  c.view.getZr().storage.getDisplayList(true).forEach(e => {
    if (e.type !== 'tspan' || e.ignore || e.invisible || legend.has(e.style.text)) return;
    const r = e.getBoundingRect().clone();
    if (e.transform) r.applyTransform(e.transform);
    if (r.x < -1 || r.x + r.width > width + 1) bad.push([c.box.id, e.style.text, r.x, r.x + r.width]);
  });
  return bad;
})"""
# The middle of the longest part that begins at 0.
LONGEST = """() => {
  const c = charts.find(c => c.box.id === 'waterfall'), o = c.view.getOption();
  const first = o.yAxis[0].data.map((_, row) => o.series.map(s => s.data[row].value ?? s.data[row]).find(v => v > 0));
  const most = Math.max(...first);
  return c.view.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [most / 2, first.indexOf(most)]);
}"""
# How long each row of the waterfall is.
SUMS = """() => {
  const o = charts.find(c => c.box.id === 'waterfall').view.getOption();
  return o.yAxis[0].data.map((_, row) => o.series.reduce((sum, s) => sum + (s.data[row].value ?? s.data[row]), 0));
}"""
PAINT = "() => performance.getEntriesByType('paint').map(e => [e.name, e.startTime])"


class Page:
    """A page in the browser, with what went wrong with it."""

    def __init__(self, browser, file, width, theme):
        self.bad = []
        screen = {"width": width, "height": 900}
        self.page = browser.new_page(viewport=screen, color_scheme=theme, device_scale_factor=1)
        self.page.on("console", lambda m: self.bad.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.bad.append(f"error: {e}"))
        self.page.on("dialog", lambda d: (self.bad.append(f"alert: {d.message}"), d.dismiss()))
        self.page.on("request", lambda r: r.url.startswith(("file:", "data:")) or self.bad.append(r.url))
        self.page.goto(file.resolve().as_uri())
        self.page.wait_for_selector("#body > *")

    def draw_all(self):
        charts = self.page.query_selector_all(".chart")
        for chart in charts:
            chart.scroll_into_view_if_needed()
            self.page.wait_for_function("box => box.querySelector('canvas') !== null", arg=chart, timeout=5000)
        self.page.wait_for_timeout(150)
        return charts

    def expect(self, what, true):
        if not true:
            self.bad.append(what)


def look(browser, name, file, width, theme, shots):
    p = Page(browser, file, width, theme)
    charts = p.draw_all()
    p.expect("no chart", charts)
    for chart in charts:
        label = chart.get_attribute("aria-label")
        p.expect(f"{label}: no pixels", p.page.evaluate(PIXELS, chart) > 3)
        p.expect("a chart without a name", label)
        p.expect(f"{label}: not reached by the keyboard", chart.get_attribute("tabindex") == "0")
    for cut in p.page.evaluate(CUT)[:3]:
        p.bad.append(f"cut: {cut}")
    for cut in p.page.evaluate(CUT_LABELS)[:3]:
        p.bad.append(f"a label is cut: {cut}")
    p.expect("theme", p.page.evaluate("document.documentElement.dataset.theme") == theme)
    if name != "compared":
        opens(p)
    p.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    shown = p.page.inner_text("body")
    for what in (" run ", "commit ", "gpu.cores"):
        p.expect(f"the page does not show '{what}'", what in shown or (name == "compared" and what == "gpu.cores"))
    p.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = false; })")
    equals(p)
    p.page.evaluate("scrollTo(0, 0)")
    if shots:
        p.page.screenshot(path=shots / f"{name}-{width}-{theme}.png", full_page=True)
    paint = dict(p.page.evaluate(PAINT)).get("first-contentful-paint", 0)
    p.page.close()
    return p.bad, paint


def pictures(browser, cxlgpu, work, folder):
    """The first screens that docs/guide/report.md shows: a run, and three compared."""
    work.mkdir(exist_ok=True)
    three = {"cxl": RUNS["cxl"], "sr": of("vadd-znand-sr", "workload.size=65536"), "local": RUNS["local"]}
    for name, args in three.items():
        subprocess.run([cxlgpu, "run", *args, "--quiet", "--out", name], cwd=work, check=True)
    command = [cxlgpu, "report", *three, "--out", "compared.html"]
    subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in {"run": work / "sr/report.html", "compared": work / "compared.html"}.items():
        for width, theme in SCREENS:
            p = Page(browser, file, width, theme)
            p.page.set_viewport_size({"width": width, "height": 820})
            p.draw_all()
            p.page.evaluate("scrollTo(0, 0)")
            p.page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
            p.page.close()


def opens(p):
    """A click on a bar, and Enter on one that arrows reached, open its requests."""
    for chart in ("#waterfall", "#histogram"):
        if not p.page.query_selector(chart) or not p.page.query_selector(chart + "-requests"):
            continue
        panel = chart + "-requests"
        count = f"document.querySelector('{panel}').dataset.requests || 0"
        if chart == "#waterfall":
            p.page.query_selector(chart).scroll_into_view_if_needed()
            x, y = p.page.evaluate(LONGEST)
            p.page.click(chart, position={"x": x, "y": y})
            p.expect(f"{chart}: a click opens no requests", int(p.page.evaluate(count)) > 0)
            p.page.evaluate(f"document.querySelector('{panel}').dataset.requests = 0")
        p.page.focus(chart)
        p.page.keyboard.press("ArrowRight")
        p.page.keyboard.press("Enter")
        p.expect(f"{chart}: Enter opens no requests", int(p.page.evaluate(count)) > 0)
    if p.page.query_selector("#time"):
        p.page.focus("#time")
        for key in ("ArrowRight", "+", "-", "0"):
            p.page.keyboard.press(key)


def equals(p):
    """The button that makes each row of the waterfall as long as the others, and back."""
    button = p.page.query_selector("text=each row as 100 %")
    if not button:
        return
    before = p.page.evaluate(SUMS)
    button.click()
    p.expect("rows are not as long as each other", all(abs(n - 100) < 0.01 for n in p.page.evaluate(SUMS)))
    button.click()
    p.expect("rows are not as they were", p.page.evaluate(SUMS) == before)


def alike(browser, cxlgpu, work):
    """Runs whose names are the same where they are cut are told apart."""
    folders = [f"queue-of-many-entries-{n}-lanes-of-a-width-8" for n in (16, 32)]
    for folder, run in zip(folders, ("sr", "cxl"), strict=True):
        shutil.copytree(work / run, work / folder, dirs_exist_ok=True)
    command = [cxlgpu, "report", *folders, "--out", "alike.html"]
    subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
    p = Page(browser, work / "alike.html", 1300, "light")
    heads = [cell.inner_text() for cell in p.page.query_selector_all("th")]
    names = [head for head in heads if "…" in head]
    p.expect("no name is cut", names)
    p.expect(f"two runs of one name: {names}", len(set(names)) == len(folders))
    p.page.close()
    return p.bad


def prints(browser, file, work):
    """All of it on paper, with every chart."""
    p = Page(browser, file, 1300, "dark")
    p.page.emulate_media(media="print")
    p.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    p.page.wait_for_timeout(300)
    for chart in p.page.query_selector_all(".chart"):
        p.expect("print: a chart is missing", p.page.evaluate(PIXELS, chart) > 3)
    p.expect("print: dark", p.page.evaluate("document.documentElement.dataset.theme") == "light")
    p.page.pdf(path=work / "print.pdf")
    p.expect("print: empty", (work / "print.pdf").stat().st_size > 20000)
    p.page.close()
    return p.bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cxlgpu", type=pathlib.Path, required=True)
    parser.add_argument("--browser", default=os.environ.get("CHROMIUM") or shutil.which("chromium"))
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path, help="first screens of a run and of runs compared go there")
    parser.add_argument("--work", type=pathlib.Path, help="runs made before are kept there")
    a = parser.parse_args()
    if not a.browser:
        print("report-test: there is no chromium; install it, or name one with CHROMIUM=FILE", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    work = a.work or pathlib.Path(tempfile.mkdtemp(prefix="report_"))
    work.mkdir(parents=True, exist_ok=True)
    if a.shots:
        a.shots.mkdir(parents=True, exist_ok=True)
    cxlgpu = a.cxlgpu.resolve()
    (work / HOSTILE).mkdir(exist_ok=True)
    for name, args in (RUNS | {HOSTILE: RUNS["cxl"]}).items():
        if not (work / name / "report.html").exists():
            subprocess.run([cxlgpu, "run", *args, "--quiet", "--out", name], cwd=work, check=True)
    compared = ["sr", "cxl", "local", "uvm", HOSTILE]
    command = [cxlgpu, "report", *compared, "--out", "compared.html"]
    subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
    pages = {name: work / name / "report.html" for name in [*RUNS, HOSTILE]} | {"compared": work / "compared.html"}

    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=a.browser, args=["--no-sandbox", "--disable-gpu"])
        for name, file in pages.items():
            shots = None if name == HOSTILE else a.shots
            for width, theme in SCREENS:
                bad, paint = look(browser, name, file, width, theme, shots)
                if paint > 2000:
                    bad.append(f"first paint after {paint:.0f} ms")
                if file.stat().st_size > 5_000_000:
                    bad.append(f"{file.stat().st_size} bytes")
                shown = "hostile name" if name == HOSTILE else name
                size = f"{file.stat().st_size:8} bytes, first paint {paint:5.0f} ms"
                print(f"{shown:14} {width:5} {theme:5} {size}: {'FAILED' if bad else 'ok'}", flush=True)
                for line in bad:
                    print("  " + line)
                failed += bool(bad)
        if a.pictures:
            pictures(browser, cxlgpu, work / "pictures", a.pictures)
        for what, bad in {
            "names alike": alike(browser, cxlgpu, work),
            "printed": prints(browser, pages["sr"], work),
        }.items():
            print(f"{what}: {bad or 'ok'}")
            failed += bool(bad)
        browser.close()
    if not a.work:
        shutil.rmtree(work)
    print(f"{4 * len(pages) + 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
