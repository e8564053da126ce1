"""Fitted estimators from files, made here or by the program."""

from __future__ import annotations

import errno
import json
import os
from typing import Any

import numpy as np

from . import _unmiss


def load(path: str | os.PathLike) -> Any:
    """Read a fitted estimator from a file, made here or by the program ``unmiss``.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator : object
        A fitted estimator of tables, ratings, images or series. It finds columns by name, in any order, and leaves
        others aside; a recommender finds users and items by their ids.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import unmiss
    >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [np.nan, 6.0], [4.0, 8.0]])
    >>> path = os.path.join(tempfile.mkdtemp(), "filler.unmiss")
    >>> unmiss.GaussianImputer().fit(X).save(path)
    >>> bool(np.isnan(unmiss.load(path).transform(X)).any())
    False
    """
    return load_as(None, path)


def load_as(wanted: type | None, path: str | os.PathLike) -> Any:
    """Read a file as a class, or as the class of its method."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    model = _unmiss.load(path)
    if isinstance(model, (_unmiss.InstancePredictor, _unmiss.InstanceFiller)):
        return _of_instances(wanted, model, path)
    if isinstance(model, _unmiss.Recommender):
        return _recommender(wanted, model, path)
    if isinstance(model, _unmiss.Scorer):
        estimator = _density(wanted, model)
    else:
        estimator = _imputer(wanted, model) if isinstance(model, _unmiss.Filler) else _predictor(wanted, model)
    estimator.loaded_from_ = path
    needed = model.columns if isinstance(model, _unmiss.Predictor) else model.inputs
    estimator.feature_names_in_ = np.array(needed, dtype=object)
    estimator.n_features_in_ = len(estimator.feature_names_in_)
    return estimator


def _imputer(wanted: type | None, model: Any) -> Any:
    from ._estimators import IMPUTERS, Imputer

    beyond_range, within = model.limits
    limits = {"beyond_range": beyond_range, "within": within or None, "ignore": model.ignored or None}
    estimator = _made(wanted, Imputer, IMPUTERS, model, limits)
    estimator._seed = estimator.random_state
    estimator._spellings = {}
    return estimator


def _predictor(wanted: type | None, model: Any) -> Any:
    from ._estimators import CLASSIFIERS, REGRESSORS, Classifier, Regressor

    classes = (Classifier, CLASSIFIERS) if model.is_classifier else (Regressor, REGRESSORS)
    estimator = _made(wanted, *classes, model, {})
    estimator.method_ = model.method
    estimator.scores_ = []
    if model.is_classifier:
        estimator.classes_ = _values(model.levels)
        estimator._order = None
    return estimator


def _recommender(wanted: type | None, model: Any, path: str) -> Any:
    from ._estimators import RECOMMENDERS, Recommender

    estimator = _made(wanted, Recommender, RECOMMENDERS, model, {})
    estimator.method_ = model.method
    estimator.loaded_from_ = path
    estimator._seed = estimator.random_state
    estimator._kind = "any"
    # A file keeps ids as words: those that are all written as whole numbers are taken as such.
    estimator._take_ids(True, True)
    return estimator


def _density(wanted: type | None, model: Any) -> Any:
    from ._density import Density

    if wanted not in (None, Density):
        raise ValueError(f"the file holds a Density, not a {wanted.__name__}\nhint: unmiss.load reads any")
    estimator = Density(model.method, settings=json.loads(model.settings))
    estimator.model_ = model
    estimator.method_ = model.method
    estimator.mean_log_likelihood_ = model.mean_log_likelihood
    return estimator


def _of_instances(wanted: type | None, model: Any, path: str) -> Any:
    from ._image_imputer import ImageImputer
    from ._image_predictors import ImageClassifier, ImageRegressor
    from ._series import SeriesClassifier, SeriesImputer, SeriesRegressor

    imputer, classifier, regressor = ImageImputer, ImageClassifier, ImageRegressor
    if model.shape == "series":
        imputer, classifier, regressor = SeriesImputer, SeriesClassifier, SeriesRegressor
    if isinstance(model, _unmiss.InstanceFiller):
        own = imputer
    else:
        own = classifier if model.is_classifier else regressor
    if wanted not in (None, own):
        raise ValueError(
            f"the file holds the class {own.__name__}, not {wanted.__name__}\nhint: unmiss.load reads any"
        )
    estimator = own(method=model.method, settings=json.loads(model.settings))
    estimator.model_ = model
    estimator.method_ = model.method
    estimator.loaded_from_ = path
    if model.shape == "series":
        estimator.variables_ = model.variables
    else:
        estimator.image_shape_ = tuple(model.size)
    if own is imputer:
        estimator._seed = estimator.random_state
        return estimator
    estimator.scores_ = []
    if own is classifier:
        estimator.classes_ = _values(model.levels)
        estimator._order = None
    return estimator


def _made(wanted: type | None, general: type | None, classes: dict[str, type], model: Any, further: dict) -> Any:
    settings = {name.replace("-", "_"): value for name, value in json.loads(model.settings).items()}
    if wanted is not None and wanted is general:
        estimator = general(method=model.method, settings=settings, **further)
    elif wanted in (None, classes[model.method]):
        settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
        estimator = classes[model.method](**settings, **further)
    else:
        raise ValueError(
            f"the file holds a {classes[model.method].__name__}, not a {wanted.__name__}\nhint: unmiss.load reads any"
        )
    estimator.model_ = model
    return estimator


def _values(levels: list[str]) -> np.ndarray:
    """Classes as values: whole numbers, numbers or truth values if all are, else words."""
    if set(levels) <= {"False", "True"}:
        return np.array([level == "True" for level in levels])
    for number in (int, float):
        try:
            return np.array([number(level) for level in levels])
        except ValueError:
            continue
    return np.array(levels)
