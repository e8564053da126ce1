"""`unmiss fit` and other tools, each with its defaults, on the same splits of real tables with holes.

    benches/peers.py events --data DIR --work WORK            writes train.csv, test.csv, truth.csv of every event
    benches/peers.py rivals --work WORK [--events GLOB]       the other tools (numpy, pandas, scikit-learn, boosters)
    benches/peers.py unmiss --work WORK --program target/release/unmiss --label NAME [--events GLOB] [--args ...]
    benches/peers.py rank --work WORK [--labels A,B,...]      ranks, gaps and times of what was measured, as Markdown

DIR holds the folders `missing` and `complete` of tables and COLUMNS.csv, which says what each column is. An event is
a table, a kind of holes and a split. Tables with holes of their own are taken as they are; holes are also made in
complete ones and in some others, training and test rows alike and never in the target: `mcar` (30 % of the cells),
`mar` (a third of the columns stays whole and decides over the others, logistic, 30 % of their cells) and `self` (each
cell by its own value, logistic with slope 2 in standard deviations, up or down by column, 30 %). Splits are random,
70 % to learn from, classes in proportion, people with several rows on one side; 5 for tables below 200 rows, 2 for
the others, 1 for the largest. Every tool reads the same two files, is told the target and the task, and works with 2
threads. A tool that needs more than 240 processor seconds is stopped and ranked last.

Results are lines of WORK/results.jsonl; what is there already is not run again. Scores on held-out rows: AUROC (mean
of one against the rest) or R2, log-loss, accuracy, root mean square error. Times are of fitting; for the program, of
the whole command.
"""

import argparse
import fnmatch
import json
import multiprocessing
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import warnings

# On a busy machine 1 is fairer: threads that wait for each other lose their turns.
THREADS = os.environ.get("THREADS", "2")
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, THREADS)
# Waiting threads sleep: on a busy machine they would otherwise burn processor time that is no work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import pandas as pd

SMALL, MOST_ROWS, PROCESSOR_SECONDS = 200, 4000, 240
CLASSES, NUMBER = "classification", "regression"
# Table: task, and the made holes besides its own.
TABLES = {
    "missing/nhanes2.csv": (NUMBER, ""),
    "missing/sleep_mammals.csv": (NUMBER, "mcar"),
    "missing/airquality_r.csv": (NUMBER, ""),
    "missing/hepatitis.csv": (CLASSES, "mcar"),
    "missing/auto_imports85.csv": (NUMBER, "mar"),
    "missing/horse_colic.csv": (CLASSES, ""),
    "missing/penguins.csv": (CLASSES, "self"),
    "missing/ozone_la.csv": (NUMBER, "mar"),
    "missing/ckd.csv": (CLASSES, ""),
    "missing/pbc.csv": (CLASSES, ""),
    "missing/house_votes84.csv": (CLASSES, "self"),
    "missing/boys.csv": (NUMBER, ""),
    "missing/kola_chorizon.csv": (NUMBER, ""),
    "missing/soybean.csv": (CLASSES, ""),
    "missing/credit_approval.csv": (CLASSES, "mcar mar self"),
    "missing/tao.csv": (NUMBER, ""),
    "missing/pima.csv": (CLASSES, "mar"),
    "missing/titanic.csv": (CLASSES, "mcar self"),
    "missing/mammographic.csv": (CLASSES, ""),
    "missing/mice_protein.csv.gz": (CLASSES, ""),
    "missing/help_full.csv.gz": (NUMBER, ""),
    "missing/selfreport.csv": (NUMBER, ""),
    "missing/communities_crime.csv.gz": (NUMBER, ""),
    "missing/ames.csv.gz": (NUMBER, "mcar"),
    "missing/hypothyroid.csv": (CLASSES, ""),
    "missing/brandsma.csv": (NUMBER, ""),
    "missing/melbourne_housing.csv.gz": (NUMBER, ""),
    "missing/air_quality_uci.csv.gz": (NUMBER, ""),
    "missing/nycflights13.csv.gz": (NUMBER, ""),
    "missing/adult.csv.gz": (CLASSES, "mcar"),
    "physionet2012/tabular_means.csv.gz": (CLASSES, ""),
    "complete/iris.csv": (CLASSES, "mcar mar self"),
    "complete/wine.csv": (CLASSES, "mcar mar self"),
    "complete/diabetes.csv": (NUMBER, "mcar mar self"),
    "complete/boston.csv": (NUMBER, "mcar mar self"),
    "complete/breast_cancer_wdbc.csv": (CLASSES, "mcar mar self"),
    "complete/concrete.csv": (NUMBER, "mcar mar self"),
    "complete/banknote.csv": (CLASSES, "mcar mar self"),
    "complete/wine_quality_red.csv": (NUMBER, "mcar mar self"),
    "complete/wine_quality_white.csv": (NUMBER, "mcar mar self"),
    "complete/california.csv.gz": (NUMBER, "mcar mar self"),
    "complete/digits8x8.csv": (CLASSES, "mcar"),
}
# Dear ones get one split; these are besides taken with more rows, and the census with its published split.
ONE_SPLIT = {"mice_protein", "help_full", "communities_crime", "ames", "kola_chorizon", "digits8x8", "soybean",
             "tabular_means", "adult", "nycflights13", "melbourne_housing", "wine_quality_white", "california"}
LARGE = {"missing/adult.csv.gz": (CLASSES, ""), "complete/california.csv.gz": (NUMBER, "mcar")}
LARGE_ROWS = 20_000
CENSUS = "missing/census_income_kdd.csv.gz"
PEOPLE = {"missing/help_full.csv.gz": "ID"}


# ---- Events

def read(path):
    """A table in which only the empty field is missing."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)


def table(data, file):
    """Features, target, the group of each row (or None) and the published part of each row (or None)."""
    frame = read(data / file)
    if file.startswith("physionet"):
        roles = {"RecordID": "id", "set": "split", frame.columns[-1]: "target"}
    else:
        columns = pd.read_csv(data / "COLUMNS.csv", keep_default_na=False)
        columns = columns[columns.file == file]
        roles = dict(zip(columns.column, columns.role))
    target = next(name for name, role in roles.items() if role == "target")
    frame = frame[frame[target].notna()].reset_index(drop=True)
    features = [name for name in frame.columns if roles.get(name, "feature") == "feature"]
    groups = frame[PEOPLE[file]] if file in PEOPLE else None
    part = next((frame[name] for name, role in roles.items() if role == "split"), None)
    return frame[features], frame[target], groups, part


def coded(frame, rng):
    """Values as standardised numbers, a category by a random number of its own; missing is 0, the mean."""
    columns = []
    for name in frame:
        values = frame[name]
        if not pd.api.types.is_numeric_dtype(values):
            codes, kinds = pd.factorize(values, sort=True)
            values = pd.Series(np.where(codes < 0, np.nan, np.append(rng.normal(size=len(kinds)), 0)[codes]))
        values = values.to_numpy(float)
        spread = np.nanstd(values) if np.isfinite(values).any() else 0
        columns.append(np.nan_to_num((values - np.nanmean(values)) / spread) if spread > 0 else np.zeros(len(values)))
    return np.stack(columns, 1)


def hidden(slopes, share, rng):
    """Bernoulli draws with logistic probabilities whose mean is `share`, column by column."""
    hide = np.zeros(slopes.shape, bool)
    for j in range(slopes.shape[1]):
        low, high = -30.0, 30.0
        for _ in range(60):
            middle = (low + high) / 2
            mean = np.mean(1 / (1 + np.exp(-(slopes[:, j] + middle))))
            low, high = (middle, high) if mean < share else (low, middle)
        hide[:, j] = rng.random(len(slopes)) < 1 / (1 + np.exp(-(slopes[:, j] + low)))
    return hide


def mask(frame, how, seed, share=0.3):
    """True where a cell is to be hidden."""
    rng = np.random.default_rng([seed, ["mcar", "mar", "self"].index(how)])
    if how == "mcar":
        return rng.random(frame.shape) < share
    values = coded(frame, rng)
    rows, width = values.shape
    if how == "self":
        return hidden(2 * values * rng.choice([-1, 1], width), share, rng)
    drivers = rng.permutation(width)[: max(1, width // 3)]
    scores = values[:, drivers] @ rng.normal(size=(len(drivers), width))
    spread = scores.std(0)
    hide = hidden(2 * scores / np.where(spread > 0, spread, 1), share, rng)
    hide[:, drivers] = False
    return hide


def parts(target, task, groups, rng):
    """True for test rows: 30 %, classes in proportion, groups whole."""
    test = np.zeros(len(target), bool)
    if groups is not None:
        kinds = groups.unique()
        return groups.isin(rng.permutation(kinds)[: round(0.3 * len(kinds))]).to_numpy()
    for kind in (target.unique() if task == CLASSES else [None]):
        rows = np.flatnonzero(target == kind) if kind is not None else np.arange(len(target))
        test[rng.permutation(rows)[: round(0.3 * len(rows))]] = True
    return test


def write(work, name, features, target, task, test, **more):
    folder = work / "events" / name
    folder.mkdir(parents=True, exist_ok=True)
    train = pd.concat([features, target], axis=1)[~test]
    train.to_csv(folder / "train.csv", index=False)
    features[test].to_csv(folder / "test.csv", index=False)
    target[test].to_csv(folder / "truth.csv", index=False)
    about = {"event": name, "target": target.name, "task": task, "rows": int((~test).sum()),
             "columns": features.shape[1], "empty": float(features.isna().mean().mean()), **more}
    (folder / "event.json").write_text(json.dumps(about))


def events(options):
    data, work = options.data, options.work
    todo = [(file, task, made, MOST_ROWS, "") for file, (task, made) in TABLES.items()]
    todo += [(file, task, made, LARGE_ROWS, "_20k") for file, (task, made) in LARGE.items()]
    for file, task, made, most, suffix in todo:
        name = pathlib.Path(file).name.split(".")[0]
        features, target, groups, _ = table(data, file)
        if len(features) > most:
            rows = np.sort(np.random.default_rng(1).permutation(len(features))[:most])
            features, target = features.iloc[rows].reset_index(drop=True), target.iloc[rows].reset_index(drop=True)
        splits = 5 if len(features) < SMALL else 1 if name in ONE_SPLIT else 2
        mechanisms = made.split() + ([] if file.startswith("complete") else ["own"])
        for how in mechanisms:
            for split in range(splits):
                holed = features if how == "own" else features.mask(mask(features, how, split))
                test = parts(target, task, groups, np.random.default_rng([split, 7]))
                write(work, f"{name}{suffix}-{how}-{split}", holed, target, task, test, holes=how,
                      table=name + suffix, split=split)
    features, target, _, part = table(data, CENSUS)
    write(work, "census_income_kdd-own-0", features, target, CLASSES, (part == "test").to_numpy(), holes="own",
          table="census_income_kdd", split=0)


def chosen(options):
    """The events that the pattern names, small ones first, first splits before the others."""
    found = [json.loads(path.read_text()) for path in options.work.glob("events/*/event.json")]
    globs = options.events.split(",")
    found = [event for event in found if any(fnmatch.fnmatch(event["event"], glob) for glob in globs)
             and event["rows"] * event["columns"] <= options.most_cells]
    return sorted(found, key=lambda event: (event["rows"] * event["columns"] > 1e5, event["split"] > 0,
                                            event["rows"] * event["columns"]))


# ---- Scores and results

def scores(truth, answer, task, classes):
    """Scores of held-out answers: a number a row, or a column of probabilities a class."""
    if task == NUMBER:
        error = float(np.mean((truth - answer) ** 2))
        return {"score": 1 - error / float(np.var(truth)), "rmse": error ** 0.5}
    from sklearn.metrics import roc_auc_score
    answer = np.clip(np.asarray(answer, float), 1e-6, 1)
    answer /= answer.sum(1, keepdims=True)
    place = pd.Categorical(truth, categories=classes).codes
    least = min(5, np.bincount(place).max() - 1)  # A class of few test rows would add noise alone.
    areas = [roc_auc_score(place == k, answer[:, k]) for k in range(len(classes)) if (place == k).sum() >= least]
    return {"score": float(np.mean(areas)), "log_loss": float(-np.mean(np.log(answer[np.arange(len(place)), place]))),
            "accuracy": float(np.mean(answer.argmax(1) == place))}


def truth_of(work, event):
    """Held-out answers and, for classes, all of them in order, as words."""
    folder = work / "events" / event["event"]
    words = dict(keep_default_na=False, dtype=str) if event["task"] == CLASSES else {}
    truth = pd.read_csv(folder / "truth.csv", **words).iloc[:, 0]
    if event["task"] == NUMBER:
        return truth.to_numpy(float), None
    classes = sorted(pd.read_csv(folder / "train.csv", usecols=[event["target"]], **words).iloc[:, 0].unique())
    return truth.to_numpy(), classes


def done(work):
    path = work / "results.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def keep(work, event, label, answer, times, error=None):
    line = {"event": event["event"], "label": label, **times}
    if error is None:
        truth, classes = truth_of(work, event)
        line |= scores(truth, answer, event["task"], classes)
        folder = work / "answers" / label
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{event['event']}.npy", np.asarray(answer, np.float32))
    else:
        line |= {"score": None, "error": error}
    with open(work / "results.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")
    print(label, event["event"], line["score"], f"{times.get('processor', 0):.1f} s", error or "", flush=True)


# ---- The other tools

RIVALS = ["CatBoost", "LightGBM", "HistGradientBoosting", "XGBoost", "RandomForest", "ExtraTrees",
          "indicators + linear", "IterativeImputer + linear"]


def rival(name, task, words):
    """A tool with its defaults, as an estimator for a frame whose columns `words` are of the type category."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, HistGradientBoostingClassifier,
                                  HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor)
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, SimpleImputer
    from sklearn.linear_model import LogisticRegressionCV, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    number = task == NUMBER
    if name == "CatBoost":
        import catboost
        kind = catboost.CatBoostRegressor if number else catboost.CatBoostClassifier
        return kind(thread_count=int(THREADS), verbose=0, allow_writing_files=False, cat_features=words, random_seed=0)
    if name == "LightGBM":
        import lightgbm
        return (lightgbm.LGBMRegressor if number else lightgbm.LGBMClassifier)(n_jobs=int(THREADS), verbose=-1)
    if name == "XGBoost":
        import xgboost
        return (xgboost.XGBRegressor if number else xgboost.XGBClassifier)(n_jobs=int(THREADS), enable_categorical=True)
    if name == "HistGradientBoosting":
        return (HistGradientBoostingRegressor if number else HistGradientBoostingClassifier)(random_state=0)
    iterative = name.startswith("Iterative")
    forest = {"RandomForest": (RandomForestRegressor, RandomForestClassifier),
              "ExtraTrees": (ExtraTreesRegressor, ExtraTreesClassifier)}.get(name)
    imputer = (IterativeImputer(random_state=0, keep_empty_features=True) if iterative else
               SimpleImputer(strategy="median" if forest else "mean", add_indicator=True, keep_empty_features=True))
    numbers = imputer if forest else make_pipeline(StandardScaler(), imputer)
    one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False)
    before = make_column_transformer((one_hot, words), (numbers, make_column_selector(dtype_include="number")))
    if forest:
        return make_pipeline(before, forest[not number](n_jobs=int(THREADS), random_state=0))
    return make_pipeline(before, RidgeCV(np.logspace(-2, 4, 13)) if number else LogisticRegressionCV(
        Cs=10, max_iter=300, scoring="neg_log_loss", l1_ratios=(0,), use_legacy_attributes=False))


def prepared(name, train, test):
    """The frames as the tool wants its categories, without empty columns, and the names of the categories."""
    known = train.columns[train.notna().any()]
    train, test = train[known].copy(), test[known].copy()
    words = [column for column in train if not pd.api.types.is_numeric_dtype(train[column])]
    for column in words:
        if name == "CatBoost":
            for part in (train, test):
                part[column] = part[column].astype(object).where(part[column].notna(), "missing").astype(str)
            continue
        # HistGradientBoosting takes at most 255 categories: the most frequent stay.
        kinds = train[column].astype(str).where(train[column].notna()).value_counts().index[:250]
        for part in (train, test):
            part[column] = pd.Categorical(part[column].astype(str).where(part[column].notna()), categories=kinds)
    for column in train.columns.difference(words):
        test[column] = pd.to_numeric(test[column], errors="coerce").astype(float)
        train[column] = train[column].astype(float)
    # LightGBM accepts no punctuation in names.
    names = {column: f"c{place}" for place, column in enumerate(train)}
    return train.rename(columns=names), test.rename(columns=names), [names[column] for column in words]


def run_rival(work, event, name, pipe):
    """In a process of its own, so that its time can be limited."""
    warnings.filterwarnings("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
    folder = work / "events" / event["event"]
    train, test = read(folder / "train.csv"), read(folder / "test.csv")
    target = train.pop(event["target"])
    train, test, words = prepared(name, train, test)
    _, classes = truth_of(work, event)
    if classes is None:
        answers = target.to_numpy(float)
    else:
        as_read = pd.read_csv(folder / "train.csv", usecols=[event["target"]], dtype=str, keep_default_na=False)
        answers = pd.Categorical(as_read.iloc[:, 0], categories=classes).codes
    try:
        tool = rival(name, event["task"], words)
        wall, processor = time.perf_counter(), time.process_time()
        tool.fit(train, answers)
        times = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
        processor = time.process_time()
        answer = tool.predict(test) if classes is None else tool.predict_proba(test)
        pipe.send((answer, times | {"predict": time.process_time() - processor}, None))
    except Exception as error:  # A tool that fails on a table is part of the result.
        pipe.send((None, {}, f"{type(error).__name__}: {error}"[:200]))


def rivals(options):
    import catboost, lightgbm, sklearn.ensemble, sklearn.metrics, xgboost  # noqa: E401, F401 loaded before forking
    fork = multiprocessing.get_context("fork")
    for event in chosen(options):
        for name in options.labels.split(",") if options.labels else RIVALS:
            if any((line["event"], line["label"]) == (event["event"], name) for line in done(options.work)):
                continue
            ours, theirs = fork.Pipe()
            process = fork.Process(target=run_rival, args=(options.work, event, name, theirs))
            process.start()
            theirs.close()
            try:
                answer, times, error = ours.recv()
                process.join()
            except EOFError:
                process.join()
                if process.exitcode != -signal.SIGXCPU:
                    sys.exit(f"{name} broke on {event['event']}")
                answer, times, error = None, {"processor": PROCESSOR_SECONDS}, "stopped: too slow"
            keep(options.work, event, name, answer, times, error)


# ---- The program

def command(arguments):
    """Wall and processor seconds of a command, its words and whether it failed."""
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run([str(word) for word in arguments], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, processor, answer.stdout + answer.stderr, answer.returncode


def unmiss(options):
    there = {(line["event"], line["label"]) for line in done(options.work)}
    for event in chosen(options):
        if (event["event"], options.label) in there:
            continue
        folder, out = options.work / "events" / event["event"], options.work / "models" / options.label
        out.mkdir(parents=True, exist_ok=True)
        model, predicted = out / f"{event['event']}.unmiss", out / f"{event['event']}.csv"
        model.unlink(missing_ok=True)
        wall, processor, words, failed = command(
            [options.program, "fit", folder / "train.csv", "--target", event["target"], "--task", event["task"], "-o",
             model, "--threads", THREADS, *options.args])
        (out / f"{event['event']}.txt").write_text(words)
        times = {"wall": wall, "processor": processor}
        if not failed:
            _, seconds, words, failed = command(
                [options.program, "predict", model, folder / "test.csv", "-o", predicted, "--threads", THREADS])
            times |= {"predict": seconds, "megabytes": model.stat().st_size / 1e6}
        if failed:
            keep(options.work, event, options.label, None, times, words.strip()[-200:])
            continue
        _, classes = truth_of(options.work, event)
        columns = ["prediction"] if classes is None else [f"probability_{kind}" for kind in classes]
        answer = pd.read_csv(predicted)[columns].to_numpy(float)
        keep(options.work, event, options.label, answer.ravel() if classes is None else answer, times)
        model.unlink()


# ---- Ranks

def ranks(frame, higher):
    """Ranks within each event (1 is best, ties averaged); no score is last."""
    worst = -np.inf if higher else np.inf
    return frame.fillna(worst).rank(axis=1, ascending=not higher, method="average")


def block_table(scores, blocks):
    """Mean ranks of every tool, by block of events."""
    rank = ranks(scores, True)
    lines = ["| tool | " + " | ".join(f"{name} ({int(rows.sum())})" for name, rows in blocks.items()) + " |",
             "|---" * (len(blocks) + 1) + "|"]
    for tool in rank.mean().sort_values().index:
        means = [f"{rank.loc[rows, tool].mean():.2f}" for rows in blocks.values()]
        lines.append(f"| {tool} | " + " | ".join(means) + " |")
    return lines


def figures(scores, losses, times, walls, rows):
    """Of every tool: mean rank, first places, share within .01 and .02 of the best, log-loss rank, times."""
    rank, loss_rank = ranks(scores, True), ranks(losses.dropna(how="all"), False)
    behind = scores.rsub(scores.max(axis=1), axis=0).fillna(np.inf)
    lines = ["| tool | mean rank | first | within .01 | within .02 | worst gap at 350 training rows and more | "
             "log-loss rank | processor s, mean | median | wall s, mean |", "|---" * 10 + "|"]
    for tool in rank.mean().sort_values().index:
        large = behind.loc[rows >= 350, tool]
        worst = f"{large.max():.3f} ({large.idxmax()})" if len(large) else ""
        lines.append(f"| {tool} | {rank[tool].mean():.2f} | {(rank[tool] < 1.6).mean():.0%} | "
                     f"{(behind[tool] <= .01).mean():.0%} | {(behind[tool] <= .02).mean():.0%} | {worst} | "
                     f"{loss_rank[tool].mean():.2f} | {times[tool].mean():.1f} | {times[tool].median():.1f} | "
                     f"{walls[tool].mean():.1f} |")
    return lines


def gaps(scores, losses, times, about, label, count=25):
    """Where a tool is furthest behind, with the best tool there."""
    others = scores.drop(columns=label)
    behind = (others.max(axis=1) - scores[label]).sort_values(ascending=False)
    lines = [f"| event | rows x columns | {label} | best other | | gap | log-loss, best other | processor s |",
             "|---" * 8 + "|"]
    for event in behind.index[:count]:
        loss = losses.loc[event]
        loss_words = "" if loss.isna().all() else f"{loss[label]:.3f}, {loss.drop(label).min():.3f}"
        lines.append(f"| {event} | {about.rows[event]} x {about['columns'][event]} | {scores.loc[event, label]:.3f} | "
                     f"{others.loc[event].max():.3f} | {others.loc[event].idxmax()} | {behind[event]:.3f} | "
                     f"{loss_words} | {times.loc[event, label]:.1f} |")
    return lines


def rank(options):
    about = pd.DataFrame([json.loads(path.read_text()) for path in options.work.glob("events/*/event.json")])
    about = about.set_index("event").sort_index()
    lines = pd.DataFrame(done(options.work)).drop_duplicates(["event", "label"], keep="last")
    lines = lines[lines.event.isin([event["event"] for event in chosen(options)])]
    labels = RIVALS + [label for label in options.labels.split(",") if label]
    measured = lines[lines.label.isin(labels)].groupby("event").label.nunique()
    events = sorted(measured[measured == len(labels)].index)
    if options.by == "table":
        about["place"] = about.table + "-" + about.holes
    wide = {}
    for what in ("score", "log_loss", "processor", "wall"):
        wide[what] = lines.pivot(index="event", columns="label", values=what).reindex(index=events, columns=labels)
        if options.by == "table":
            wide[what] = wide[what].groupby(about.place.reindex(events)).mean()
    if options.by == "table":
        about = about.drop_duplicates("place").set_index("place")
    about = about.reindex(wide["score"].index)
    rows = about.rows
    blocks = {"all": rows > 0, "own holes": about.holes == "own", "MCAR": about.holes == "mcar",
              "MAR": about.holes == "mar", "self-masking": about.holes == "self", "classes": about.task == CLASSES,
              "numbers": about.task == NUMBER, "below 350 rows": rows < 350,
              "350 to 999": (rows >= 350) & (rows < 1000), "1,000 and more": rows >= 1000}
    blocks = {name: rows for name, rows in blocks.items() if rows.any()}
    report = block_table(wide["score"], blocks) + [""]
    report += figures(wide["score"], wide["log_loss"], wide["processor"], wide["wall"], about.rows)
    for label in labels[len(RIVALS):]:
        report += ["", f"Where `{label}` is furthest behind:", ""]
        report += gaps(wide["score"], wide["log_loss"], wide["processor"], about, label)
    print("\n".join(report))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    jobs = parser.add_subparsers(required=True)
    for job in (events, rivals, unmiss, rank):
        words = jobs.add_parser(job.__name__)
        words.set_defaults(job=job)
        words.add_argument("--work", type=pathlib.Path, required=True)
        words.add_argument("--events", default="*", help="patterns of event names, with commas between")
        words.add_argument("--most-cells", type=float, default=1e9, help="leave out larger training tables")
        words.add_argument("--labels", default="", help="rivals: which ones; rank: runs of the program to rank, too")
        words.add_argument("--by", choices=["event", "table"], default="event", help="rank: table averages splits")
        if job is events:
            words.add_argument("--data", type=pathlib.Path, required=True)
        if job is unmiss:
            words.add_argument("--program", required=True)
            words.add_argument("--label", required=True)
            words.add_argument("--args", nargs=argparse.REMAINDER, default=[], help="further options of fit; last")
    options = parser.parse_args()
    options.job(options)


if __name__ == "__main__":
    main()
