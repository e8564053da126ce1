"""What all estimators share: input as scikit-learn wants it checked, settings, files, looks."""

from __future__ import annotations

import html
import json
import numbers
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, RegressorMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state, estimator_html_repr
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _frame, _unmiss
from ._listen import Listener

#: The methods that ``method="auto"`` compares: the program's short list.
SHORT_LIST = ("network", "linear", "trees")


def as_seed(random_state: Any) -> int:
    """A whole number as it is; otherwise one drawn from the generator, as scikit-learn does."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return int(random_state) % 2**64
    return int(check_random_state(random_state).randint(2**31 - 1))


def as_threads(n_jobs: int | None) -> int:
    """None and -1: all of the machine; -2: all but one. Results are the same for any number."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 in Parallel has no meaning")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def as_json(settings: dict[str, Any]) -> str:
    """Settings in the library's spelling."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.ndarray):
            return value.tolist()
        raise TypeError(f"a setting can't be a {type(value).__name__}: {value!r}")

    return json.dumps({name.replace("_", "-"): value for name, value in settings.items()}, default=plain)


def named(X: Any, y: Any, default: str) -> str:
    """The name of a target that no column of X has."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else default
    taken = set(_frame.column_names(X))
    while name in taken:
        name += "_"
    return name


class Estimator(BaseEstimator):
    """Checked input, the library's settings, words about a fit."""

    _settings: tuple[str, ...] = ()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _method_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._settings}

    def _manner(self, seed: int | None = None) -> tuple:
        """Seed, threads and a listener for one piece of work."""
        return (seed or 0, as_threads(self.n_jobs), Listener(self.verbose))

    def _taken_in(self, X: Any, *, reset: bool, least: int = 1) -> tuple[Any, list[str]]:
        """X as it is worked with, and the names of its columns."""
        if not reset and hasattr(self, "loaded_from_"):
            return self._taken_by_name(X)
        if _frame.is_frame(X):
            X = validate_data(self, _frame.settled(X), reset=reset, skip_check_array=True)
            rows, width = X.shape
            if rows < least or width < 1:
                raise ValueError(
                    f"Found array with {rows} sample(s) and {width} feature(s) (shape={X.shape}) while a minimum "
                    f"of {least} sample(s) and 1 feature(s) is required by {type(self).__name__}."
                )
        else:
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least)
            X = np.asarray(X)
        return X, _frame.column_names(X)

    def _taken_by_name(self, X: Any) -> tuple[Any, list[str]]:
        """For a model from a file: columns are found by name, in any order; others are left aside."""
        if _frame.is_frame(X):
            X = _frame.settled(X)
        else:
            X = np.asarray(X)
            if X.ndim != 2:
                raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
            if not set(self.feature_names_in_) <= set(_frame.column_names(X)):
                raise ValueError(
                    f"the model of {self.loaded_from_} knows its columns by name: "
                    f"{', '.join(self.feature_names_in_)}\nhint: give a data frame with these columns"
                )
        names = _frame.column_names(X)
        absent = [name for name in self.feature_names_in_ if name not in names]
        if absent:
            raise ValueError(
                f"columns that the model learned from are not there: {', '.join(absent)}\n"
                "hint: a column whose values are unknown may be all missing"
            )
        return X, names

    def _words(self) -> list[str]:
        return self.model_.words

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _html_repr(self) -> str:
        diagram = estimator_html_repr(self)
        if not self.__sklearn_is_fitted__():
            return diagram
        items = "".join(f"<li>{html.escape(text)}</li>" for text in self._words())
        return f"<ul>{items}</ul>{diagram}"


class Saved:
    """Files that the program reads too."""

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted estimator to a file that the program ``unmiss`` reads too.

        Parameters
        ----------
        path : str or path
            The file; it is written whole or not at all.
        """
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Any:
        """Read a fitted estimator from a file, made here or by the program.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        estimator : object
            A fitted estimator of this class. Columns are found by name, in any order.
        """
        from ._files import load_as

        return load_as(cls, path)


class ImputerBase(Saved, OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Fills holes. Known cells, columns, names, index and types stay as they are."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _recipe(self) -> tuple[str, dict[str, Any]]:
        return self._method, self._method_settings()

    def fit(self, X: Any, y: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The fitted imputer.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Learn from rows with holes and fill these.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            For pipelines.
        **params : ignored
            For pipelines.

        Returns
        -------
        X_filled : array or data frame of shape (n_samples, n_features)
            The same without holes.
        """
        return self._fill(*self._fit(X), None)

    def transform(self, X: Any) -> Any:
        """Fill the holes of rows with best guesses. Nothing is learned from them.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        X_filled : array or data frame of shape (n_samples, n_features)
            The same without holes, in the same kind of container.
        """
        check_is_fitted(self)
        X, names = self._taken_in(X, reset=False)
        return self._fill(X, names, _frame.to_table(X, names, _frame.APPLY), None)

    def draw(self, X: Any, m: int = 20) -> list:
        """Fill the holes in several plausible ways, for multiple imputation.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        m : int, default=20
            How many ways.

        Returns
        -------
        draws : list of array or data frame
            ``m`` completed sets; analyse each, then :func:`unmiss.pool` the estimates.
        """
        check_is_fitted(self)
        if m < 1:
            raise ValueError(f"m={m}: at least one draw is needed")
        X, names = self._taken_in(X, reset=False)
        table = _frame.to_table(X, names, _frame.APPLY)
        return [self._fill(X, names, table, number) for number in range(1, m + 1)]

    def _fit(self, X: Any) -> tuple[Any, list[str], Any]:
        if self.unfilled not in ("error", "keep"):
            raise ValueError(f"unfilled={self.unfilled!r} is neither 'error' nor 'keep'")
        X, names = self._taken_in(X, reset=True)
        self.__dict__.pop("loaded_from_", None)
        table = _frame.to_table(X, names, _frame.LEARN)
        method, settings = self._recipe()
        self._seed = as_seed(self.random_state)
        self.model_ = _unmiss.Filler.fit(
            table=table,
            method=method,
            settings=as_json(settings),
            ignore=[names[name] if isinstance(name, numbers.Integral) else name for name in self.ignore or ()],
            within=self._within(names),
            beyond_range=bool(self.beyond_range),
            manner=self._manner(self._seed),
        )
        self._spellings = _frame.spellings(X, names)
        return X, names, table

    def _within(self, names: list[str]) -> dict[str, tuple[float, float]]:
        within = {}
        for name, (low, high) in (self.within or {}).items():
            name = names[name] if isinstance(name, numbers.Integral) else name
            ends = (-np.inf if low is None else low, np.inf if high is None else high)
            within[name] = tuple(float(np.clip(end, -np.finfo(float).max, np.finfo(float).max)) for end in ends)
        return within

    def _fill(self, X: Any, names: list[str], table: Any, draw: int | None) -> Any:
        manner = self._manner(self._seed)
        if _frame.is_numeric_array(X):
            if X.dtype.kind != "f":
                return X.copy()
            full = np.array(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64, order="K")
            full = full.astype(full.dtype.newbyteorder("="), copy=False)
            left = self.model_.fill_array(table, full, draw, manner)
        else:
            cells, left = self.model_.fill(table, draw, manner)
            spellings = {**self._spellings, **_frame.spellings(X, names)}
            full = _frame.fill(X, [_frame.Cells(cell, names, spellings) for cell in cells])
        left = [hole for hole in left if hole[0] not in self.model_.ignored]
        if left:
            self._tell_of_holes(left)
        return full

    def _tell_of_holes(self, left: list[tuple[str, int, str]]) -> None:
        columns = "; ".join(f"column `{name}` has {count}: {reason}" for name, count, reason in left)
        text = f"{sum(count for _, count, _ in left)} cells could not be filled: {columns}"
        if self.unfilled == "error":
            names = [name for name, _, _ in left]
            raise ValueError(f"{text}\nhint: leave them as they are with ignore={names} or unfilled='keep'")
        Listener().warning(text)


class PredictorBase(Saved, Estimator):
    """Predicts from rows with holes."""

    _task = ""

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        return [(self._method, self._method_settings())]

    def _learn(self, X: Any, y: Any, names: list[str], target: tuple, weight: Any, balanced: bool):
        recipes = [(method, as_json(settings)) for method, settings in self._recipes()]
        if not (self.folds >= 2 or self.folds == 0 and len(recipes) == 1):
            raise ValueError(f"folds={self.folds}: a choice between methods needs 2 or more, a single one 0 or 2")
        further = [target]
        if weight is not None:
            name = "sample weight"
            while name in names:
                name += "_"
            further.append((name, "real", np.asarray(weight, dtype=np.float64), None))
        self.__dict__.pop("loaded_from_", None)
        self.model_ = _unmiss.Predictor.fit(
            table=_frame.to_table(X, names, _frame.LEARN, further=further),
            target=target[0],
            weight=further[1][0] if weight is not None else None,
            task=self._task,
            balanced=balanced,
            recipes=recipes,
            folds=int(self.folds),
            manner=self._manner(as_seed(self.random_state)),
        )
        self.method_ = self.model_.method
        self.scores_ = json.loads(self.model_.scores)

    def _weighed(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, Any]:
        """Rows that weigh nothing are left out, as if they were not there."""
        if sample_weight is None:
            return X, y, None
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not sample_weight.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        kept = sample_weight > 0
        if kept.all():
            return X, y, sample_weight
        return _safe_indexing(X, np.flatnonzero(kept)), y[kept], sample_weight[kept]

    def _checked(self, X: Any, y: Any) -> tuple[Any, np.ndarray, list[str]]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X, names = self._taken_in(X, reset=True, least=2)
        y = _check_y(y, multi_output=False, y_numeric=self._task == "regression", estimator=self)
        check_consistent_length(X, y)
        return X, y, names

    def _asked(self, X: Any) -> tuple[Any, tuple]:
        check_is_fitted(self)
        X, names = self._taken_in(X, reset=False)
        return _frame.to_table(X, names, _frame.APPLY), self._manner()

    def page(self, path: str | os.PathLike) -> None:
        """Write what the cross-validation found as an HTML page with charts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        check_is_fitted(self)
        found = self.model_.page()
        if found is None:
            raise ValueError("there was no cross-validation to show\nhint: fit with folds=5")
        found.write(f"Predicting `{self.model_.target}`", os.fspath(path))


class ClassifierBase(ClassifierMixin, PredictorBase):
    """Predicts classes and their chances."""

    _task = "classification"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes; words and categories need no encoding.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        name = named(X, y, "target") if hasattr(X, "shape") and len(X.shape) == 2 else "target"
        X, y, names = self._checked(X, y)
        check_classification_targets(y)
        balanced = self.class_weight == "balanced"
        X, y, weight = self._weighed(X, y, sample_weight)
        if self.class_weight is not None and not balanced:
            of_class = compute_sample_weight(self.class_weight, y)
            X, y, weight = self._weighed(X, y, of_class if weight is None else weight * of_class)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes, but there is one class: "
                f"{self.classes_[0]!r}"
            )
        words = [_frame.word(value) for value in self.classes_.tolist()]
        if len(set(words)) < len(words):
            raise ValueError(f"classes of different types look the same: {sorted(words)}")
        self._learn(X, y, names, (name, "category", codes.astype(np.int64), words), weight, balanced)
        order = [self.model_.levels.index(level) for level in words]
        self._order = None if order == sorted(order) else np.array(order)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Chances of the classes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        chances : array of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        table, manner = self._asked(X)
        chances = self.model_.predict(table, manner)
        return chances if self._order is None else chances[:, self._order]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        classes : array of shape (n_samples,)
            Values of ``classes_``.
        """
        table, manner = self._asked(X)
        places = self.model_.classes(table, manner)
        classes = self.classes_ if self._order is None else self.classes_[np.argsort(self._order)]
        return classes[places]


class RegressorBase(RegressorMixin, PredictorBase):
    """Predicts a number."""

    _task = "regression"

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes; words and categories need no encoding.
        y : array of shape (n_samples,)
            What is to be predicted.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        name = named(X, y, "target") if hasattr(X, "shape") and len(X.shape) == 2 else "target"
        X, y, names = self._checked(X, y)
        X, y, weight = self._weighed(X, y, sample_weight)
        self._learn(X, y, names, (name, "real", np.asarray(y, dtype=np.float64), None), weight, False)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected number for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        numbers : array of shape (n_samples,)
            The predictions.
        """
        table, manner = self._asked(X)
        return self.model_.predict(table, manner)[:, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Predictions with intervals from held-out errors, apart for rows of which little and much is known.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        level : float, default=0.9
            Share of new rows that the intervals hold for.

        Returns
        -------
        intervals : array of shape (n_samples, 3)
            Prediction, lower end, upper end. Needs a fit with ``folds`` of 2 or more.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level} is not between 0 and 1")
        table, manner = self._asked(X)
        return self.model_.intervals(table, level, manner)
