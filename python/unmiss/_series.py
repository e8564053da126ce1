"""Series with holes: arrays, PyPOTS' dictionaries and long data frames in, predictions and series without holes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted

from . import _frame, _unmiss
from ._base import Saved, as_json, as_seed, as_threads
from ._instances import InstancePredictorBase
from ._listen import Listener

TARGET = "target"


class Steps:
    """Series as the library takes them: ragged steps, one behind the other."""

    def __init__(self, ids: list, variables: list[str], lengths: list[int], times: np.ndarray, values: np.ndarray):
        self.ids = ids
        self.variables = variables
        self.lengths = lengths
        self.times = times
        self.values = values

    def native(self, target: tuple | None = None) -> Any:
        """The same in the library, with what is to be predicted of each."""
        return _unmiss.series_of(
            [_frame.word(own) for own in self.ids],
            self.variables,
            self.lengths,
            np.ascontiguousarray(self.times, dtype=np.float64),
            np.ascontiguousarray(self.values, dtype=np.float64).reshape(-1),
            [] if target is None else [target],
        )


def steps_of(X: Any, columns: dict[str, str | None]) -> Steps:
    """Series from an array ``(n, t, d)``, a dictionary ``{"X": array}``, or a long or wide data frame."""
    if isinstance(X, dict):
        if "X" not in X:
            raise ValueError("a dictionary of series needs the array under 'X', as in PyPOTS")
        X = X["X"]
    if hasattr(X, "columns"):
        return _of_frame(X, columns)
    values = np.asarray(np.ma.filled(X, np.nan) if isinstance(X, np.ma.MaskedArray) else X, dtype=np.float64)
    if values.ndim != 3:
        raise ValueError(
            f"expected series of shape (n_series, n_steps, n_variables), got an array of {values.ndim} dimensions\n"
            "hint: a data frame goes with id=, time= and, with a row for each value, variable= and value="
        )
    count, steps, width = values.shape
    times = np.tile(np.arange(steps, dtype=np.float64), count)
    names = [f"x{place}" for place in range(width)]
    return Steps(list(range(count)), names, [steps] * count, times, values.reshape(count * steps, width))


def _of_frame(frame: Any, columns: dict[str, str | None]) -> Steps:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        frame = frame.to_pandas()
    names = {part: columns.get(part) for part in ("id", "time", "variable", "value")}
    long = names["variable"] is not None or names["value"] is not None
    for part in names if long else ("id", "time"):
        if names[part] not in frame.columns:
            raise ValueError(f"a data frame of series needs its column of {part}s\nhint: say {part}='...'")
    ids, times = frame[names["id"]], frame[names["time"]]
    if pd.api.types.is_datetime64_any_dtype(times):
        times = (times - times.groupby(ids).transform("min")) / pd.Timedelta(hours=1)
    elif pd.api.types.is_timedelta64_dtype(times):
        times = times / pd.Timedelta(hours=1)
    plain = frame.assign(**{names["id"]: ids, names["time"]: pd.to_numeric(times)})
    plain = plain.dropna(subset=[names["id"], names["time"]])
    if long:
        # Of several values at the same time the mean, as in the program.
        index = [names["id"], names["time"]]
        wide = plain.pivot_table(index=index, columns=names["variable"], values=names["value"], sort=True)
    else:
        numbers = plain.drop(columns=[names["id"], names["time"]]).select_dtypes("number").columns
        wide = plain.groupby([names["id"], names["time"]], sort=True)[list(numbers)].mean()
    order = list(dict.fromkeys(plain[names["id"]]))
    lengths = wide.groupby(level=0).size().reindex(order, fill_value=0)
    wide = pd.concat([wide.loc[[own]] for own in order if lengths[own] > 0]) if len(wide) else wide
    times = wide.index.get_level_values(1).to_numpy(dtype=np.float64)
    variables = [_frame.word(name) for name in wide.columns]
    return Steps(order, variables, [int(length) for length in lengths], times, wide.to_numpy(dtype=np.float64))


class SeriesEstimator(Saved, BaseEstimator):
    """What estimators of series share."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _manner(self, seed: int | None = None) -> tuple:
        return (seed or 0, as_threads(self.n_jobs), Listener(self.verbose))

    def _steps(self, X: Any) -> Steps:
        columns = {part: getattr(self, part) for part in ("id", "time", "variable", "value")}
        return steps_of(X, columns)

    def _known(self, X: Any) -> Steps:
        check_is_fitted(self)
        steps = self._steps(X)
        if not hasattr(X, "columns") and len(steps.variables) != len(self.variables_):
            raise ValueError(f"X has {len(steps.variables)} variables, but {len(self.variables_)} were learned")
        if not hasattr(X, "columns"):
            steps.variables = list(self.variables_)
        return steps


class SeriesPredictorBase(InstancePredictorBase, SeriesEstimator):
    """Predicts something for each series."""

    _instances = "series"

    def _learn(self, steps: Steps, target: tuple, balanced: bool) -> None:
        super()._learn(steps.native(target), balanced)
        self.variables_ = self.model_.variables

    def _checked(self, steps: Steps, y: Any) -> np.ndarray:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        if hasattr(y, "reindex") and set(steps.ids) <= set(y.index) and len(y) != len(steps.ids):
            y = y.reindex(steps.ids)
        y = _check_y(y, multi_output=False, y_numeric=self._task == "regression", estimator=self)
        if len(y) != len(steps.ids):
            raise ValueError(f"there are {len(steps.ids)} series and {len(y)} targets")
        return y

    def _asked(self, X: Any) -> np.ndarray:
        return self.model_.predict(self._known(X).native(), self._manner())


class SeriesClassifier(ClassifierMixin, SeriesPredictorBase):
    """Predict a class for each series, holes and all.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A method's name (``statistics``, ...; ``unmiss methods`` lists all for series), several names to choose from, or
        ``auto`` for the short list.
    settings : dict, default=None
        Settings of the method, by name, such as ``{"predictor": "linear"}``; with several methods, settings by method.
    id : str, default=None
    time : str, default=None
    variable : str, default=None
    value : str, default=None
        Columns of a data frame: with ``variable`` and ``value`` it has a row for each value, else one for each series
        and time, with a column for each variable.
    test : float, default=0.1
        Share of the series held out to choose a method by; 0 for a single method that is not measured.
    class_weight : {None, "balanced"}, default=None
        How classes of unequal size weigh in learning.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of ``predict_proba``.
    method_ : str
        The method that was fitted.
    scores_ : list of dict
        How the methods did on the series that were held out, best first.
    variables_ : list of str
        The names of the variables.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 60)
    >>> X = rng.normal(size=(120, 20, 3)) + y[:, None, None]
    >>> X[rng.random(X.shape) < 0.7] = np.nan
    >>> model = unmiss.SeriesClassifier("statistics").fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    _task = "classification"

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        id: str | None = None,
        time: str | None = None,
        variable: str | None = None,
        value: str | None = None,
        test: float = 0.1,
        class_weight: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.id = id
        self.time = time
        self.variable = variable
        self.value = value
        self.test = test
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Learn from series with holes.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series; NaN is a hole. A dictionary has the array under ``"X"`` and may have the classes under ``"y"``,
            as in PyPOTS. Series of a data frame are in the order in which they come first.
        y : array of shape (n_series,)
            Their classes; a pandas Series indexed by the ids may stand in any order.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        if self.class_weight not in (None, "balanced"):
            raise ValueError(f"class_weight={self.class_weight!r} is neither None nor 'balanced'")
        steps = self._steps(X)
        y = self._checked(steps, X.get("y") if y is None and isinstance(X, dict) else y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs series of at least two classes, but there is one class")
        words = [_frame.word(value) for value in self.classes_.tolist()]
        self._learn(steps, (TARGET, "category", codes.astype(np.int64), words), self.class_weight == "balanced")
        order = [self.model_.levels.index(level) for level in words]
        self._order = None if order == sorted(order) else np.array(order)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Chances of the classes.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series.

        Returns
        -------
        chances : array of shape (n_series, n_classes)
            In the order of ``classes_``.
        """
        chances = self._asked(X)
        return chances if self._order is None else chances[:, self._order]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each series.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series.

        Returns
        -------
        classes : array of shape (n_series,)
            Values of ``classes_``.
        """
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class SeriesRegressor(RegressorMixin, SeriesPredictorBase):
    """Predict a number for each series, holes and all.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A method's name, several names to choose from, or ``auto`` for the short list.
    settings : dict, default=None
        Settings of the method, by name; with several methods, settings by method.
    id : str, default=None
    time : str, default=None
    variable : str, default=None
    value : str, default=None
        Columns of a data frame, as for :class:`SeriesClassifier`.
    test : float, default=0.1
        Share of the series held out to choose a method by; 0 for a single method that is not measured.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    method_ : str
        The method that was fitted.
    scores_ : list of dict
        How the methods did on the series that were held out, best first.
    variables_ : list of str
        The names of the variables.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=100)
    >>> X = rng.normal(size=(100, 20, 2)) + y[:, None, None]
    >>> X[rng.random(X.shape) < 0.7] = np.nan
    >>> unmiss.SeriesRegressor("statistics").fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _task = "regression"

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        id: str | None = None,
        time: str | None = None,
        variable: str | None = None,
        value: str | None = None,
        test: float = 0.1,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.id = id
        self.time = time
        self.variable = variable
        self.value = value
        self.test = test
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Learn from series with holes.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series; NaN is a hole.
        y : array of shape (n_series,)
            The number of each.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        steps = self._steps(X)
        y = self._checked(steps, X.get("y") if y is None and isinstance(X, dict) else y)
        self._learn(steps, (TARGET, "real", np.asarray(y, dtype=np.float64), None), False)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected number for each series.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series.

        Returns
        -------
        numbers : array of shape (n_series,)
            The predictions.
        """
        return self._asked(X)[:, 0]


class SeriesImputer(TransformerMixin, SeriesEstimator):
    """Fill the holes of series; what is known stays as it is.

    Parameters
    ----------
    method : str, default="auto"
        A method's name (``kalman``, ``interpolation``, ...; ``unmiss methods`` lists all for series); ``auto`` takes
        the best for each variable, found by hiding known values.
    settings : dict, default=None
        Settings of the method, by name.
    id : str, default=None
    time : str, default=None
    variable : str, default=None
    value : str, default=None
        Columns of a data frame, as for :class:`SeriesClassifier`.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    method_ : str
        The method that was fitted.
    variables_ : list of str
        The names of the variables.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> rng = np.random.default_rng(0)
    >>> X = np.cumsum(rng.normal(size=(30, 25, 2)), axis=1)
    >>> holed = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    >>> full = unmiss.SeriesImputer("interpolation").fit_transform(holed)
    >>> full.shape, bool(np.isnan(full).any()), bool((full == X)[~np.isnan(holed)].all())
    ((30, 25, 2), False, True)
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        settings: dict | None = None,
        id: str | None = None,
        time: str | None = None,
        variable: str | None = None,
        value: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.id = id
        self.time = time
        self.variable = variable
        self.value = value
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Learn from series with holes.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series; NaN is a hole.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The fitted imputer.
        """
        if self.method == "auto" and self.settings:
            raise ValueError("settings belong to a method, and none is named\nhint: name it with method=...")
        self.__dict__.pop("loaded_from_", None)
        self._seed = as_seed(self.random_state)
        self.model_ = _unmiss.InstanceFiller.fit(
            instances=self._steps(X).native(),
            method=None if self.method == "auto" else self.method,
            settings=as_json(dict(self.settings or {})),
            manner=self._manner(self._seed),
        )
        self.method_ = self.model_.method
        self.variables_ = self.model_.variables
        return self

    def transform(self, X: Any) -> Any:
        """Fill the holes of series with best guesses. Nothing is learned from them.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series.

        Returns
        -------
        X_filled : array of the shape of X, or a data frame with a row for each series and time
            The same without holes.
        """
        return self._filled(X, None)

    def draw(self, X: Any, m: int = 5) -> list:
        """Fill the holes in several plausible ways.

        Draws of these methods differ by noise alone, which is too sure for Rubin's rules.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_variables), dict or data frame
            The series.
        m : int, default=5
            How many ways.

        Returns
        -------
        draws : list
            ``m`` sets of series without holes.
        """
        if m < 1:
            raise ValueError(f"m={m}: at least one draw is needed")
        return [self._filled(X, number) for number in range(1, m + 1)]

    def _filled(self, X: Any, draw: int | None) -> Any:
        steps = self._known(X)
        filled = self.model_.fill(steps.native(), draw, self._manner(self._seed))
        filled = filled.reshape(len(steps.times), len(steps.variables))
        if not hasattr(X, "columns"):
            count = len(steps.ids)
            return filled.reshape(count, -1, len(steps.variables))
        import pandas as pd

        ids = [own for own, length in zip(steps.ids, steps.lengths) for _ in range(length)]
        frame = pd.DataFrame(filled, columns=steps.variables)
        frame.insert(0, self.time, steps.times)
        frame.insert(0, self.id, ids)
        return frame
