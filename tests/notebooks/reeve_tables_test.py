"""Unit tests of notebooks/reeve_tables.py.

REEVE_SCRATCH/export is an export of drawn-stalls, examples/out/weekend one of stalled-weekend.
"""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np
import pandas as pd
import reeve_tables

EXPORT = pathlib.Path(os.environ["REEVE_SCRATCH"]) / "export"


class Changed(unittest.TestCase):
    """A copy of the export that a test may damage."""

    def setUp(self):
        self.copy = EXPORT.with_name("copy")
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(EXPORT, self.copy)

    def mark(self, **state):
        path = self.copy / "datapackage.json"
        package = json.loads(path.read_text(encoding="utf-8"))
        package["x_reeve"].update(state)
        path.write_text(json.dumps(package), encoding="utf-8")

    def edit(self, name, change):
        path = self.copy / name
        path.write_text("".join(change(path.read_text(encoding="utf-8").splitlines(True))))

    def refuses(self, words, read):
        with self.assertRaisesRegex(reeve_tables.ExportError, words):
            read()

    def read(self, name):
        return lambda: reeve_tables.open_export(self.copy).table(name)

    def test_missing_directory(self):
        self.refuses("does not exist: run `reeve compare FILE -o .*nowhere`",
                     lambda: reeve_tables.open_export(self.copy / "nowhere"))

    def test_directory_of_other_files(self):
        (self.copy / "datapackage.json").unlink()
        self.refuses("has no datapackage.json", lambda: reeve_tables.open_export(self.copy))

    def test_incomplete(self):
        self.mark(incomplete=True)
        self.refuses("is incomplete", lambda: reeve_tables.open_export(self.copy))

    def test_partial(self):
        self.mark(partial=True)
        self.refuses("is partial.*REEVE_PARTIAL=1", lambda: reeve_tables.open_export(self.copy))
        os.environ["REEVE_PARTIAL"] = "1"
        self.addCleanup(os.environ.pop, "REEVE_PARTIAL")
        self.assertEqual(len(reeve_tables.open_export(self.copy).runs), 60)

    def test_unknown_table(self):
        export = reeve_tables.open_export(self.copy)
        self.refuses("no table 'ledgr' in .*; try ledger$", lambda: export.ledgr)
        self.refuses("no table 'zzz' in .*; try runs, jobs, ", lambda: export.table("zzz"))

    def test_missing_table(self):
        (self.copy / "stops.csv").unlink()
        self.refuses("stops.csv is missing", self.read("stops"))

    def test_lost_row(self):
        self.edit("jobs.csv", lambda lines: lines[:-1])
        self.refuses("rows of .*jobs.csv: 2999, expected 3000", self.read("jobs"))

    def test_renamed_column(self):
        self.edit("jobs.csv", lambda lines: [lines[0].replace("wait_s", "waited_s", 1)] + lines[1:])
        self.refuses("columns of .*jobs.csv", self.read("jobs"))

    def test_repeated_key(self):
        self.edit("jobs.csv", lambda lines: lines[:-1] + lines[1:2])
        self.refuses("key of .*jobs.csv", self.read("jobs"))

    def test_unknown_run(self):
        self.edit("jobs.csv", lambda lines: lines[:-1] + [lines[-1].replace("watchdog/", "other/")])
        self.refuses("jobs.csv has rows of unknown runs", self.read("jobs"))

    def test_no_runs(self):
        self.edit("runs.csv", lambda lines: lines[:1])
        self.refuses("rows of .*runs.csv: 0, expected 60", self.read("runs"))


class Values(unittest.TestCase):
    def test_student_quantile(self):
        # Abramowitz and Stegun, table 26.10: 97.5 % of one side.
        for freedom, value in ((1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042),
                               (120, 1.980)):
            self.assertAlmostEqual(reeve_tables.student_quantile(freedom), value, delta=5e-4)
        self.assertAlmostEqual(reeve_tables.student_quantile(9, 0.99), 3.250, delta=5e-4)

    def test_interval(self):
        # Mean 3, standard deviation sqrt(2.5), 5 values: 3 +- 2.776 sqrt(0.5).
        mean, low, high = reeve_tables.interval([1, 2, 3, 4, 5, math.nan])
        self.assertEqual(mean, 3)
        self.assertAlmostEqual(high - mean, 1.96324, delta=5e-5)
        self.assertAlmostEqual(mean - low, 1.96324, delta=5e-5)
        self.assertTrue(math.isnan(reeve_tables.interval([7])[1]))
        # Skewed beyond chance: the statistic at -2.26216 becomes -7.14585, by hand.
        mean, low, high = reeve_tables.interval([0] * 9 + [1])
        self.assertAlmostEqual(low, 0.1 - 0.226216, delta=5e-6)
        self.assertAlmostEqual(high, 0.1 + 0.714585, delta=5e-5)

    def test_paired_intervals_are_those_of_compare(self):
        export = reeve_tables.open_export(EXPORT)
        runs = export.runs.set_index("run_id")
        theirs = export.compare.set_index(["metric", "policy_a"])
        for metric in ("billed_usd", "wasted_usd", "jobs_done"):
            ours = export.paired(runs[metric]).drop(export.baseline)
            expected = theirs.loc[metric].loc[ours.index, ["diff", "lo", "hi"]]
            np.testing.assert_allclose(ours[["change", "lo", "hi"]], expected, rtol=1e-7)
            self.assertEqual(list(ours["pairs"]), [20, 20])

    def test_policies(self):
        export = reeve_tables.open_export(EXPORT)
        self.assertEqual(export.policies, ["none", "alarm", "watchdog"])
        self.assertEqual(export.baseline, "none")
        self.assertEqual(len(set(export.color.values())), 3)
        self.assertEqual(set(reeve_tables.USES) - set(reeve_tables.COLORS), set())

    def test_tables_are_copies(self):
        export = reeve_tables.open_export(EXPORT)
        export.runs["policy"] = "changed"
        self.assertNotIn("changed", set(export.runs["policy"]))
        self.assertEqual(export.of_run(export.jobs)["policy"].isna().sum(), 0)

    def test_amounts(self):
        whole = reeve_tables.micros(pd.Series([2.01, 17280.0]))
        self.assertEqual(list(whole), [2_010_000, 17_280_000_000])
        self.assertEqual(list(reeve_tables.dollars(whole)), [2.01, 17280.0])
        self.assertEqual(reeve_tables.usd(-1234.5), "−$1,234")
        self.assertEqual(reeve_tables.usd(5, sign=True), "+$5.00")
        self.assertEqual([reeve_tables.span(value) for value in (30, 600, 9000, 1e6)],
                         ["30 s", "10 min", "2.5 h", "11.6 d"])

    def test_example_of_the_documentation(self):
        page = pathlib.Path("docs/how-to/export-tables.md").read_text(encoding="utf-8")
        program, shown = (re.search(rf"^```{language}\n(.*?)^```", page, re.M | re.S).group(1)
                          for language in ("python", "text"))
        done = subprocess.run([sys.executable, "-c", program], cwd=EXPORT.with_name("examples"),
                              env=dict(os.environ, PYTHONPATH=os.path.abspath("notebooks")),
                              capture_output=True, encoding="utf-8", check=True)
        self.assertEqual(done.stdout, shown)


if __name__ == "__main__":
    unittest.main()
