"""scikit-learn's own checks on every estimator that takes arrays; test_recommender_conventions.py has the others."""

import sklearn
import unmiss
from sklearn.utils.estimator_checks import parametrize_with_checks

#: Settings that make a fit quick without making it useless.
QUICK = {"epochs": 30, "networks": 1, "n_jobs": 2}
#: A plain network needs more steps to tell three clouds of points apart.
SLOWER = {"MlpClassifier": {"epochs": 150}}

WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "sample_weight is not equivalent to removing/repeating samples: scales, folds, batches and rows set aside "
        "count rows, not weights"
    )
}


def quick(name):
    """An estimator with quick settings."""
    make = getattr(unmiss, name)
    if name in ("Classifier", "Regressor"):
        return make(["linear", "trees"], folds=2, n_jobs=2)
    known = make().get_params()
    settings = {**QUICK, **SLOWER.get(name, {})}
    return make(**{setting: value for setting, value in settings.items() if setting in known})


RATINGS = {made.__name__ for made in unmiss._estimators.RECOMMENDERS.values()}
#: These take arrays of three axes or four, and scikit-learn's checks make tables: see test_images.py.
IMAGES = {"ImageClassifier", "ImageImputer", "ImageRegressor"}
SERIES = {"SeriesClassifier", "SeriesImputer", "SeriesRegressor"}
OTHERS = ["SparsityNormalizer", "Hide", "Density"]
ESTIMATORS = [quick(name) for name in [*unmiss._estimators.__all__, *OTHERS] if name not in RATINGS]


LEAVES = {
    "check_class_weight_classifiers": (
        "leaves of a forest hold one row or more, however little these weigh: a class that weighs next to nothing "
        "still is the answer where it is alone"
    )
}


def expected(estimator):
    """Predictors weigh rows, which is not the same as repeating them."""
    if type(estimator).__name__ == "ForestClassifier":
        return {**WEIGHTS, **LEAVES}
    return WEIGHTS if hasattr(estimator, "predict") else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_check(estimator, check):
    check(estimator)


def test_all_estimators_are_checked():
    listed = {type(estimator).__name__ for estimator in ESTIMATORS}
    made = {
        name
        for name in unmiss.__all__
        if isinstance(getattr(unmiss, name), type) and issubclass(getattr(unmiss, name), sklearn.base.BaseEstimator)
    }
    assert listed | RATINGS | IMAGES | SERIES == made
