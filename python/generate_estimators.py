"""Writes python/unmiss/_estimators.py from the library's list of methods.

    python python/generate_estimators.py          writes the file
    python python/generate_estimators.py --check  says whether it is fresh

The list comes from the built package, so build and install it first.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import textwrap

TARGET = pathlib.Path(__file__).parent / "unmiss" / "_estimators.py"

#: Settings that make an example quick, for methods that have them.
QUICK = {"networks": 1}
#: The same for recommenders.
QUICK_RATINGS = {"hidden": 20, "epochs": 20}

#: Recommenders that the world knows by these names; others are called by their method.
RECOMMENDER_NAMES = {
    "autorec": "AutoRec",
    "factors": "MatrixFactorization",
    "blend": "RatingBlend",
    "cf-nade": "CFNade",
    "biases": "RatingBiases",
}

HEAD = '''"""The estimators, made from the library's list of methods by python/generate_estimators.py: do not edit."""

from __future__ import annotations

from typing import Any

from ._base import recipes_of
from ._imputers import ImputerBase
from ._predictors import ClassifierBase, RegressorBase
from ._recommenders import RecommenderBase

'''

IMPUTER_COMMON = [
    (
        "m",
        "0",
        "int",
        "int, default=0",
        "For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn when it "
        "is fitted, which takes time; with 0 it is ready for best guesses alone.",
    ),
    (
        "within",
        "None",
        "dict | None",
        "dict of str or int to (low, high), default=None",
        "Lowest and highest value that may be filled into single columns; None leaves an end open.",
    ),
    (
        "beyond_range",
        "False",
        "bool",
        "bool, default=False",
        "Let filled numbers leave the range of a column's known values.",
    ),
    ("ignore", "None", "list | None", "list of str or int, default=None", "Columns that are neither used nor filled."),
    (
        "unfilled",
        '"error"',
        "str",
        '{"error", "keep"}, default="error"',
        "What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them with a "
        "warning. The number of columns never changes.",
    ),
]

RECOMMENDER_COMMON = [
    ("user", '"user"', "str", 'str, default="user"', "The column of users, where ratings come as a data frame."),
    ("item", '"item"', "str", 'str, default="item"', "The column of items."),
    ("rating", '"rating"', "str", 'str, default="rating"', "The column of ratings."),
    (
        "time",
        "None",
        "str | None",
        "str, default=None",
        "The column of times: of several ratings for the same user and item the latest counts. None: the one that "
        "stands last.",
    ),
]

COMMON = [
    (
        "random_state",
        "0",
        "Any",
        "int, RandomState or None, default=0",
        "Seed of everything random: the same seed gives the same result, for any number of threads.",
    ),
    ("n_jobs", "None", "int | None", "int, default=None", "Threads; None: all of the machine."),
    ("verbose", "0", "int", "int, default=0", "1 shows a bar."),
]

FOLDS = "Folds of the cross-validation{why}."

SURE = {"classifier": "sets of classes", "regressor": "prediction intervals"}

CLASS_WEIGHT = ("class_weight", "None", "Any", 'dict or "balanced", default=None', "How classes weigh in learning.")


def load_native():
    """The built module alone: the package around it may be what is to be written."""
    places = [str(pathlib.Path(place) / "unmiss") for place in sys.path if place]
    spec = importlib.machinery.PathFinder.find_spec("_unmiss", places)
    if spec is None:
        sys.exit("unmiss is not installed: build it first (pip install .)")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def class_name(method: str) -> str:
    return "".join(part.capitalize() for part in method.split("-"))


def python_value(value) -> str:
    if isinstance(value, list):
        inner = ", ".join(python_value(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def python_type(value) -> str:
    if isinstance(value, bool):
        return "bool"
    return {int: "int", float: "float", str: "Any", list: "tuple"}.get(type(value), "Any")


def numpydoc_type(value) -> str:
    kind = {bool: "bool", int: "int", float: "float", str: "str", list: "tuple"}.get(type(value))
    return f"{kind}, default={python_value(value)}" if kind else f"default={python_value(value)}"


def sentence(text: str) -> str:
    text = text.strip()
    text = text[0].upper() + text[1:]
    text = text.replace("true:", "True:").replace("false:", "False:").replace("null:", "None:")
    return text if text.endswith((".", "!", "?")) else text + "."


def settings_of(entry) -> list[tuple]:
    rows = []
    for setting in entry["settings"]:
        default = entry["defaults"][setting["name"]]
        name = setting["name"].replace("-", "_")
        rows.append(
            (name, python_value(default), python_type(default), numpydoc_type(default), sentence(setting["help"]))
        )
    return rows


def wrapped(text: str, indent: int) -> str:
    return textwrap.fill(
        text,
        110,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def parameters_text(parameters: list[tuple]) -> str:
    lines = []
    for name, _, _, kind, text in parameters:
        lines.append(f"    {name} : {kind}")
        lines.append(wrapped(text, 8))
    return "\n".join(lines)


ATTRIBUTES = {
    "imputer": [
        ("n_features_in_", "int", "Columns seen in fit."),
        ("feature_names_in_", "array of str", "Their names, if X had any."),
    ],
    "classifier": [
        ("classes_", "array", "The classes, in the order of ``predict_proba``."),
        ("method_", "str", "The method that was fitted."),
        ("scores_", "list of dict", "How the methods did in the cross-validation, best first."),
        ("n_features_in_", "int", "Columns seen in fit."),
        ("feature_names_in_", "array of str", "Their names, if X had any."),
    ],
}
ATTRIBUTES["recommender"] = [
    ("method_", "str", "The method that was fitted."),
    ("users_", "array", "The ids of the users, in ascending order."),
    ("items_", "array", "The ids of the items."),
    ("n_ratings_", "int", "Ratings learned from."),
    ("rating_range_", "tuple of float", "The smallest and the largest of them, between which predictions lie."),
]
ATTRIBUTES["regressor"] = ATTRIBUTES["classifier"][1:]


def attributes_text(kind: str) -> str:
    lines = []
    for name, what, text in ATTRIBUTES[kind]:
        lines += [f"    {name} : {what}", wrapped(text, 8)]
    return "\n".join(lines)


def example(kind: str, name: str, arguments: str) -> str:
    if kind == "imputer":
        return f"""    >>> import numpy as np
    >>> from unmiss import {name}
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = {name}({arguments}).fit_transform(X)
    >>> bool(np.isnan(full).any())
    False"""
    if kind == "recommender":
        return f"""    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.{name}({arguments}).fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({{"film-001": 5, "film-002": 1.5}}, n=4).shape
    (4, 2)"""
    truth = "X[:, 0] > 0" if kind == "classifier" else "3 * X[:, 0]"
    return f"""    >>> import numpy as np
    >>> from unmiss import {name}
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = {truth}
    >>> X[::4, 1] = np.nan
    >>> model = {name}({arguments}).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True"""


def write_class(
    kind: str,
    name: str,
    title: str,
    body: list[str],
    parameters: list[tuple],
    attributes: str,
    arguments: str,
    first: tuple | None = None,
    members: str = "",
) -> str:
    base = f"{kind.capitalize()}Base"
    shown = ([first] if first else []) + parameters
    signature = ["        self,"]
    if first:
        signature.append(f"        {first[0]}: {first[2]} = {first[1]},")
    signature.append("        *,")
    signature += [f"        {row[0]}: {row[2]} = {row[1]}," for row in parameters]
    stores = "\n".join(f"        self.{row[0]} = {row[0]}" for row in shown)
    text = "\n\n".join(wrapped(part, 4) for part in body)
    newline = "\n"
    return f'''
class {name}({base}):
    """{title}

{text}

    Parameters
    ----------
{parameters_text(shown)}

    Attributes
    ----------
{attributes}

    Examples
    --------
{example(kind, name, arguments)}
    """

{members}
    def __init__(
{newline.join(signature)}
    ):
{stores}
'''


def method_class(kind: str, entry) -> tuple[str, str]:
    if kind == "recommender":
        name = RECOMMENDER_NAMES.get(entry["name"]) or class_name(entry["name"]) + "Recommender"
    else:
        name = class_name(entry["name"]) + kind.capitalize()
    about = entry["about"]
    body = [
        sentence(about["idea"]),
        f"Use it: {about['when'].strip()}",
        f"Don't use it: {about['when_not'].strip()}",
    ]
    if about["paper"].strip():
        body.append(f"Paper: {sentence(about['paper'])}")
    settings = settings_of(entry)
    if kind == "imputer":
        parameters = settings + IMPUTER_COMMON + COMMON
    elif kind == "recommender":
        parameters = settings + RECOMMENDER_COMMON + COMMON
    else:
        why = f" whose models are averaged and that {SURE[kind]} come from; 0: one model of all rows, without"
        folds = ("folds", "0", "int", "int, default=0", FOLDS.format(why=why))
        parameters = settings + [folds] + ([CLASS_WEIGHT] if kind == "classifier" else []) + COMMON
    quick = QUICK_RATINGS if kind == "recommender" else QUICK
    quick = {row[0]: quick[row[0]] for row in settings if row[0] in quick}
    arguments = ", ".join(f"{key}={value}" for key, value in quick.items())
    names = "\n".join(f"        {json.dumps(row[0])}," for row in settings)
    members = f'    _method = "{entry["name"]}"\n    _settings = (\n{names}\n    )\n'
    return name, write_class(
        kind, name, sentence(about["title"]), body, parameters, attributes_text(kind), arguments, members=members
    )


def list_text(entries) -> str:
    return "; ".join(f"``{entry['name']}`` ({entry['about']['title']})" for entry in entries)


def general_imputer(entries) -> str:
    first = ("method", '"auto"', "str", 'str, default="auto"', "The imputer's name: " + list_text(entries) + ".")
    settings = ("settings", "None", "dict | None", "dict, default=None", "Settings of the imputer, by name.")
    members = """    def _recipe(self) -> tuple[str, dict[str, Any]]:
        return self.method, dict(self.settings or {})
"""
    return write_class(
        "imputer",
        "Imputer",
        "Fill holes with any imputer of the list.",
        [
            "``auto`` hides known cells, lets several imputers fill them, and takes for each column the one that came "
            "nearest to the truth. Known cells, names, index and types stay as they are; words and categories need no "
            "encoding."
        ],
        [settings] + IMPUTER_COMMON + COMMON,
        attributes_text("imputer"),
        '"gaussian"',
        first,
        members,
    )


def general_predictor(kind: str, entries) -> str:
    name = kind.capitalize()
    first = (
        "method",
        '"auto"',
        "Any",
        'str or list of str, default="auto"',
        "``auto`` for the weighted mean of several methods, a method's name, or several names to choose the best "
        "from: " + list_text(entries) + ".",
    )
    settings = (
        "settings",
        "None",
        "dict | None",
        "dict, default=None",
        "Settings of the method, by name; with several methods, settings by method.",
    )
    effort = (
        "effort",
        '"normal"',
        "str",
        '{"quick", "normal", "best"}, default="normal"',
        "How much ``auto`` tries: ``quick`` takes a second or two on a small table, ``normal`` about a minute on two "
        "cores up to 20,000 rows of 50 columns.",
    )
    folds = (
        "folds",
        "None",
        "int | None",
        "int, default=None",
        FOLDS.format(
            why=f" that weighs or chooses, whose models are averaged and that {SURE[kind]} come from; None: 10 where "
            "rows are few, else 5; 0: one model of all rows, without, for a single method"
        ),
    )
    members = f"""    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        if isinstance(self.method, str) and self.method == "auto":
            return [("ensemble", {{"effort": self.effort, **(self.settings or {{}})}})]
        return recipes_of(self.method, self.settings, ())
"""
    extra = [CLASS_WEIGHT] if kind == "classifier" else []
    return write_class(
        kind,
        name,
        "Predict classes from rows with holes." if kind == "classifier" else "Predict a number from rows with holes.",
        [
            "A hole is never an error. Several methods are cross-validated, and the answer is their weighted mean, or "
            "of methods that are named that of the best; words and categories need no encoding, numbers no scaling."
        ],
        [settings, effort, folds] + extra + COMMON,
        attributes_text(kind),
        '"linear"',
        first,
        members,
    )


def general_recommender(entries) -> str:
    listed = short_list(entries)
    first = (
        "method",
        '"auto"',
        "Any",
        'str or list of str, default="auto"',
        "A method's name, several names to choose from, or ``auto`` for the short list ("
        + ", ".join(listed)
        + ") and the blend of it: "
        + list_text(entries)
        + ".",
    )
    settings = (
        "settings",
        "None",
        "dict | None",
        "dict, default=None",
        "Settings of the method, by name; with several methods, settings by method.",
    )
    test = (
        "test",
        "0.1",
        "float",
        "float, default=0.1",
        "Share of the ratings held out to choose a method by; what is fitted then learns from all.",
    )
    members = """    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        if isinstance(self.method, str) and self.method == "auto":
            if self.settings:
                raise ValueError("settings belong to a method, and none is named\\nhint: name it with method=...")
            return []
        return recipes_of(self.method, self.settings, ())

    def _share(self) -> float:
        return float(self.test)
"""
    return write_class(
        "recommender",
        "Recommender",
        "Predict ratings with whatever does best on ratings held out.",
        [
            "A share of the ratings is held out, several methods and the weighted mean of them are measured on it, and "
            "the one that errs least is fitted on all ratings: what the program ``unmiss fit`` does with ratings."
        ],
        [settings, test] + RECOMMENDER_COMMON + COMMON,
        attributes_text("recommender"),
        '"factors"',
        first,
        members,
    )


def short_list(entries) -> list[str]:
    """The methods that compete when none is named, the cheapest first."""
    listed = [entry for entry in entries if entry["short list"] is not None]
    return [entry["name"] for entry in sorted(listed, key=lambda entry: entry["short list"])]


def source(methods: dict) -> str:
    """The whole file."""
    classes: list[str] = [general_imputer(methods["imputers"])]
    names = {"IMPUTERS": [], "CLASSIFIERS": [], "REGRESSORS": [], "RECOMMENDERS": []}
    for entry in methods["imputers"]:
        name, text = method_class("imputer", entry)
        names["IMPUTERS"].append((entry["name"], name))
        classes.append(text)
    for kind, listed in (("classifier", "CLASSIFIERS"), ("regressor", "REGRESSORS")):
        classes.append(general_predictor(kind, methods["predictors"]))
        for entry in methods["predictors"]:
            name, text = method_class(kind, entry)
            names[listed].append((entry["name"], name))
            classes.append(text)
    classes.append(general_recommender(methods["recommenders"]))
    for entry in methods["recommenders"]:
        name, text = method_class("recommender", entry)
        names["RECOMMENDERS"].append((entry["name"], name))
        classes.append(text)
    tables = []
    for listed, entries in names.items():
        lines = "\n".join(f"    {json.dumps(method)}: {name}," for method, name in entries)
        tables.append(f"#: Classes by the name of their method.\n{listed}: dict[str, type] = {{\n{lines}\n}}\n")
    general = ["Imputer", "Classifier", "Regressor", "Recommender"]
    every = sorted(general + [name for rows in names.values() for _, name in rows])
    listing = "\n".join(f"    {json.dumps(name)}," for name in every)
    return HEAD + "\n".join(classes) + "\n\n" + "\n".join(tables) + f"\n__all__ = [\n{listing}\n]\n"


def main() -> None:
    text = source(json.loads(load_native().methods_json()))
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET} is not fresh: run python {sys.argv[0]}")
        return
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
