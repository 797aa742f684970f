#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The page of a sweep in a browser: no error, every chart drawn, the table sorts, axes keep points, nothing cut.

Runs small sweeps, opens each page in headless Chromium at 1300 and at 390 pixels, light and dark, and looks. A sweep
whose names are hostile (tags, quotes, formulas) must be one as any other, and raise no alert.
Usage: tests/cli/sweep_browser.py --cxlgpu build/bin/cxlgpu [--browser FILE] [--shots DIR] [--work DIR] [--points N]
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

import report_browser

HOSTILE = "a'\"<script>alert(1)<img src=x onerror=alert(2)>=cmd;&"
TRACE = "cycle,rw,addr,bytes\n0,R,0x0,64\n20,W,0x40,64\n90,R,0x40,64\n"
SWEEPS = {
    "grid": """title: SR queue, link and policy
scenario: [vadd-znand-cxl, vadd-znand-sr, vadd-znand-stream]
set: {workload.size: 8192}
grid:
  root_port.sr_queue_entries: [4, 8, 16, 32]
  link.lanes: [4, 8]
  endpoint.cache_bytes: [64KiB, 256KiB]
""",
    "random": """title: 200 points drawn at random
set: {workload.size: 4096}
random:
  points: 200
  keys:
    scenario: {choice: [vadd-znand-cxl, vadd-znand-sr, vadd-znand-stream]}
    root_port.sr_queue_entries: {int: [1, 32]}
    endpoint.cache_bytes: {log: [16KiB, 1MiB]}
    link.lanes: {choice: [2, 4, 8]}
    gpu.warps: {int: [1, 16]}
objective: loads.mean
""",
    "hostile": f"""title: "{HOSTILE.replace('"', chr(92) + '"')}"
scenario: [vadd-znand-sr, vadd-znand-cxl]
trace: ["{HOSTILE.replace('"', chr(92) + '"').replace("/", "")}.csv", "=cmd.csv"]
grid: {{link.lanes: [4, 8], run.limit_us: [1, 1000]}}
objective: "{HOSTILE.replace('"', chr(92) + '"')}"
""",
}
# Where the axis of the objective begins, its angle and its length.
LAST_AXIS = """() => {
  const box = document.getElementById('parallel').getBoundingClientRect();
  const model = charts.find(c => c.box.id === 'parallel').view.getModel();
  const c = model.getComponent('parallel').coordinateSystem, name = c.dimensions[c.dimensions.length - 1];
  const layout = c.getAxisLayout(name), extent = c.getAxis(name).getExtent();
  return {x: box.x + layout.position[0], y: box.y + layout.position[1], turned: layout.rotation,
          length: Math.abs(extent[1] - extent[0])};
}"""
ORDER = """() => [...document.querySelectorAll('#points tbody tr')].map(r => [...r.cells].map(c => c.textContent))"""


def table(p):
    return p.page.evaluate(ORDER)


def sorts(p):
    """Every heading sorts up, then down, also by the keyboard."""
    headings = p.page.query_selector_all("#points th button")
    p.expect("no headings", len(headings) > 4)
    name = "#"
    p.page.click("#points th button >> nth=0")
    p.page.keyboard.press("Enter")
    numbers = [int(row[0].replace(",", "")) for row in table(p)]
    p.expect(f"{name}: does not sort down", numbers == sorted(numbers, reverse=True) or numbers == sorted(numbers))
    first = numbers[0]
    p.page.keyboard.press("Enter")
    p.expect(
        f"{name}: Enter does not turn the order", len(numbers) < 2 or int(table(p)[0][0].replace(",", "")) != first
    )
    for at in range(len(headings)):
        p.page.click(f"#points th button >> nth={at}")
        state = p.page.evaluate("n => document.querySelectorAll('#points th')[n].getAttribute('aria-sort')", at)
        p.expect(f"heading {at}: {state}", state in ("ascending", "descending"))


def filters(p):
    before = p.page.inner_text("#told")
    p.page.fill("#filter", "vadd-znand-sr")
    rows = table(p)
    p.expect("the filter leaves other rows", rows and all("vadd-znand-sr" in " ".join(row) for row in rows))
    p.page.fill("#filter", "")
    p.expect("rows are not back", p.page.inner_text("#told") == before)


def brushes(p):
    """An axis keeps some points, here and in the table, until the button gives all back."""
    p.page.evaluate("charts.find(c => c.box.id === 'parallel').box.scrollIntoView({block: 'center'})")
    p.page.wait_for_timeout(200)
    before = p.page.inner_text("#told")
    box = p.page.evaluate(LAST_AXIS)
    upright = abs(box["turned"]) > 0.1
    at = (lambda d: (box["x"], box["y"] - d)) if upright else (lambda d: (box["x"] + d, box["y"]))
    p.page.mouse.move(*at(box["length"] * 0.02))
    p.page.mouse.down()
    for share in (0.1, 0.2, 0.3):
        p.page.mouse.move(*at(box["length"] * share))
    p.page.mouse.up()
    p.page.wait_for_timeout(300)
    p.expect("an axis keeps no points", p.page.inner_text("#told") != before)
    p.page.click("text=all points")
    p.page.wait_for_timeout(200)
    p.expect("not all points are back", p.page.inner_text("#told") == before)


def chooses(p, other):
    """Another objective changes cards, charts and table, and back."""
    before, value = p.page.inner_text("#cards"), p.page.input_value("#objective")
    p.page.select_option("#objective", other)
    p.expect("another objective changes nothing", p.page.inner_text("#cards") != before)
    p.draw_all()
    p.page.select_option("#objective", value)
    p.page.select_option("#better", "higher")
    p.expect("higher changes nothing", p.page.inner_text("#cards") != before)
    p.page.select_option("#better", "lower")
    p.expect("the page is not as it was", p.page.inner_text("#cards") == before)


def look(browser, name, file, width, theme, shots):
    p = report_browser.Page(browser, file, width, theme)
    charts = p.draw_all()
    p.expect("no chart", charts)
    for chart in charts:
        label = chart.get_attribute("aria-label")
        p.expect(f"{label}: no pixels", p.page.evaluate(report_browser.PIXELS, chart) > 3)
        p.expect(f"{label}: not reached by the keyboard", chart.get_attribute("tabindex") == "0")
    p.page.evaluate("scrollTo(0, 0)")
    if shots:
        whole = {"x": 0, "y": 0, "width": width, "height": 1560 if width > 600 else 3300}  # down to the table
        p.page.screenshot(path=shots / f"sweep-{name}-{width}-{theme}.png", full_page=True, clip=whole)
    # A wide table scrolls in its own box.
    for cut in p.page.evaluate(report_browser.CUT.replace("'body *'", "'body *:not(.scroll *)'"))[:3]:
        p.bad.append(f"cut: {cut}")
    p.expect("theme", p.page.evaluate("document.documentElement.dataset.theme") == theme)
    sorts(p)
    if name != "hostile":
        filters(p)
        chooses(p, "loads.max")
        brushes(p)
    p.page.focus("#parallel")
    for key in ("ArrowRight", "ArrowRight", "Escape"):
        p.page.keyboard.press(key)
    p.expect("arrows tell no point", "link.lanes=" in p.page.inner_text("#parallel-told"))
    shown = p.page.inner_text("body")
    for what in ("cxlgpu sweep", "Sensitivity", "link.lanes") + ((HOSTILE,) if name == "hostile" else ()):
        p.expect(f"the page does not show '{what}'", what in shown)
    links = p.page.evaluate("[...document.querySelectorAll('#points a')].map(a => a.getAttribute('href'))")
    p.expect("no link to a report", any(link.endswith("/report.html") for link in links) or name == "many")
    for link in links:
        p.expect(f"a link to nothing: {link}", (file.parent / link).is_file())
    paint = dict(p.page.evaluate(report_browser.PAINT)).get("first-contentful-paint", 0)
    p.page.close()
    return p.bad, paint


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cxlgpu", type=pathlib.Path, required=True)
    parser.add_argument("--browser", default=os.environ.get("CHROMIUM") or shutil.which("chromium"))
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="sweeps made before are kept there, and go on")
    parser.add_argument("--points", type=int, default=0, help="a sweep of so many points at random, besides")
    a = parser.parse_args()
    if not a.browser:
        print("sweep-test: there is no chromium; install it, or name one with CHROMIUM=FILE", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    work = a.work or pathlib.Path(tempfile.mkdtemp(prefix="sweep_"))
    work.mkdir(parents=True, exist_ok=True)
    if a.shots:
        a.shots.mkdir(parents=True, exist_ok=True)
    for name in (HOSTILE.replace("/", "") + ".csv", "=cmd.csv"):
        (work / name).write_text(TRACE)
    sweeps = dict(SWEEPS)
    if a.points:
        sweeps["many"] = SWEEPS["random"].replace("200", str(a.points))
    pages = {}
    for name, text in sweeps.items():
        (work / f"{name}.yaml").write_text(text)
        more = ["--no-reports"] if name == "many" else []
        command = [a.cxlgpu.resolve(), "sweep", f"{name}.yaml", "--out", name, "--csv", f"{name}.csv", *more]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            print(f"{name}: {done.stderr}", file=sys.stderr)
            return 1
        pages[name] = work / name / "sweep.html"

    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=a.browser, args=["--no-sandbox", "--disable-gpu"])
        for name, file in pages.items():
            for width, theme in ((1300, "light"), (1300, "dark"), (390, "light"), (390, "dark")):
                bad, paint = look(browser, name, file, width, theme, a.shots)
                if paint > 3000:
                    bad.append(f"first paint after {paint:.0f} ms")
                size = f"{file.stat().st_size:8} bytes, first paint {paint:5.0f} ms"
                print(f"{name:8} {width:5} {theme:5} {size}: {'FAILED' if bad else 'ok'}", flush=True)
                for line in bad[:8]:
                    print("  " + line)
                failed += bool(bad)
        browser.close()
    if not a.work:
        shutil.rmtree(work)
    print(f"{4 * len(pages) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
