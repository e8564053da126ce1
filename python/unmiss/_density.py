"""How plausible rows are, holes and all."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _frame, _unmiss
from ._base import Estimator, Saved, as_json, as_seed


class Density(Saved, Estimator):
    """Learn how plausible rows are, holes and all: log-likelihoods, and rows that do not belong.

    Parameters
    ----------
    method : {"gaussian", "made"}, default="gaussian"
        One joint normal distribution, or a masked autoencoder.
    settings : dict, default=None
        Settings of the method, by name.
    test : float, default=0.2
        Share of the rows held out to measure with, and to compare new rows with; the model learns from all.
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
    mean_log_likelihood_ : float
        Of the rows that were held out.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1)) + 0.1 * rng.normal(size=(400, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> model = unmiss.Density().fit(X)
    >>> odd = np.array([[1.0, np.nan, 1.0], [1.0, np.nan, -1.0]])
    >>> bool(model.rarity(odd)[1] < 0.01 < model.rarity(odd)[0])
    True
    """

    def __init__(
        self,
        method: str = "gaussian",
        *,
        settings: dict | None = None,
        test: float = 0.2,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.test = test
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Learn from rows with holes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. NaN, None and nulls are holes; words and categories need no encoding.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The fitted model.
        """
        X, names = self._taken_in(X, reset=True, least=2)
        self.__dict__.pop("loaded_from_", None)
        self.model_ = _unmiss.Scorer.fit(
            table=_frame.to_table(X, names, _frame.LEARN),
            method=self.method,
            settings=as_json(dict(self.settings or {})),
            test=float(self.test),
            manner=self._manner(as_seed(self.random_state)),
        )
        self.method_ = self.model_.method
        self.mean_log_likelihood_ = self.model_.mean_log_likelihood
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """The logarithm of the density of what is known of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows. Likelihoods of rows with different holes can't be compared: ``rarity`` can.

        Returns
        -------
        log_likelihood : array of shape (n_samples,)
            In nats; numbers in their own units, categories as probabilities.
        """
        return self._scored(X)[0]

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.
        y : ignored
            For pipelines.

        Returns
        -------
        mean_log_likelihood : float
            The higher, the better the model knows what rows are like.
        """
        return float(np.mean(self.score_samples(X)))

    def rarity(self, X: Any) -> np.ndarray:
        """How rare each row is among rows of which about as much is known.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        rarity : array of shape (n_samples,)
            The share of comparable rows that are at most as plausible; NaN where nothing is known of a row.
        """
        return self._scored(X)[2]

    def surprising(self, X: Any) -> np.ndarray:
        """The column that fits the rest of each row least.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        columns : array of str of shape (n_samples,)
            Names of columns; None where nothing is known of a row.
        """
        places = self._scored(X)[3]
        return np.array([*self.model_.inputs, None], dtype=object)[places]

    def _scored(self, X: Any) -> tuple:
        check_is_fitted(self)
        X, names = self._taken_in(X, reset=False)
        return self.model_.score(_frame.to_table(X, names, _frame.APPLY), self._manner())
