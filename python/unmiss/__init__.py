"""unmiss: learning from data with holes, under scikit-learn's conventions.

>>> import numpy as np
>>> import unmiss
>>> X = np.array([[1.0, 2.0], [2.0, np.nan], [np.nan, 6.0], [4.0, 8.0]])
>>> bool(np.isnan(unmiss.Imputer("gaussian").fit_transform(X)).any())
False
"""

from . import _estimators
from ._estimators import *  # noqa: F403
from ._arrow import ArrowModel, arrow
from ._density import Density
from ._files import load
from ._functions import analyse, audit, compare, describe, pool, sample, simulate
from ._image_imputer import ImageImputer
from ._image_predictors import ImageClassifier, ImageRegressor
from ._images import hide_regions
from ._listen import UnmissWarning
from ._parts import fit_parts
from ._results import (
    Analysis,
    Audit,
    Comparison,
    Contributions,
    Curve,
    Description,
    Explanation,
    ImageDescription,
    Pooled,
    RatingAudit,
    Simulation,
)
from ._series import SeriesClassifier, SeriesImputer, SeriesRegressor
from ._transformers import Hide, SparsityNormalizer
from ._unmiss import __version__

__all__ = [
    *_estimators.__all__,
    "Analysis",
    "ArrowModel",
    "Audit",
    "Comparison",
    "Contributions",
    "Curve",
    "Density",
    "Description",
    "Explanation",
    "Hide",
    "ImageClassifier",
    "ImageDescription",
    "ImageImputer",
    "ImageRegressor",
    "Pooled",
    "RatingAudit",
    "SeriesClassifier",
    "SeriesImputer",
    "SeriesRegressor",
    "Simulation",
    "SparsityNormalizer",
    "UnmissWarning",
    "__version__",
    "analyse",
    "arrow",
    "audit",
    "compare",
    "describe",
    "fit_parts",
    "hide_regions",
    "load",
    "pool",
    "sample",
    "simulate",
]
