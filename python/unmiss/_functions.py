"""describe, compare, analyse, pool, audit, simulate and the built-in samples."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _frame, _unmiss
from ._base import as_json, as_seed, as_threads, named
from ._engines import each
from ._image_predictors import ImagePredictorBase
from ._images import is_images, label_column, native
from ._listen import Listener
from ._predictors import PredictorBase, own_table
from ._recommenders import RecommenderBase
from ._models import check_same, is_results, taken
from ._results import Analysis, Audit, Comparison, Description, ImageDescription, Pooled, Simulation


def _rows(X: Any) -> Any:
    """An array or a data frame."""
    if _frame.is_frame(X):
        return _frame.settled(X)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    return X


def _target_column(X: Any, y: Any) -> tuple:
    """The target as a column of its own."""
    name = named(X, y, "target")
    values = np.asarray(y)
    if values.ndim != 1 or len(values) != X.shape[0]:
        raise ValueError(f"y must have one value for each of the {X.shape[0]} rows, not the shape {values.shape}")
    column = _frame.array_column(name, values, _frame.LOOK)
    return (name, "found", *column[2:]) if column[1] in ("real", "integer") else column


def _table(X: Any, y: Any) -> tuple[Any, str | None]:
    """The library's table with the target, and the target's name. A word is the name of a column of X."""
    names = _frame.column_names(X)
    if y is None or isinstance(y, str):
        return _frame.to_table(X, names, _frame.LOOK), y
    target = _target_column(X, y)
    return _frame.to_table(X, names, _frame.LOOK, further=[target]), target[0]


def describe(X: Any, y: Any = None, *, n_jobs: int | None = None) -> Description | ImageDescription:
    """Describe holes: what is missing, where, together with what, and whether it looks random.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features), or array of images
        The rows, or images of shape (n_images, height, width) or (n_images, channels, height, width).
    y : array of shape (n_samples,) or str, default=None
        The target, or its name in X: whether the holes have to do with it.
    n_jobs : int, default=None
        Threads; None: all of the machine.

    Returns
    -------
    description : Description or ImageDescription
        Sentences, counts and tests; shows charts in notebooks.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> holes = unmiss.describe(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]))
    >>> holes.missing_cells, holes.complete_rows
    (1, 2)
    """
    if is_images(X):
        return ImageDescription(_unmiss.describe_images_of(native(X, None if y is None else label_column(y))))
    table, target = _table(_rows(X), y)
    return Description(_unmiss.describe(table, target, (0, as_threads(n_jobs), Listener())))


def compare(
    X: Any,
    y: Any = None,
    *,
    methods: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = None,
    tune: int = 0,
    folds: int = 5,
    repeats: int | None = None,
    how: str | None = None,
    task: str | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    engine: Any = None,
) -> Comparison:
    """Compare methods: predictors on held-out rows, or without a target imputers on hidden cells.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features), or array of images
        The rows, or images of shape (n_images, height, width) or (n_images, channels, height, width).
    y : array of shape (n_samples,) or str, default=None
        The target, or its name in X. None: imputers are compared.
    methods : list of str or dict of str to dict, default=None
        Names, or names with settings; None: all.
    tune : int, default=0
        Show each method tuned as well: the best of so many random settings, found inside each training part.
    folds : int, default=5
        Folds of the cross-validation.
    repeats : int, default=None
        How often, with other folds or other hidden cells; None: 2 for predictors, 5 for imputers, 1 for images.
    how : str, default=None
        For imputers: how cells are hidden, and which share; None: ``mcar:0.2``. Of images a region such as
        ``square:0.25``, or ``others``; None: ``others``, the holes of other images, or a square where there are none.
    task : {"regression", "classification"}, default=None
        What is predicted; None: as the target looks.
    random_state : int, RandomState or None, default=0
        The same seed gives the same comparison.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.
    engine : {"ray", "dask"} or executor, default=None
        Where fits are made, each (a method on one part of the rows, its tuning included) as a task of its own: on Ray,
        on Dask, or on whatever has a ``submit``, such as executors of ``concurrent.futures`` and Dask's client. The
        comparison is the same but for seconds and memory. None: here, one after the other.

    Returns
    -------
    comparison : Comparison
        Standings with significance; shows charts in notebooks.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.1] = np.nan
    >>> unmiss.compare(X, methods=["mean", "gaussian"], repeats=2).best
    'gaussian'
    """
    if task not in (None, "regression", "classification"):
        raise ValueError(f"task={task!r} is neither 'regression' nor 'classification'")
    methods = methods or []
    recipes = [(name, as_json(methods[name]) if isinstance(methods, Mapping) else "{}") for name in methods]
    seed = as_seed(random_state)
    asked = (recipes, tune, folds, repeats, how, task)
    if engine is None:
        return Comparison(_comparing(X, y, asked).hold((seed, as_threads(n_jobs), Listener(verbose))))
    comparing = _comparing(X, y, asked)
    manner = (seed, as_threads(n_jobs), Listener())
    # Tasks stand beside each other: one thread each, unless told otherwise.
    shared = (X, y, asked, seed, as_threads(n_jobs or 1))
    made = each(engine, _one_fit, shared, range(comparing.tasks(manner)))
    return Comparison(comparing.join(made, manner))


def _comparing(X: Any, y: Any, asked: tuple) -> Any:
    """The comparison that is asked for, in the library."""
    recipes, tune, folds, repeats, how, task = asked
    if is_images(X):
        images = native(X, None if y is None else label_column(y))
        hidden = None if y is not None else how or "usual"
        return _unmiss.Comparing.of_images(images, hidden, recipes, tune, folds, repeats or 1, task)
    table, target = _table(_rows(X), y)
    repeats = repeats or (5 if target is None else 2)
    return _unmiss.Comparing.of_table(table, target, recipes, tune, folds, repeats, how or "mcar:0.2", task)


def _one_fit(shared: tuple, number: int) -> str:
    """A fit of a comparison, on a worker."""
    X, y, asked, seed, threads = shared
    return _comparing(X, y, asked).one(number, (seed, threads, Listener()))


def analyse(
    formula: str,
    tables: Sequence[Any],
    *,
    original: Any = None,
    family: str | None = None,
    level: float = 0.95,
    references: Mapping[str, str] | None = None,
    tests: str | Sequence[str] = (),
    likelihood_ratio: bool = False,
    n_jobs: int | None = None,
) -> Analysis:
    """Fit a regression to every filled table and pool by Rubin's rules.

    Parameters
    ----------
    formula : str
        What explains what: ``"died ~ age + sex"``, ``"y ~ a * b"``, ``"log(y) ~ I(x^2) + ."``.
    tables : list of data frame
        The filled tables, such as an imputer's ``draw(X)``.
    original : data frame, default=None
        The table with the holes: show the regression of its complete rows, too.
    family : {"linear", "logistic"}, default=None
        The kind of regression; None: logistic for two outcomes, linear for numbers.
    level : float, default=0.95
        Level of the intervals.
    references : dict of str to str, default=None
        Reference levels of categories; the first in order otherwise.
    tests : str or list of str, default=()
        Terms to test together, such as ``"sodium + potassium"``.
    likelihood_ratio : bool, default=False
        Make likelihood-ratio tests (D3) beside Wald's (D1).
    n_jobs : int, default=None
        Threads; None: all of the machine.

    Returns
    -------
    analysis : Analysis
        Pooled coefficients and tests; ``to_frame()``, charts in notebooks, a page with ``save``.

    Examples
    --------
    >>> import unmiss
    >>> penguins = unmiss.sample("penguins")
    >>> draws = unmiss.GaussianImputer(m=5).fit(penguins).draw(penguins)
    >>> found = unmiss.analyse("body_mass_g ~ flipper_length_mm + sex", draws)
    >>> found.terms
    ['(intercept)', 'flipper_length_mm', 'sex=male']
    """
    def table(X: Any) -> Any:
        if not _frame.is_frame(X):
            raise TypeError("a formula names columns: give data frames")
        X = _frame.settled(X)
        return _frame.to_table(X, _frame.column_names(X), _frame.LOOK)

    asked = (family, float(level), dict(references or {}), [tests] if isinstance(tests, str) else list(tests))
    manner = (0, as_threads(n_jobs), Listener())
    original = None if original is None else table(original)
    return Analysis(
        _unmiss.analyse(formula, [table(X) for X in tables], original, (*asked, likelihood_ratio), manner)
    )


def pool(
    estimates: Any,
    errors: Any = None,
    *,
    variances: Any = None,
    complete_df: float | None = None,
    level: float = 0.95,
) -> Pooled:
    """Pool the same analysis of several filled tables by Rubin's rules.

    Parameters
    ----------
    estimates : list of results, or array of shape (m,) or (m, k)
        The results of statsmodels from each filled table; or ``(model, X, y)`` of scikit-learn's ``LinearRegression``
        or unpenalised ``LogisticRegression``; or pairs ``(estimate, variance)``, where each may be one number or
        several and the variance a covariance matrix; or the estimates alone, with ``errors`` or ``variances``.
    errors : array of the same shape, default=None
        Their standard errors.
    variances : array of the same shape, default=None
        Their variances, instead of ``errors``.
    complete_df : float, default=None
        Degrees of freedom that complete data would have (rows less coefficients), for Barnard and Rubin's rule. Results
        of models bring their own.
    level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    pooled : Pooled
        Estimate, standard error, interval, test, share of the holes.

    Examples
    --------
    >>> import unmiss
    >>> pooled = unmiss.pool([1.0, 1.2, 1.1], errors=[0.2, 0.2, 0.2])
    >>> round(pooled.estimate, 3), round(pooled.standard_error, 3)
    (1.1, 0.231)
    >>> unmiss.pool([(1.0, 0.04), (1.2, 0.04), (1.1, 0.04)]).estimate == pooled.estimate
    True
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} is not between 0 and 1")
    if errors is None and variances is None and is_results(estimates):
        results = [taken(result) for result in estimates]
        names, covariances = check_same(results), [result.covariance for result in results]
        complete_df = results[0].complete_df if complete_df is None else complete_df
        estimates = np.array([result.estimates for result in results])
        variances = np.array([np.diagonal(covariance) for covariance in covariances])
        scalar = results[0].is_scalar
    else:
        if (errors is None) == (variances is None):
            raise TypeError("give either errors or variances")
        estimates = np.asarray(estimates, dtype=np.float64)
        variances = np.asarray(variances, np.float64) if errors is None else np.asarray(errors, np.float64) ** 2
        if estimates.shape != variances.shape or estimates.ndim not in (1, 2):
            raise ValueError(f"estimates {estimates.shape} and their errors {variances.shape} must have one shape")
        names, covariances, scalar = None, None, estimates.ndim == 1
    pairs = zip(np.atleast_2d(estimates.T), np.atleast_2d(variances.T))
    terms = [json.loads(_unmiss.pool(list(q), list(u), complete_df, level)) for q, u in pairs]
    return Pooled(terms, scalar, names, (np.atleast_2d(estimates), covariances, complete_df))


def audit(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    rows: int = 200,
    levels: int = 20,
    masks: int = 50,
    missing: Any = np.nan,
    contrast: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Audit:
    """Audit any model: does its answer drift with HOW MUCH is known?

    Known cells of some rows are hidden at random until 5 %, 10 %, ... 100 % are left, many times each. Cells hidden at
    random carry no information, so the mean answer of a sound model stays where it is.

    Parameters
    ----------
    model : object
        A function of rows like X; a fitted estimator with ``predict_proba`` or ``predict`` (a scikit-learn pipeline,
        XGBoost, one of ours); an ``xgboost.Booster``; or a ``torch.nn.Module``, which gets a float32 tensor. Several
        numbers per row are taken as chances of classes.
    X : array or data frame of shape (n_samples, n_features)
        Rows to audit it on. The model gets rows of the same kind.
    y : array of shape (n_samples,), default=None
        The truth: gives the range its unit and shows whether the target itself goes with the number of known cells.
    rows : int, default=200
        Rows to audit, drawn at random.
    levels : int, default=20
        Shares of known cells, from 5 % to 100 %.
    masks : int, default=50
        Random masks for each row and share.
    missing : object, default=nan
        What a hidden cell looks like to the model, such as 0.0 for a network that knows no NaN.
    contrast : bool, default=False
        For our own models, with y: fit the same method with Sparsity Normalization and audit it too.
    random_state : int, RandomState or None, default=0
        The same seed hides the same cells.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Returns
    -------
    audit : Audit
        Verdict, figures, curve; draws itself with ``plot()``, shows charts in notebooks, saves a page.

    Examples
    --------
    A sum in which a missing cell counts 0: the less is known, the smaller it is.

    >>> import numpy as np
    >>> import unmiss
    >>> X = np.random.default_rng(0).uniform(1, 2, size=(50, 8))
    >>> found = unmiss.audit(lambda rows: np.nansum(rows, axis=1), X, rows=30, masks=10)
    >>> found.verdict, found.spearman
    ('strong-drift', 1.0)
    """
    if isinstance(model, RecommenderBase):
        raise TypeError("a recommender audits itself, on the ratings it learned from\nhint: call its audit()")
    size = (rows, levels, masks)
    manner = (as_seed(random_state), as_threads(n_jobs), Listener(verbose))
    if isinstance(model, ImagePredictorBase):
        images = native(X, None if y is None else label_column(y))
        return Audit(_unmiss.audit_images(model.model_, images, size, manner))
    X = _rows(X)
    names = _frame.column_names(X)
    if isinstance(model, PredictorBase):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        return Audit(_unmiss.audit_model(model.model_, own_table(model, X, y), size, contrast, manner))
    answers = _answers(model)
    further = [] if y is None else [_target_column(X, y)]
    table = _frame.to_table(X, names, _frame.LOOK, further=further)
    inputs = [name for name, kind in zip(names, table.kinds) if kind not in ("text", "date")]
    places = [names.index(name) for name in inputs]

    def function(which: np.ndarray, known: np.ndarray) -> np.ndarray:
        marks = np.ones((len(which), len(names)), dtype=bool)
        # What was missing from the start is still: only inputs are hidden.
        marks[:, places] = known
        return _as_numbers(answers(_frame.blanked(X, which, marks, missing)), len(which))

    target = further[0][0] if further else None
    return Audit(_unmiss.audit_function(function, table, inputs, target, size, manner))


def _answers(model: Any) -> Any:
    """What answers for rows."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        return lambda rows: _ask_torch(torch, model, rows)
    xgboost = sys.modules.get("xgboost")
    if xgboost is not None and isinstance(model, xgboost.Booster):
        return lambda rows: model.predict(xgboost.DMatrix(rows, enable_categorical=True))
    for method in ("predict_proba", "predict"):
        if hasattr(model, method):
            return getattr(model, method)
    if callable(model):
        return model
    raise TypeError(
        f"{type(model).__name__} can't be audited: it is no function and has neither predict_proba nor predict\n"
        "hint: give a function that takes rows like X and returns one number for each"
    )


def _ask_torch(torch: Any, module: Any, rows: Any) -> np.ndarray:
    numbers = np.asarray(rows.to_numpy() if hasattr(rows, "to_numpy") else rows, dtype=np.float32)
    first = next(module.parameters(), None)
    tensor = torch.from_numpy(np.ascontiguousarray(numbers))
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            answer = module(tensor if first is None else tensor.to(first.device))
    finally:
        module.train(was_training)
    return answer.detach().cpu().numpy()


def _as_numbers(answer: Any, rows: int) -> np.ndarray:
    """Answers as an array of numbers, one line per row."""
    try:
        answer = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            "the model answers with something that is no number\n"
            "hint: give a function that returns numbers, such as model.predict_proba"
        ) from None
    if answer.ndim == 0 or answer.shape[0] != rows:
        raise ValueError(f"the model gave an answer of shape {answer.shape} for {rows} rows")
    if not np.isfinite(answer).all():
        raise ValueError(
            "the model answered with NaN or infinity for a row with hidden cells\n"
            "hint: say what a hidden cell is for it, such as missing=0.0, or put an imputer before it"
        )
    return np.ascontiguousarray(answer.reshape(rows, -1))


def sample(name: str = "horse-colic") -> Any:
    """A small table, or images, that come with the package.

    Parameters
    ----------
    name : {"horse-colic", "penguins", "films", "digits"}, default="horse-colic"
        300 horses with a quarter of all cells missing, target ``surgical_lesion``; 344 penguins, target ``species``;
        made ratings of 200 films by 300 users, for recommenders; or 1,797 handwritten digits of 8 x 8 pixels.

    Returns
    -------
    table : pandas.DataFrame or polars.DataFrame
        pandas if it is installed, else polars. For ``digits`` two arrays: bytes of shape (1797, 8, 8), and classes.

    Examples
    --------
    >>> import unmiss
    >>> unmiss.sample("penguins").shape
    (344, 8)
    """
    if name == "digits":
        values, (height, width), classes = _unmiss.sample_images()
        return values.reshape(-1, height, width), np.array([int(word) for word in classes])
    text, _ = _unmiss.sample_csv(name)
    try:
        import pandas

        return pandas.read_csv(io.BytesIO(text), na_values=["?"])
    except ImportError:
        import polars

        return polars.read_csv(io.BytesIO(text), null_values=["", "NA", "?"])


def simulate(
    n_samples: int = 10_000,
    n_features: int = 10,
    *,
    response: str = "linear",
    mechanism: str = "mcar",
    rate: float = 0.5,
    latent: float = 0.5,
    snr: float = 10.0,
    weights: Sequence[float] | None = None,
    skip: int = 0,
    sweeps: int = 500,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Simulation:
    """Make a table whose best possible predictor is known.

    Correlated normal columns with holes, and a response. A world is fixed by its settings and its seed: the first rows
    of many are the rows of few, with the same holes.

    Parameters
    ----------
    n_samples : int, default=10000
        Rows.
    n_features : int, default=10
        Columns beside the response.
    response : {"linear", "bowl", "wave", "break"}, default="linear"
        The shape of the response.
    mechanism : {"mcar", "mar", "self-gaussian", "self-probit", "mnar", "mnar-uniform"}, default="mcar"
        How holes come about.
    rate : float, default=0.5
        The share of cells that is missing, in every column that can be.
    latent : float, default=0.5
        Hidden causes as a share of the columns: the fewer, the more columns say about each other.
    snr : float, default=10.0
        The response's variance without noise, in units of the noise's.
    weights : sequence of float, default=None
        What each column weighs in the response; None: 1 for each.
    skip : int, default=0
        Rows of the same world to pass over, so that a second table is new.
    sweeps : int, default=500
        How long to sample the best answer where it has no formula (self-probit, mnar, mnar-uniform).
    random_state : int, RandomState instance or None, default=0
        The world.
    n_jobs : int, default=None
        Threads; None: all of the machine. The rows are the same for any number.

    Returns
    -------
    simulation : Simulation
        A named tuple of arrays: ``X`` with NaN at holes, ``y``, ``X_full``, ``bayes`` (for every row the best answer
        that its known cells allow), ``bayes_error`` (its standard error; None where it is exact) and ``noiseless``.

    Examples
    --------
    >>> import unmiss
    >>> made = unmiss.simulate(100, 3, mechanism="self-gaussian", random_state=1)
    >>> made.X.shape, made.bayes.shape
    ((100, 3), (100,))
    """
    if n_samples < 1 or n_features < 1 or skip < 0 or sweeps < 1:
        raise ValueError("n_samples, n_features and sweeps must be at least 1, and skip at least 0")
    values, observed, y, noiseless, bayes, errors = _unmiss.simulate(
        (skip, n_samples, n_features),
        (response, mechanism),
        (float(rate), float(latent), float(snr)),
        [] if weights is None else [float(weight) for weight in weights],
        sweeps,
        (as_seed(random_state), as_threads(n_jobs), Listener()),
    )
    return Simulation(np.where(observed, values, np.nan), y, values, bayes, errors, noiseless)
