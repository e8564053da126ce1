"""Seconds and memory by rows and columns, beside LightGBM and scikit-learn.

    pip install lightgbm scikit-learn pandas
    python benches/sizes.py --program target/release/unmiss -o docs/results/sizes.md

Each line is one process with two threads, on the same made table (a fifth of the cells missing, seed 0); its processor
time (user and system, all threads) and its largest memory are what the system counted. Ours read and write files; the
peers' reading and writing is in their time too. What is not done after `--most` seconds is stopped and said so.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

THREADS = {name: "2" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

# Rows and columns of the tables.
TALL = [(1_000, 20), (10_000, 20), (100_000, 20), (1_000_000, 20)]
WIDE = [(1_000, 100), (1_000, 300), (1_000, 1_000), (1_000, 3_000)]
SHORT = [(5, 10_000), (5, 30_000), (5, 100_000)]

PEER = """
    import sys, numpy, pandas
    what, rows_in, out = sys.argv[1:4]
    table = pandas.read_csv(rows_in)
    x, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
    if what.startswith("lightgbm"):
        import lightgbm
        model = lightgbm.LGBMRegressor(n_estimators=300, n_jobs=2, verbose=-1)
        if what == "lightgbm-predict":
            model.fit(x[:10_000], y[:10_000])
            pandas.DataFrame({"prediction": model.predict(x, num_threads=2)}).to_csv(out, index=False)
        else:
            model.fit(x, y)
    elif what == "ridge":
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import RidgeCV
        from sklearn.pipeline import make_pipeline
        make_pipeline(SimpleImputer(), RidgeCV()).fit(x, y)
    else:
        from sklearn.experimental import enable_iterative_imputer
        from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
        imputer = {"mean": SimpleImputer, "iterative": IterativeImputer, "knn": KNNImputer}[what]()
        pandas.DataFrame(imputer.fit_transform(x)).to_csv(out, index=False)
"""


def make(path, rows, columns):
    """A table of sums of eight hidden causes, of which a fifth of the cells is missing."""
    import numpy
    random = numpy.random.default_rng(0)
    causes, loads = random.normal(size=(rows, 8)), random.normal(size=(8, columns))
    x = causes @ loads / 3 + random.normal(size=(rows, columns))
    y = numpy.sin(causes[:, 0]) + causes[:, 1] * causes[:, 2] + 0.3 * random.normal(size=rows)
    holes = random.random(size=x.shape) < 0.2
    with open(path, "w") as file:
        file.write(",".join(f"c{column}" for column in range(columns)) + ",y\n")
        for row in range(rows):
            cells = ["" if hole else f"{value:.5g}" for value, hole in zip(x[row], holes[row])]
            file.write(",".join(cells) + f",{y[row]:.5g}\n")


def measured(command, most):
    """Processor seconds and megabytes of a command, or why there are none."""
    surroundings = {**os.environ, **THREADS}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=surroundings)
    os.set_blocking(process.stderr.fileno(), False)
    said, start = b"", time.time()
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        said += process.stderr.read() or b""
        if done:
            break
        clock = os.sysconf("SC_CLK_TCK")
        with open(f"/proc/{process.pid}/stat") as file:
            used = file.read().rsplit(")", 1)[1].split()
        if (int(used[11]) + int(used[12])) / clock > most:
            process.send_signal(signal.SIGKILL)
            os.wait4(process.pid, 0)
            return f"> {most:.0f}", ""
        time.sleep(0.05)
    if status:
        last = said.decode(errors="replace").strip().splitlines() or ["?"]
        return "failed", last[-1][:60]
    return f"{usage.ru_utime + usage.ru_stime:.1f}", f"{usage.ru_maxrss / 1024:.0f}"


def jobs(program):
    """What is measured: a title, our lines, the peer's lines, and the tables."""
    own = lambda *words: [program, *words, "--threads", "2", "-q"]
    fit = lambda method: lambda table, out: own("fit", table, "--target", "y", "--method", method, "--fresh", "-o", out)
    fill = lambda method: lambda table, out: own("impute", table, "--ignore", "y", "--method", method, "-o", out)
    model = os.path.join(tempfile.gettempdir(), "unmiss-sizes-{}.unmiss")
    predict = lambda method: lambda table, out: own("predict", model.format(method), table, "-o", out)
    peer = lambda what: lambda table, out: [sys.executable, "-c", textwrap.dedent(PEER), what, table, out]
    return model, [
        ("fit", [("`linear`", fit("linear")), ("`trees`", fit("trees")), ("LightGBM, 300 trees", peer("lightgbm")),
                 ("RidgeCV", peer("ridge"))], TALL[:3] + WIDE[:2]),
        ("predict (models of 10,000 rows)",
         [("`linear`", predict("linear")), ("`trees`", predict("trees")),
          ("LightGBM, 300 trees (fit included)", peer("lightgbm-predict"))], TALL[1:]),
        ("fill", [("`mean`", fill("mean")), ("`gaussian`", fill("gaussian")), ("`low-rank`", fill("low-rank")),
                  ("`chained`", fill("chained")), ("`neighbours`", fill("neighbours")),
                  ("IterativeImputer", peer("iterative")), ("KNNImputer", peer("knn"))], TALL[:3] + WIDE),
        ("fill five rows", [("`mean`", fill("mean")), ("SimpleImputer", peer("mean"))], SHORT),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="target/release/unmiss")
    parser.add_argument("--most", type=float, default=120, help="processor seconds of a line, at most")
    parser.add_argument("--only", default="", help="parts of titles, with commas between")
    parser.add_argument("-o", "--output", default="-")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    model, all_jobs = jobs(arguments.program)
    wanted = [part for part in arguments.only.split(",") if part]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for title, rivals, sizes in all_jobs:
            if wanted and not any(title.startswith(part) for part in wanted):
                continue
            lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
            lines += ["| | " + " | ".join(f"{rows:,} x {columns:,}" for rows, columns in sizes) + " |"]
            lines += ["|---|" + "--:|" * len(sizes)]
            cells = {name: [] for name, _ in rivals}
            for rows, columns in sizes:
                table = os.path.join(folder, f"{rows}-{columns}.csv")
                if not os.path.exists(table):
                    make(table, rows, columns)
                if title.startswith("predict") and not os.path.exists(model.format("trees")):
                    for method in ("linear", "trees"):
                        fit = [arguments.program, "fit", table, "--target", "y", "--method", method, "-q"]
                        subprocess.run([*fit, "-o", model.format(method)], check=True, stdout=subprocess.DEVNULL)
                for name, command in rivals:
                    out = os.path.join(folder, "out.csv" if "fit" not in title else "out.unmiss")
                    # What was given up on a table is not tried on a larger one of the same kind.
                    before = sizes[len(cells[name]) - 1] if cells[name] else (rows + 1, columns)
                    larger = rows >= before[0] and columns >= before[1]
                    given_up = larger and cells[name][-1][0] in ">-"
                    seconds, memory = ("", "") if given_up else measured(command(table, out), arguments.most)
                    cells[name].append(f"{seconds} ({memory} MB)" if memory else seconds or "-")
                    print(title, rows, columns, name, cells[name][-1], file=sys.stderr, flush=True)
            lines += [f"| {name} | " + " | ".join(own) + " |" for name, own in cells.items()]
    for method in ("linear", "trees"):
        if os.path.exists(model.format(method)):
            os.remove(model.format(method))
    text = "\n".join(lines).strip() + "\n"
    if arguments.output == "-":
        print(text)
    else:
        with open(arguments.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
