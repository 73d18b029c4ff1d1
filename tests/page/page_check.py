"""Opens report pages in headless Chromium and checks what a person would see.

usage: page_check.py DIR...   directories of results with an index.html

At 1280 and 390 pixels, light and dark: no error on the console, no request, no horizontal overflow,
no clipped or overlapping text, every chart has data, and the numbers equal the CSV tables. Prints
one line for each page and ends with `N passed, N failed`.
"""

import csv
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
LONGEST_OPENING_S = 2.0

# Draws every chart as scrolling does, and returns what is wrong with the page.
FINDINGS = r"""
const done = arguments[arguments.length - 1];
(async () => {
  const wait = (ms) => new Promise((go) => setTimeout(go, ms));
  const wrong = [];
  // A chart is drawn once it is in view. A busy machine needs longer for it: wait for the chart.
  for (const chart of document.querySelectorAll('.chart')) {
    chart.scrollIntoView({ block: 'center' });
    for (let waited = 0; !chart.querySelector('svg text') && waited < 5000; waited += 10) {
      await wait(10);
    }
  }
  window.scrollTo(0, 0);
  await wait(150);
  const over = document.documentElement.scrollWidth - window.innerWidth;
  if (over > 0) wrong.push(`the page is ${over} px too wide`);
  const loaded = performance.getEntriesByType('resource').filter((of) => !of.name.startsWith('data:'));
  if (loaded.length > 0) wrong.push(`requests ${loaded[0].name}`);
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('svg')) continue;
    const hides = getComputedStyle(element).overflowX;
    if (hides === 'hidden' && element.scrollWidth > element.clientWidth + 1
        && !element.closest('.chart')) {
      wrong.push(`clipped: ${element.textContent.slice(0, 60)}`);
    }
    if (element.scrollWidth > element.clientWidth + 1 && hides === 'visible'
        && element.clientWidth > 0 && !element.closest('.scroll')
        && !element.closest('.chart') && getComputedStyle(element).display === 'block') {
      wrong.push(`sticks out: ${element.tagName} ${element.textContent.slice(0, 60)}`);
    }
  }
  const charts = [...document.querySelectorAll('.chart')];
  for (const chart of charts) {
    const name = chart.getAttribute('aria-label');
    const svg = chart.querySelector('svg');
    if (!svg) { wrong.push(`${name}: not drawn`); continue; }
    const frame = svg.getBoundingClientRect();
    const filled = [...svg.querySelectorAll('path, rect, circle')].filter((shape) => {
      const fill = shape.getAttribute('fill');
      return (fill && fill !== 'none' && fill !== 'transparent') || shape.getAttribute('stroke');
    });
    const axes = svg.querySelectorAll('text').length;
    if (filled.length < 2 || axes === 0) wrong.push(`${name}: no data`);
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [text, box] of boxes) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1
          || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        wrong.push(`${name}: clipped text "${text}"`);
      }
    }
    for (let i = 0; i < boxes.length; i += 1) {
      for (let j = i + 1; j < boxes.length; j += 1) {
        const [a, b] = [boxes[i][1], boxes[j][1]];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 2 && down > 4) {
          wrong.push(`${name}: "${boxes[i][0]}" overlaps "${boxes[j][0]}"`);
        }
      }
    }
  }
  if (charts.length === 0) wrong.push('no chart');
  done(wrong.slice(0, 12));
})();
"""


def usd(value):
    """As the page prints dollars."""
    text = f"{abs(value):,.2f}"
    return ("\u2212" if value < 0 and float(text.replace(",", "")) != 0 else "") + "$" + text


def means(directory, table, value, key):
    """Of a column of a table: its mean by `key(row)`."""
    rows = defaultdict(list)
    with open(directory / f"{table}.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row[value] != "":
                rows[key(row)].append(float(row[value]))
    return {name: sum(values) / len(values) for name, values in rows.items()}


def cells(driver, caption):
    """The rows of a table of the page, as text."""
    rows = driver.execute_script(
        "const t = document.querySelector(`[aria-label='${arguments[0]}'] tbody`);"
        "return t ? [...t.rows].map((r) => [...r.cells].map((c) => c.firstChild"
        " ? c.firstChild.textContent : '')) : [];", caption)
    return {row[0]: row[1:] for row in rows}


def differing_numbers(driver, directory):
    """What the page shows otherwise than the CSV tables."""
    data = json.loads(driver.execute_script(
        "return document.getElementById('reeve-data').textContent"))
    if data["kind"] == "sweep":
        return differing_sweep(data, directory)
    wrong = []
    policies = [policy["name"] for policy in data["policies"]]
    bill = cells(driver, "Bill by use")
    billed = means(directory, "runs", "billed_usd", lambda row: row["policy"])
    for policy in policies:
        if bill[policy][0] != usd(billed[policy]):
            wrong.append(f"billed by {policy}: {bill[policy][0]}, not {usd(billed[policy])}")
    for of in data["bill"]:
        gap = sum(part["usd"] for part in of["parts"]) - of["billed_usd"]
        if abs(gap) > 1e-6 * len(of["parts"]):
            wrong.append(f"the uses of {of['policy']} miss {gap} of its bill")
    shown = cells(driver, "Measures of each policy")
    of_metrics = means(directory, "metrics", "value",
                       lambda row: (row["run_id"].rsplit("/", 1)[0], row["metric"]))
    if len(policies) > 1:
        with open(directory / "compare.csv", encoding="utf-8", newline="") as file:
            of_metrics.update({(row["policy_a"], row["metric"]): float(row["diff"])
                               for row in csv.DictReader(file)
                               if row["metric"] == "captured_pct" and row["diff"] != ""})
    checked = 0
    for measure in data["measures"]:
        for i, policy in enumerate(policies):
            value = measure["values"][i]["mean"]
            of_csv = of_metrics.get((policy, measure["metric"]))
            if value is None:
                continue
            # The mean of dollars is rounded to the micro-dollar.
            near = 1e-6 if measure["unit"] == "usd" else 1e-9 * max(1, abs(of_csv or 0))
            if of_csv is None or abs(value - of_csv) > near:
                wrong.append(f"{measure['metric']} of {policy}: {value}, not {of_csv}")
            if measure["unit"] == "usd" and shown[measure["title"]][i] != usd(of_csv):
                wrong.append(f"{measure['title']} of {policy}: {shown[measure['title']][i]}, "
                             f"not {usd(of_csv)}")
            checked += 1
    if checked == 0:
        wrong.append("no measure was compared")
    return wrong + lost_decisions(data, directory)


ROUTINE = {"start_job", "put_alarm", "delete_alarm", "notify"}


def lost_decisions(data, directory):
    """Stops and the like that routine displaces."""
    with open(directory / "decisions.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run_id"].endswith("/0")]
    shown = data["decisions"]["rows"]
    rare = sum(row["action"] not in ROUTINE for row in rows)
    rare_shown = sum(row["action"] not in ROUTINE for row in shown)
    wrong = []
    if rare_shown != min(rare, 2000):
        wrong.append(f"{rare_shown} of {rare} decisions that are no routine are shown")
    if len(shown) != min(len(rows), 2000):
        wrong.append(f"{len(shown)} of {len(rows)} decisions are shown")
    marks = [mark for of in data["gantt"] for mark in of["marks"]]
    if any(mark["action"] in ROUTINE for mark in marks):
        wrong.append("routine is marked in the chart of jobs")
    return wrong


def differing_sweep(data, directory):
    wrong = []
    of_csv = means(directory, "sweep", "mean",
                   lambda row: (row["cell"], row["policy"], row["metric"]))
    compared = 0
    for map_ in data["sweep"]["heat"]:
        across = len(data["sweep"]["axes"][map_["x"]]["values"])
        for x, y, value in map_["cells"]:
            compared += 1
            expected = of_csv.get((str(1 + y * across + x), map_["policy"], map_["metric"]))
            if value is None or abs(value - expected) > 1e-6:
                wrong.append(f"heat map of {map_['policy']}: {value}, not {expected}")
    for row in data["sweep"]["best"]["rows"]:
        compared += 1
        expected = of_csv[str(row["cell"]), row["policy"], data["sweep"]["best"]["metric"]]
        if abs(row["value"]["mean"] - expected) > 1e-6:
            wrong.append(f"cell {row['cell']}: {row['value']['mean']}, not {expected}")
    if compared == 0:
        wrong.append("no cell was compared")
    return wrong


def opened(driver, page, width, scheme):
    """Opens the page; returns the seconds until it is ready."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1,
                            "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    start = time.monotonic()
    driver.get(page.resolve().as_uri())
    while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        if time.monotonic() - start > 20:
            break
        time.sleep(0.02)
    return time.monotonic() - start


def checked(driver, directory, width, scheme):
    seconds = opened(driver, directory / "index.html", width, scheme)
    if driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        wrong = ["the page is not ready"]
    else:
        wrong = list(driver.execute_async_script(FINDINGS))
        wrong += differing_numbers(driver, directory)
    wrong += [entry["message"][:200] for entry in driver.get_log("browser")]
    if seconds > LONGEST_OPENING_S:
        wrong.append(f"opens in {seconds:.1f} s")
    print(f"{'not ok' if wrong else 'ok'} {directory.name} {width} px {scheme}: {seconds:.2f} s")
    for line in wrong:
        print(f"    {line}")
    return not wrong


def main(directories):
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(60)
    try:
        results = [checked(driver, Path(directory), width, scheme)
                   for directory in directories for width, scheme in LOOKS]
    finally:
        driver.quit()
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
