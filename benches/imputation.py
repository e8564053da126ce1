"""Imputation error beside scikit-learn's imputers, on the same hidden cells.

    benches/imputation.py --program target/release/unmiss --data DIR [--seeds 3] [--methods auto,gaussian] [--peers]

DIR holds the folder `complete` of tables without holes; the target (last column) is left out. A fifth of the rows is new: imputers
learn from the others, with their holes, and fill both. Figures are root mean square errors over the hidden cells, in standard
deviations of the column's training truth: training rows / new rows, mean over seeds. Needs numpy and pandas, with --peers scikit-learn.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

TABLES = {
    "diabetes": "diabetes.csv",
    "iris": "iris.csv",
    "wine": "wine.csv",
    "cancer": "breast_cancer_wdbc.csv",
    "California": "california.csv.gz",
}
COLUMNS = [
    ("diabetes", "mcar", 0.2), ("diabetes", "mcar", 0.5), ("iris", "mcar", 0.2), ("wine", "mcar", 0.2), ("cancer", "mcar", 0.2),
    ("cancer", "mcar", 0.5), ("California", "mcar", 0.2), ("diabetes", "mar", 0.3), ("diabetes", "self", 0.3), ("cancer", "self", 0.3),
]


def hide(values, how, rate, rng):
    """Marks of the cells that stay known. `self`: the larger a value, the likelier it is hidden; `mar`: by the first column."""
    rows, columns = values.shape
    scaled = (values - values.mean(0)) / np.where(values.std(0) > 0, values.std(0), 1)
    if how == "mcar":
        return rng.random((rows, columns)) >= rate
    driver = scaled if how == "self" else np.repeat(scaled[:, :1], columns, axis=1)
    chance = np.empty((rows, columns))
    for column in range(columns):
        low, high = -20.0, 20.0
        for _ in range(60):  # the offset that gives the rate in this column
            middle = (low + high) / 2
            chance[:, column] = 1 / (1 + np.exp(-(3 * driver[:, column] + middle)))
            low, high = (middle, high) if chance[:, column].mean() < rate else (low, middle)
    observed = rng.random((rows, columns)) >= chance
    if how == "mar":
        observed[:, 0] = True
    return observed


def error(filled, truth, observed, spread):
    difference = ((filled - truth) / spread)[~observed]
    return float(np.sqrt(np.mean(difference ** 2)))


def with_program(program, method, train, new, folder):
    paths = {name: folder / f"{name}.csv" for name in ("train", "new", "train-full", "new-full")}
    train.to_csv(paths["train"], index=False)
    new.to_csv(paths["new"], index=False)
    columns = ",".join(train.columns)
    general = [program, "--quiet", "--threads", "2", "impute"]
    start = time.time()
    subprocess.run([*general, paths["train"], "-o", paths["train-full"], "--method", method, "--numeric", columns,
                    "--save", folder / "imputer.unmiss"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.time() - start
    subprocess.run([*general, paths["new"], "-o", paths["new-full"], "--with", folder / "imputer.unmiss"], check=True,
                   stdout=subprocess.DEVNULL)
    return pd.read_csv(paths["train-full"]).to_numpy(), pd.read_csv(paths["new-full"]).to_numpy(), seconds


def with_peer(peer, train, new):
    start = time.time()
    filled = peer.fit_transform(train.to_numpy())
    seconds = time.time() - start
    return filled, peer.transform(new.to_numpy()), seconds


def peers():
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
    from sklearn.preprocessing import StandardScaler

    class Scaled:
        """A peer on standardised columns: the scale is not what is compared."""

        def __init__(self, imputer):
            self.scaler, self.imputer = StandardScaler(), imputer

        def fit_transform(self, values):
            return self.scaler.inverse_transform(self.imputer.fit_transform(self.scaler.fit_transform(values)))

        def transform(self, values):
            return self.scaler.inverse_transform(self.imputer.transform(self.scaler.transform(values)))

    return {
        "scikit-learn mean": lambda: SimpleImputer(),
        "scikit-learn KNNImputer(5)": lambda: Scaled(KNNImputer()),
        "scikit-learn IterativeImputer": lambda: Scaled(IterativeImputer(max_iter=10, random_state=0)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/unmiss")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default="mean,neighbours,chained,gaussian,boosted,auto")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    names = [("unmiss", name) for name in arguments.methods.split(",") if name]
    others = peers() if arguments.peers else {}
    results = {}
    for table, how, rate in [column for column in COLUMNS if column[0] in arguments.tables.split(",")]:
        data = pd.read_csv(arguments.data / "complete" / TABLES[table]).iloc[:, :-1].astype(float)
        for seed in range(arguments.seeds):
            rng = np.random.default_rng(seed)
            order = rng.permutation(len(data))[: 5000]
            values = data.to_numpy()[order]
            observed = hide(values, how, rate, rng)
            cut = len(values) * 4 // 5
            spread = values[:cut].std(0)
            spread[spread == 0] = 1
            holed = pd.DataFrame(np.where(observed, values, np.nan), columns=data.columns)
            train, new = holed.iloc[:cut], holed.iloc[cut:]
            for label, name in [(" ".join(name), name) for name in names] + [(label, None) for label in others]:
                with tempfile.TemporaryDirectory() as folder:
                    if name:
                        result = with_program(arguments.program, name[1], train, new, pathlib.Path(folder))
                    else:
                        result = with_peer(others[label](), train, new)
                first = error(result[0], values[:cut], observed[:cut], spread)
                second = error(result[1], values[cut:], observed[cut:], spread)
                results.setdefault(label, {}).setdefault((table, how, rate), []).append((first, second, result[2]))
        print(f"done: {table} {how} {rate}", flush=True)
    columns = [column for column in COLUMNS if column[0] in arguments.tables.split(",")]
    print("\n| | " + " | ".join(f"{table} {how} {rate:.0%}" for table, how, rate in columns) + " | seconds |")
    print("|---" * (len(columns) + 2) + "|")
    for label, cells in results.items():
        texts = []
        for column in columns:
            mean = np.mean([run[:2] for run in cells[column]], axis=0)
            texts.append(f"{mean[0]:.2f}/{mean[1]:.2f}".replace("0.", "."))
        seconds = sum(run[2] for column in columns for run in cells[column])
        print(f"| {label} | " + " | ".join(texts) + f" | {seconds:.1f} |")


if __name__ == "__main__":
    main()
