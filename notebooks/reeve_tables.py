"""Reads and checks the tables of `reeve compare FILE -o DIR` for notebooks.

    tables = open_export()               # the directory REEVE_OUT, or open_export("out/week")
    tables.runs, tables.table("jobs")    # pandas frames, checked against datapackage.json
    tables.policies, tables.baseline     # in the order of the scenario; that of `compare`
    tables.paired(values)                # changes against the baseline with 95 % intervals
    tables.color["fifo"], COLORS["stalled_usd"]"""

import difflib
import functools
import json
import math
import os
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

USES = {"productive_usd": "productive", "startup_usd": "startup", "checkpoint_usd": "checkpoints",
        "stalled_usd": "stalled", "lost_work_usd": "lost work", "drain_usd": "stop grace",
        "orphan_usd": "orphaned", "idle_reserved_usd": "idle reserved",
        "false_stop_usd": "false stops", "guardrail_usd": "alarms, calls"}  # beside the bill
USEFUL, WASTE = list(USES)[:3], list(USES)[3:9]
COLORS = {"productive_usd": "#2a7f62", "startup_usd": "#8fbfa8", "checkpoint_usd": "#c3ddd0",
          "stalled_usd": "#c8443c", "lost_work_usd": "#e08a4f", "drain_usd": "#d9b44a",
          "orphan_usd": "#8d5a97", "idle_reserved_usd": "#b08968", "false_stop_usd": "#7a2e3a",
          "guardrail_usd": "#5b7db1", "text": "#1f2933", "faint": "#7b8794", "grid": "#e4e7eb"}
PALETTE = ["#7b8794", "#1f77b4", "#d9822b", "#2a7f62", "#8d5a97", "#c8443c", "#3aa6b9"]

plt.rcParams.update({
    "figure.dpi": 110, "text.parse_math": False, "text.color": COLORS["text"], "axes.grid": True,
    "axes.labelcolor": COLORS["text"], "axes.edgecolor": COLORS["faint"], "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "font.size": 10,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "grid.color": COLORS["grid"],
    "xtick.color": COLORS["faint"], "ytick.color": COLORS["faint"], "legend.frameon": False,
    "xtick.labelcolor": COLORS["text"], "ytick.labelcolor": COLORS["text"]})


class ExportError(Exception):
    """An export that these notebooks cannot read, with what to do about it."""


def micros(amount):
    """Dollars as whole micro-dollars, so that sums are exact."""
    return (amount * 1e6).round().astype("int64")


def dollars(whole):
    """Whole micro-dollars as dollars."""
    return whole / 1e6


def usd(amount, sign=False):
    """$1,234 as text; cents below $100. `sign` also shows a plus."""
    mark = "−" if amount < 0 else "+" if sign and amount > 0 else ""
    return f"{mark}${abs(amount):,.{0 if abs(amount) >= 100 else 2}f}"


def span(seconds):
    """3 min, 2.5 h or 4.1 d as text."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def student_quantile(freedom, confidence=0.95):
    """t with `confidence` of Student's distribution between -t and t, by t = sqrt(freedom) tan."""
    angle = np.linspace(0, np.pi / 2, 200_001)
    density = np.cos(angle) ** (freedom - 1)
    area = np.concatenate(([0.0], np.cumsum(density[1:] + density[:-1])))
    return math.sqrt(freedom) * math.tan(np.interp(confidence * area[-1], area, angle))


def interval(values, confidence=0.95):
    """(mean, low, high) as reeve computes them; the ends are nan below two values.

    Student's interval. Eight values or more that are clearly skewed have the hull of it and
    of Hall's interval (J. R. Statist. Soc. B 54, 1992).
    """
    values = pd.Series(values, dtype=float).dropna()
    count, mean, error = len(values), values.mean(), values.sem()
    if count < 2:
        return mean, math.nan, math.nan
    reach = student_quantile(count - 1, confidence)
    low, high = mean - reach * error, mean + reach * error
    variance = ((values - mean) ** 2).mean()
    if count < 8 or variance == 0:
        return mean, low, high
    skewness = ((values - mean) ** 3).mean() / variance ** 1.5
    chance = math.sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)))
    skew = skewness / math.sqrt(count)
    if abs(skewness) <= 2 * chance or abs(skew) < 0.1:
        return mean, low, high

    def hall(of):
        return 3 / skew * (np.cbrt(1 + skew * (of - skew / 6)) - 1)

    return mean, min(low, mean - hall(reach) * error), max(high, mean - hall(-reach) * error)


def heading(figure, title, note=""):
    """Puts the finding, then how it was measured, above the axes; without a figure: prints it."""
    if figure is None:
        print(title, note)
        bare = {"frame_on": False, "xticks": [], "yticks": []}
        figure = plt.subplots(figsize=(8, 1.2), subplot_kw=bare)[0]
    width, height = figure.get_size_inches()
    title = textwrap.fill(title, int(width * 10))
    note = textwrap.fill(note, int(width * 14.5))
    below = 0.12 + 0.25 * (title.count("\n") + 1)
    above = below + 0.17 * (note.count("\n") + 1) + 0.1
    figure.tight_layout(rect=(0, 0, 1, 1 - above / height))
    figure.text(0.012, 1 - 0.06 / height, title, fontsize=13, weight="bold", va="top")
    figure.text(0.012, 1 - below / height, note, fontsize=9, va="top", color=COLORS["faint"])


def label_ends(axis, ends):
    """Labels the right ends of lines, [(y, text, color)], apart from each other."""
    axis.figure.canvas.draw()
    spots, lowest = axis.transData.transform([(0, end[0]) for end in ends])[:, 1], -math.inf
    for at in np.argsort(spots, kind="stable"):
        (y, text, color), points = ends[at], 72 / axis.figure.dpi
        lowest = max(spots[at], lowest + 12 / points)
        axis.annotate(text, (1, y), (8, (lowest - spots[at]) * points), color=color, va="center",
                      xycoords=axis.get_yaxis_transform(), textcoords="offset points", fontsize=9,
                      weight="bold", annotation_clip=False)


class Export:
    """The tables of one directory. `open_export` makes it."""

    def __init__(self, directory, package):
        self.directory, self.title = directory, package.get("title", package.get("name", ""))
        self.resources = {resource["name"]: resource for resource in package["resources"]}
        if "runs" in self:  # a sweep has none
            if len(self.runs) == 0:
                raise ExportError(f"{directory} has no runs")
            self.policies = list(dict.fromkeys(self.runs["policy"]))
            compared = self.compare["policy_b"] if "compare" in self else []
            first = "none" if "none" in self.policies else self.policies[0]
            self.baseline = compared[0] if len(compared) > 0 else first
            ranked = [self.baseline] + [name for name in self.policies if name != self.baseline]
            self.color = dict(zip(ranked, PALETTE * len(ranked)))  # the baseline is grey

    def __contains__(self, name):
        return name in self.resources

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.table(name)

    def table(self, name):
        """A copy of the table, after checks of its columns, rows, key and run ids."""
        if name not in self.resources:
            near = difflib.get_close_matches(name, self.resources, 1) or self.resources
            raise ExportError(f"no table {name!r} in {self.directory}; try {', '.join(near)}")
        return self._read(name).copy()

    @functools.lru_cache(maxsize=None)
    def _read(self, name):
        resource, fields = self.resources[name], self.resources[name]["schema"]["fields"]
        path = self.directory / resource["path"]
        if not path.is_file():
            raise ExportError(f"{path} is missing: write the export again")
        # Only an empty cell is missing: a policy may well be called "none" or "NA".
        words = [field["name"] for field in fields if field["type"] in ("string", "object")]
        frame = pd.read_csv(path, float_precision="round_trip", keep_default_na=False,
                            na_values=[""], dtype=dict.fromkeys(words, "string"))
        columns = [field["name"] for field in fields]
        if list(frame.columns) != columns:
            raise ExportError(f"columns of {path}: {list(frame.columns)}, expected {columns}")
        if len(frame) != resource.get("x_rows", len(frame)):
            raise ExportError(f"rows of {path}: {len(frame)}, expected {resource['x_rows']}")
        key = resource["schema"]["primaryKey"]
        if frame.duplicated(key).any():
            raise ExportError(f"key of {path}: two rows have the same {key}")
        ids = set(frame.get("run_id", []))
        if name != "runs" and ids and not ids <= set(self.runs["run_id"]):
            raise ExportError(f"{path} has rows of unknown runs")
        return frame

    def of_run(self, frame):
        """The frame with the columns `policy` and `rep` of its run."""
        return frame.merge(self.runs[["run_id", "policy", "rep"]], on="run_id", how="left")

    def paired(self, values):
        """Change of `values` (by run_id) against the baseline, paired by replication, 95 %."""
        runs = self.runs.set_index("run_id").assign(value=values)
        by_rep = runs.pivot(index="rep", columns="policy", values="value")
        rows = {}
        for policy in self.policies:
            change = by_rep[policy] - by_rep[self.baseline]
            mean, low, high = interval(change)
            rows[policy] = {"mean": by_rep[policy].mean(), "change": mean, "lo": low, "hi": high,
                            "pairs": change.count()}
        return pd.DataFrame(rows).T.astype({"pairs": int})


def open_export(directory=None):
    """Opens an export directory: the argument, else REEVE_OUT, else ../out."""
    directory = Path(directory or os.environ.get("REEVE_OUT") or "../out")
    if not (directory / "datapackage.json").is_file():
        missing = "has no datapackage.json" if directory.is_dir() else "does not exist"
        raise ExportError(f"{directory} {missing}: run `reeve compare FILE -o {directory}`, "
                          "and set REEVE_OUT to that directory")
    package = json.loads((directory / "datapackage.json").read_text(encoding="utf-8"))
    state = package.get("x_reeve", {})
    if state.get("incomplete"):
        raise ExportError(f"{directory} is incomplete: reeve stopped while it wrote the tables. "
                          "Run the same command again")
    if state.get("partial") and os.environ.get("REEVE_PARTIAL") != "1":
        raise ExportError(f"{directory} is partial: its run was interrupted. Run it again, or set "
                          "REEVE_PARTIAL=1 to read the complete runs")
    return Export(directory, package)
