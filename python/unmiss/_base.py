"""What all estimators share: input as scikit-learn wants it checked, settings, files, looks."""

from __future__ import annotations

import html
import json
import numbers
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _frame, _unmiss
from ._listen import Listener


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


def recipes_of(method: Any, settings: dict | None, short_list: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    """The methods that were named, or the short list for ``auto``, each with its settings."""
    if isinstance(method, str) and method != "auto":
        return [(method, dict(settings or {}))]
    methods = short_list if isinstance(method, str) else tuple(method)
    given = dict(settings or {})
    strangers = [name for name in given if name not in methods]
    if strangers:
        raise ValueError(
            f"settings for {strangers} belong to no method that is compared: {list(methods)}\n"
            "hint: name the method, or give settings by method, such as {'trees': {'leaves': 15}}"
        )
    return [(name, dict(given.get(name, {}))) for name in methods]


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

    def export(self, path: str | os.PathLike, level: float | None = None) -> None:
        """Write the fitted estimator as an ONNX graph, which other runtimes take, holes and all.

        Every column is an input of its own of shape (rows, 1): numbers in double precision, NaN for a hole; words
        as strings, an empty one for a hole. What comes out is ``prediction``, or ``class`` and ``probabilities``, or
        ``filled_NAME`` for each column.

        Parameters
        ----------
        path : str or path
            The file; it is written whole or not at all.
        level : float, default=None
            For regressors, also ``lower`` and ``upper``, the ends of the interval that holds in this share of cases.
        """
        check_is_fitted(self)
        _unmiss.export_onnx(self.model_.to_bytes(), os.fspath(path), level)

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
