"""Transformers for anyone's own pipeline: Sparsity Normalization, and making holes."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _frame, _unmiss
from ._base import Estimator, as_seed, as_threads
from ._listen import Listener


class SparsityNormalizer(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Sparsity Normalization: sums over a row no longer grow with how much of it is known.

    A missing cell becomes 0 and the row is multiplied by K / (number of its known cells). It belongs behind a scaler
    that makes numbers non-negative, such as ``MinMaxScaler``, and before any network or linear model.

    Parameters
    ----------
    k : {"mean", "input"} or float, default="mean"
        K: the mean number of known cells of a training row, the number of columns, or a number.

    Attributes
    ----------
    k_ : float
        The K that is used.

    References
    ----------
    Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in Training Neural
    Networks

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import SparsityNormalizer
    >>> X = np.array([[0.5, 1.0], [0.5, np.nan]])
    >>> SparsityNormalizer(k="input").fit_transform(X)
    array([[0.5, 1. ],
           [1. , 0. ]])
    """

    def __init__(self, k: Any = "mean"):
        self.k = k

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "k_")

    def _words(self) -> list[str]:
        return [f"K = {self.k_:.4g}"]

    def fit(self, X: Any, y: Any = None):
        """Find K.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Numbers; NaN is a hole.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X = self._checked(X, reset=True)
        if isinstance(self.k, numbers.Real) and not isinstance(self.k, bool):
            if not (self.k > 0 and np.isfinite(self.k)):
                raise ValueError(f"k={self.k} is not a positive number")
            self.k_ = float(self.k)
        elif self.k == "mean":
            self.k_ = _unmiss.mean_known(X)
        elif self.k == "input":
            self.k_ = float(X.shape[1])
        else:
            raise ValueError(f"k={self.k!r} is neither 'mean' nor 'input' nor a number")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Normalise rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Numbers; NaN is a hole.

        Returns
        -------
        X_normalized : array of shape (n_samples, n_features)
            Without holes.
        """
        check_is_fitted(self)
        return _unmiss.normalize(self._checked(X, reset=False), self.k_)

    def _checked(self, X: Any, reset: bool) -> np.ndarray:
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")


class Hide(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Make holes whose truth is known.

    Parameters
    ----------
    how : str, default="mcar:0.2"
        Mechanism and share of the known cells: ``mcar`` completely at random; ``mar`` at random given a tenth of the
        columns, which are spared; ``self-logistic``, ``self-gaussian``, ``self-probit`` depending on the hidden value
        itself.
    columns : list of str or int, default=None
        The columns to hide cells in; None: all but text and dates.
    random_state : int, RandomState or None, default=0
        The same seed hides the same cells.
    n_jobs : int, default=None
        Threads; None: all of the machine.

    Attributes
    ----------
    hidden_ : array of bool of shape (n_samples, n_features)
        Where known cells of the rows of ``fit`` are hidden.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import Hide
    >>> hide = Hide("mcar:0.5", random_state=1)
    >>> X = hide.fit_transform(np.arange(200.0).reshape(100, 2))
    >>> bool((np.isnan(X) == hide.hidden_).all())
    True
    """

    def __init__(self, how: str = "mcar:0.2", *, columns: Any = None, random_state: Any = 0, n_jobs: int | None = None):
        self.how = how
        self.columns = columns
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        # Which cells of a row are hidden depends on its place.
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _words(self) -> list[str]:
        return []

    def fit(self, X: Any, y: Any = None):
        """Find out which cells of these rows are hidden; nothing is learned.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The transformer.
        """
        X, names = self._taken_in(X, reset=True)
        self._seed = as_seed(self.random_state)
        self.hidden_ = self._mask(X, names)
        return self

    def transform(self, X: Any) -> Any:
        """Hide cells.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        X_holes : array or data frame of shape (n_samples, n_features)
            The same with more holes.
        """
        X, names = self._taken_in(X, reset=not hasattr(self, "n_features_in_"))
        hidden = self._mask(X, names)
        return _frame.blanked(X, np.arange(hidden.shape[0]), ~hidden)

    def _mask(self, X: Any, names: list[str]) -> np.ndarray:
        columns = self.columns
        if columns is not None:
            columns = [names[name] if isinstance(name, numbers.Integral) else name for name in columns]
        seed = self._seed if hasattr(self, "_seed") else as_seed(self.random_state)
        manner = (seed, as_threads(self.n_jobs), Listener())
        return _unmiss.hide(_frame.to_table(X, names, _frame.LOOK), self.how, columns, manner)
