"""Other tools on the hidden cells of `unmiss bench imputation`, with the program's own imputers beside them.

    benches/imputation.py --program target/release/unmiss --data DIR [--seeds 5] [--only diabetes] [--mice] [--trees]

DIR holds the folder `complete` of tables without holes. Rows, target, hidden cells (made by the program: `unmiss
hide`) and new rows are those of the bench, so that its figures and these can be compared seed by seed. Every tool
learns from the training rows with their holes and fills both parts; R's mice, which can't fill new rows, fills all
rows at once, its mean of 5 is taken, and `ignore` keeps the new rows out of the fit. Figures: root mean square error
over the hidden cells in standard deviations of the column, training rows / new rows, mean over seeds, and on how many
of the seeds `auto` errs no more on new rows. Needs numpy, pandas, scikit-learn; with --mice Rscript.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import pandas as pd

TABLES = {
    "diabetes": "diabetes.csv",
    "iris": "iris.csv",
    "wine": "wine.csv",
    "cancer": "breast_cancer_wdbc.csv",
    "california": "california.csv.gz",
}
COLUMNS = [
    ("diabetes", "mcar:0.2"), ("diabetes", "mcar:0.5"), ("iris", "mcar:0.2"), ("wine", "mcar:0.2"),
    ("cancer", "mcar:0.2"), ("cancer", "mcar:0.5"), ("california", "mcar:0.2"), ("diabetes", "mar:0.3"),
    ("diabetes", "self-logistic:0.3"), ("cancer", "self-logistic:0.3"),
]
MOST_ROWS = 5000
MICE = """
suppressMessages(library(mice)); set.seed(1)
a <- commandArgs(TRUE); d <- read.csv(a[1]); new <- as.logical(read.csv(a[2])[[1]])
imp <- mice(d, m = 5, method = "pmm", ignore = new, printFlag = FALSE)
full <- Reduce(`+`, lapply(1:5, function(i) as.matrix(complete(imp, i)))) / 5
write.csv(full, a[3], row.names = FALSE)
"""


def holes(program, values, how, seed, folder):
    """The table with holes, made by the program."""
    whole, holed = folder / "whole.csv", folder / "holed.csv"
    values.to_csv(whole, index=False)
    subprocess.run([program, "--quiet", "--seed", str(seed), "hide", whole, "--how", how, "-o", holed, "--numeric",
                    ",".join(values.columns)], check=True, stdout=subprocess.DEVNULL)
    return pd.read_csv(holed)


class Program:
    def __init__(self, program, method, folder):
        self.general = [program, "--quiet", "--threads", "2"]
        self.method, self.folder = method, folder

    def fill(self, train, new):
        paths = {name: self.folder / f"{name}.csv" for name in ("train", "new", "train-full", "new-full")}
        train.to_csv(paths["train"], index=False)
        new.to_csv(paths["new"], index=False)
        columns = ",".join(train.columns)
        imputer = self.folder / "imputer.unmiss"
        subprocess.run([*self.general, "impute", paths["train"], "-o", paths["train-full"], "--method", self.method,
                        "--numeric", columns, "--save", imputer], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*self.general, "impute", paths["new"], "-o", paths["new-full"], "--with", imputer],
                       check=True, stdout=subprocess.DEVNULL)
        return pd.read_csv(paths["train-full"]).to_numpy(), pd.read_csv(paths["new-full"]).to_numpy()


class Scaled:
    """A tool of scikit-learn's kind on standardised columns: the scale is not what is compared."""

    def __init__(self, imputer):
        from sklearn.preprocessing import StandardScaler
        self.scaler, self.imputer = StandardScaler(), imputer

    def fill(self, train, new):
        back = self.scaler.inverse_transform
        first = back(self.imputer.fit_transform(self.scaler.fit_transform(train.to_numpy())))
        return first, back(self.imputer.transform(self.scaler.transform(new.to_numpy())))


class Mice:
    def __init__(self, folder):
        self.folder = folder

    def fill(self, train, new):
        paths = [self.folder / name for name in ("mice.R", "mice-in.csv", "mice-new.csv", "mice-out.csv")]
        paths[0].write_text(MICE)
        pd.concat([train, new]).to_csv(paths[1], index=False)
        pd.DataFrame({"new": [False] * len(train) + [True] * len(new)}).to_csv(paths[2], index=False)
        subprocess.run(["Rscript", *paths], check=True, capture_output=True)
        full = pd.read_csv(paths[3]).to_numpy()
        return full[: len(train)], full[len(train):]


def tools(arguments, folder):
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

    found = {f"`{name}`": Program(arguments.program, name, folder) for name in arguments.methods.split(",") if name}
    found["mean"] = Scaled(SimpleImputer())
    found["KNNImputer(5)"] = Scaled(KNNImputer())
    found["IterativeImputer"] = Scaled(IterativeImputer(max_iter=10, random_state=0))
    if arguments.trees:
        trees = ExtraTreesRegressor(n_estimators=50, n_jobs=2, random_state=0)
        found["IterativeImputer, ExtraTrees"] = Scaled(IterativeImputer(trees, max_iter=10, random_state=0))
    if arguments.mice:
        found["R mice, mean of 5"] = Mice(folder)
    return found


def error(filled, truth, known, spread):
    """Over the hidden cells, in standard deviations; nan where a tool left a hole."""
    return float(np.sqrt(np.mean((((filled - truth) / spread)[~known]) ** 2)))


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/unmiss")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", default="auto")
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--mice", action="store_true")
    parser.add_argument("--trees", action="store_true")
    arguments = parser.parse_args()
    columns = [column for column in COLUMNS if column[0] in arguments.only.split(",")]
    results = {}
    for table, how in columns:
        data = pd.read_csv(arguments.data / "complete" / TABLES[table]).iloc[:, :-1].astype(float)
        data = data.iloc[:: max(1, -(-len(data) // MOST_ROWS))].reset_index(drop=True)
        for seed in range(arguments.seeds):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                holed = holes(arguments.program, data, how, seed, folder)
                is_new = np.arange(len(data)) % 5 == seed % 5
                truth, known = data.to_numpy(), holed.notna().to_numpy()
                spread = truth[~is_new].std(0)
                spread[spread == 0] = 1
                for label, tool in tools(arguments, folder).items():
                    start = time.time()
                    train, new = tool.fill(holed[~is_new], holed[is_new])
                    seconds = time.time() - start
                    parts = ((train, ~is_new), (new, is_new))
                    errors = [error(filled, truth[rows], known[rows], spread) for filled, rows in parts]
                    run = (*errors, seconds)
                    results.setdefault(label, {}).setdefault((table, how), []).append(run)
        print(f"done: {table} {how}", flush=True)
    print("\n| | " + " | ".join(f"{table} {how}" for table, how in columns) + " | seconds |")
    print("|---" * (len(columns) + 2) + "|")
    for label, cells in results.items():
        texts = []
        for column in columns:
            mean = np.mean([run[:2] for run in cells[column]], axis=0)
            texts.append(f"{mean[0]:.3f}/{mean[1]:.3f}".replace("0.", "."))
            if "`auto`" in results and label != "`auto`":
                wins = sum(ours[1] <= own[1] for ours, own in zip(results["`auto`"][column], cells[column]))
                texts[-1] += f" ({wins}/{arguments.seeds})"
        seconds = sum(run[2] for column in columns for run in cells[column])
        print(f"| {label} | " + " | ".join(texts) + f" | {seconds:.1f} |")


if __name__ == "__main__":
    main()
