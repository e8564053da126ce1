"""Estimates and covariances of other packages' models, for Rubin's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Estimates:
    """What one filled table gave."""

    names: list[str]
    estimates: np.ndarray
    covariance: np.ndarray
    complete_df: float | None
    is_scalar: bool = False


def is_results(results: Any) -> bool:
    """Whether these are results of models or pairs, and not plain numbers."""
    if not isinstance(results, (list, tuple)) or not results:
        return False
    return all(isinstance(result, tuple) or hasattr(result, "params") for result in results)


def taken(result: Any) -> Estimates:
    """The estimates of one result."""
    if hasattr(result, "params"):
        return _of_statsmodels(result)
    if len(result) == 3 and hasattr(result[0], "coef_"):
        return _of_sklearn(*result)
    if len(result) == 2 and not hasattr(result[0], "coef_"):
        return _of_pair(*result)
    raise TypeError(
        "this is no result that can be pooled\n"
        "hint: give results of statsmodels, (model, X, y) of scikit-learn, or pairs (estimate, variance)"
    )


def check_same(results: list[Estimates]) -> list[str]:
    """The names, which must be the same everywhere."""
    names = results[0].names
    for place, result in enumerate(results[1:], 2):
        if result.names != names:
            raise ValueError(
                f"result {place} estimates {result.names} and the first {names}\n"
                "hint: every analysis must estimate the same quantities"
            )
    return names


def _of_statsmodels(result: Any) -> Estimates:
    params = result.params
    values = np.asarray(params, dtype=np.float64)
    if values.ndim != 1:
        raise TypeError(f"estimates of shape {values.shape} can't be pooled\nhint: pool one equation at a time")
    names = getattr(params, "index", None)
    if names is None:
        names = getattr(getattr(result, "model", None), "exog_names", None) or range(len(values))
    if hasattr(result, "cov_params"):
        covariance = np.asarray(result.cov_params(), dtype=np.float64)
    else:
        covariance = np.diag(np.asarray(result.bse, dtype=np.float64) ** 2)
    complete = getattr(result, "df_resid", None)
    return Estimates([str(name) for name in names], values, covariance, None if complete is None else float(complete))


def _of_pair(estimate: Any, variance: Any) -> Estimates:
    names = getattr(estimate, "index", None)
    values, spread = np.asarray(estimate, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    is_scalar = values.ndim == 0
    values, spread = np.atleast_1d(values), np.atleast_1d(spread)
    covariance = np.diag(spread) if spread.ndim == 1 else spread
    if values.ndim != 1 or covariance.shape != (len(values), len(values)):
        raise ValueError(f"an estimate of shape {values.shape} does not go with a variance of shape {spread.shape}")
    names = names if names is not None and not callable(names) else range(len(values))
    return Estimates([str(name) for name in names], values, covariance, None, is_scalar)


def _of_sklearn(model: Any, X: Any, y: Any) -> Estimates:
    """Standard errors, which scikit-learn does not give: those of least squares or of maximum likelihood."""
    kind = type(model).__name__
    names = [str(name) for name in getattr(X, "columns", range(np.asarray(X).shape[1]))]
    given, X = X, np.asarray(X, dtype=np.float64)
    weights, estimates = np.ones(len(X)), np.ravel(model.coef_).astype(np.float64)
    if kind == "LogisticRegression":
        if not (getattr(model, "penalty", None) in (None, "none") or np.isinf(model.C)):
            raise TypeError("a penalised LogisticRegression has no standard errors\nhint: fit it with C=np.inf")
        if len(model.classes_) != 2:
            raise TypeError("a LogisticRegression of two classes can be pooled, not of more")
        chance = model.predict_proba(given)[:, 1]
        weights = chance * (1.0 - chance)
    elif kind != "LinearRegression" or len(estimates) != X.shape[1]:
        raise TypeError(
            f"a {kind} has no standard errors\nhint: take LinearRegression or an unpenalised LogisticRegression, or "
            "give pairs (estimate, variance)"
        )
    if model.fit_intercept:
        names, X = ["(intercept)", *names], np.column_stack([np.ones(len(X)), X])
        estimates = np.concatenate([np.ravel(model.intercept_), estimates])
    complete = len(X) - X.shape[1]
    covariance = np.linalg.inv((X * weights[:, None]).T @ X)
    if kind == "LinearRegression":
        covariance *= np.sum((np.asarray(y, dtype=np.float64) - X @ estimates) ** 2) / complete
    return Estimates(names, estimates, covariance, float(complete))
