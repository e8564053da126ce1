"""What all imputers share: learning from rows with holes, filling them in the same container, draws."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _frame, _unmiss
from ._base import Estimator, Saved, as_json, as_seed
from ._engines import each
from ._listen import Listener, UnmissWarning


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

    def draw(self, X: Any, m: int | None = None, *, engine: Any = None) -> list:
        """Fill the holes in several plausible ways, for multiple imputation.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        m : int, default=None
            How many ways; None: as many as the imputer was made ready for with ``m``, or 20.
        engine : {"ray", "dask"} or executor, default=None
            Where the draws are made, each as a task of its own (see :func:`unmiss.compare`): the same draws, bit for
            bit. None: here, one after the other.

        Returns
        -------
        draws : list of array or data frame
            ``m`` completed sets; analyse each, then :func:`unmiss.pool` the estimates.

        Warns
        -----
        UnmissWarning
            When draws have no parameters of their own, so that what is pooled from them looks surer than it is.
        """
        check_is_fitted(self)
        sets = self.model_.parameter_sets()
        m = m if m is not None else sets or 20
        if m < 1:
            raise ValueError(f"m={m}: at least one draw is needed")
        if m > 1 and m > sets:
            self._tell_of_draws(sets, m)
        if engine is not None:
            return each(engine, _one_draw, (self, X), range(1, m + 1))
        return self._drawn(X, range(1, m + 1))

    def _drawn(self, X: Any, wanted: Iterable[int]) -> list:
        X, names = self._taken_in(X, reset=False)
        table = _frame.to_table(X, names, _frame.APPLY)
        return [self._fill(X, names, table, number) for number in wanted]

    def _tell_of_draws(self, sets: int, m: int) -> None:
        if sets:
            what = f"{m} draws share {sets} sets of parameters: fit with m={m} to give each its own"
        elif self.model_.proper_draws():
            what = f"these draws differ by noise alone, too little for Rubin's rules: fit with m={m} for proper ones"
        else:
            what = (
                "draws of this method differ by noise alone: what is pooled from them is too sure for Rubin's rules; "
                "GaussianImputer and ChainedImputer draw properly"
            )
        warnings.warn(what, UnmissWarning, stacklevel=3)

    def _fit(self, X: Any) -> tuple[Any, list[str], Any]:
        if not isinstance(self.m, numbers.Integral) or self.m < 0:
            raise ValueError(f"m={self.m!r} is not a whole number of draws, 0 or above")
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
            sets=int(self.m),
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


def _one_draw(shared: tuple, number: int) -> Any:
    """A draw, on a worker."""
    imputer, X = shared
    return imputer._drawn(X, [number])[0]
