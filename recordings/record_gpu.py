#!/usr/bin/env python3
"""Records what nvidia-smi reads while a small PyTorch job trains well, or in one way badly.

    recordings/record_gpu.py MODE [--seconds=120] [--out=FILE.csv.gz]
    recordings/record_gpu.py all [--seconds=120] [--out=FOLDER]
    recordings/record_gpu.py summary FILE.csv.gz...

Modes:
    good        a matrix-heavy model, data at hand
    starve      the same, but each batch is late: the loader sleeps for most of a step
    deadlock    trains for a third of the time, then waits for ever on a lock: no kernel runs
    spin        trains for a third of the time, then hangs inside a collective that the other GPU
                never joins; with one GPU: a kernel that waits, as those of NCCL do
    checkpoint  trains, and every 20 s copies its weights to the host and writes them to disk
    evaluate    trains, and every 30 s prepares an evaluation on the CPU alone for 10 s

What is written is the log of nvidia-smi as it stands (1 Hz, times in UTC), packed: scenarios read
it as `"gpu_util": { "trace": "FILE.csv.gz" }`.  Ends with 1 where there is no GPU: nothing is made
up.  Needs python3, PyTorch with CUDA, and nvidia-smi.
"""

import argparse
import csv
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

MODES = ("good", "starve", "deadlock", "spin", "checkpoint", "evaluate")
QUERY = ["--query-gpu=timestamp,index,utilization.gpu", "--format=csv", "-l", "1"]
SIDE = 4096  # of the square matrices: some ms a step on a training GPU

class Job:
    """A model of one layer and its optimizer, and the steps they take."""

    def __init__(self, torch):
        self.torch = torch
        self.device = torch.device("cuda:0")
        self.model = torch.nn.Sequential(
            torch.nn.Linear(SIDE, SIDE), torch.nn.GELU(), torch.nn.Linear(SIDE, SIDE)
        ).to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)
        self.batch = torch.randn(SIDE, SIDE, device=self.device)

    def step(self):
        loss = self.model(self.batch).square().mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.torch.cuda.synchronize()

    def train(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.step()

    def spin(self, seconds):
        """A kernel that looks at the clock and nothing else, over and over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.torch.cuda._sleep(1_000_000_000)  # cycles: about half a second
            self.torch.cuda.synchronize()

    def spin_by_collective(self, seconds):
        """The real thing: a collective that one rank never joins.  Needs two GPUs."""
        script = (
            "import os,sys,time,torch,torch.distributed as d\n"
            "r=int(os.environ['RANK']); torch.cuda.set_device(r)\n"
            "d.init_process_group('nccl'); x=torch.ones(1<<20,device='cuda')\n"
            "d.all_reduce(x); torch.cuda.synchronize()\n"
            "d.all_reduce(x) if r==0 else None\n"
            f"time.sleep({seconds})\n"
            "os._exit(0)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "collective.py"
            path.write_text(script)
            subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone",
                            "--nproc-per-node=2", str(path)], check=False)


def good(job, seconds):
    job.train(seconds)


def starve(job, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begin = time.monotonic()
        job.step()
        time.sleep(4 * (time.monotonic() - begin))  # data is there for a fifth of the time


def deadlock(job, seconds):
    job.train(seconds / 3)
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=2 * seconds / 3)


def spin(job, seconds):
    job.train(seconds / 3)
    if job.torch.cuda.device_count() >= 2:
        job.spin_by_collective(2 * seconds / 3)
    else:
        job.spin(2 * seconds / 3)


def checkpoint(job, seconds):
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until:
            job.train(min(20, max(0, until - time.monotonic())))
            for copy in range(8):  # of optimizer state and shards: some GB
                path = pathlib.Path(folder) / f"part-{copy}"
                job.torch.save(job.model.state_dict(), path)
                with open(path, "rb") as written:
                    os.fsync(written.fileno())


def evaluate(job, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        job.train(min(30, max(0, until - time.monotonic())))
        pause = time.monotonic() + min(10, max(0, until - time.monotonic()))
        while time.monotonic() < pause:
            sum(value * value for value in range(10_000))


def require_gpu():
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is not installed: nothing was recorded")
    if not torch.cuda.is_available():
        sys.exit("there is no GPU here: nothing was recorded")
    try:
        subprocess.run(["nvidia-smi", "-L"], check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        sys.exit("nvidia-smi does not run: nothing was recorded")
    return torch


def record(mode, seconds, out):
    torch = require_gpu()
    job = Job(torch)
    job.train(3)  # the first steps compile and allocate
    with tempfile.TemporaryFile("w+") as log:
        watcher = subprocess.Popen(["nvidia-smi", "--id=0", *QUERY], stdout=log,
                                   env={**os.environ, "TZ": "UTC"})
        try:
            time.sleep(2)
            globals()[mode](job, seconds)
        finally:
            watcher.terminate()
            watcher.wait()
        log.seek(0)
        text = log.read()
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()  # cut off when the watcher was ended
    with gzip.GzipFile(out, "wb", mtime=0) as packed:
        packed.write("".join(lines).encode())
    print(f"{out}: {len(lines) - 1} samples of {mode}, {torch.cuda.get_device_name(0)}, "
          f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
          f"driver {driver_version()}")


def driver_version():
    done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()[0]


def summary(files):
    print("file,samples,mean_pct,min_pct,share_at_or_below_1_pct")
    for name in files:
        with gzip.open(name, "rt") as text:
            rows = list(csv.DictReader(text, skipinitialspace=True))
        values = [float(row["utilization.gpu [%]"].split()[0]) for row in rows
                  if row["utilization.gpu [%]"][:1].isdigit()]
        if not values:
            sys.exit(f"{name}: no sample")
        idle = sum(value <= 1 for value in values) / len(values)
        print(f"{name},{len(values)},{sum(values) / len(values):.1f},{min(values):.0f},{idle:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=(*MODES, "all", "summary"))
    parser.add_argument("files", nargs="*", help="of summary")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.mode == "summary":
        return summary(arguments.files)
    if arguments.mode != "all":
        out = arguments.out or pathlib.Path(f"{arguments.mode}.csv.gz")
        return record(arguments.mode, arguments.seconds, out)
    folder = arguments.out or pathlib.Path(".")
    folder.mkdir(parents=True, exist_ok=True)
    for mode in MODES:  # each in a process of its own: what hangs must not touch the next
        subprocess.run([sys.executable, __file__, mode, f"--seconds={arguments.seconds}",
                        f"--out={folder / mode}.csv.gz"], check=True)
    return summary(folder / f"{mode}.csv.gz" for mode in MODES)


if __name__ == "__main__":
    sys.exit(main())
