"""Predictors: classes, weights, intervals, frames, the choice of a method."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import unmiss
from sklearn.exceptions import NotFittedError


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=300)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y


@pytest.mark.parametrize(
    "classes",
    [[0, 1], ["no", "yes"], [False, True], [-1.0, 2.0], ["10", "9"], [3, 30, 4], np.array(["b", "a"], dtype=object)],
)
def test_classes_of_any_type(data, classes):
    X, y = data
    classes = np.asarray(classes)
    y = classes[np.searchsorted(np.quantile(y, np.linspace(0, 1, len(classes) + 1)[1:-1]), y)]
    model = unmiss.LinearClassifier().fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
    assert model.score(X, y) > 0.6


def test_the_choice_is_told(data):
    X, y = data
    model = unmiss.Regressor(["linear", "trees"], folds=3).fit(X, y)
    assert model.method_ == model.scores_[0]["method"] == "linear"
    assert [entry["method"] for entry in model.scores_] == ["linear", "trees"]
    ends = model.predict_interval(X)
    np.testing.assert_array_equal(ends[:, 0], model.predict(X))
    assert 0.8 < np.mean((ends[:, 1] <= y) & (y <= ends[:, 2])) <= 1.0
    # The model is the mean of its fold models, which is not far from one model of all rows.
    one = unmiss.LinearRegressor().fit(X, y)
    assert np.corrcoef(one.predict(X), model.predict(X))[0, 1] > 0.99
    with pytest.raises(ValueError, match="no intervals\nhint: fit with folds=5"):
        one.predict_interval(X)


def test_sets_hold_the_class_as_often_as_asked(data):
    X, y = data
    y = np.where(y > 0, "yes", "no")
    model = unmiss.LinearClassifier(folds=5).fit(X, y)
    sets = model.predict_set(X, level=0.9)
    assert sets.shape == (len(y), 2) and sets.dtype == bool
    held = sets[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert 0.85 < held.mean() <= 1.0
    assert (model.predict_set(X, level=0.99).sum() >= sets.sum()) and sets.any(axis=1).all()
    with pytest.raises(ValueError, match="no sets of classes"):
        unmiss.LinearClassifier().fit(X, y).predict_set(X)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        model.predict_set(X, level=1.5)


def test_holes_that_shifted_are_warned_of(data):
    X, y = data
    model = unmiss.LinearRegressor().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
    empty = np.array(X, dtype=float)
    empty[:, 0] = np.nan
    with pytest.warns(UserWarning, match="what is missing has shifted since the model was learned"):
        model.predict(empty)


def test_without_a_method_it_is_the_mean_of_several(data, tmp_path):
    X, y = data
    model = unmiss.Classifier(settings={"methods": ["linear", "trees"]}, folds=2).fit(X, y > 0)
    assert {entry["method"] for entry in model.scores_} == {"ensemble", "linear", "trees"}
    assert model.method_ == "ensemble"
    quick = unmiss.Regressor(effort="quick").fit(X, y)
    assert {"linear", "forest", "trees"} < {entry["method"] for entry in quick.scores_}
    model.page(tmp_path / "page.html")
    assert "<svg" in (tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="setting `epochs`"):
        unmiss.Classifier(settings={"epochs": 2}).fit(X, y > 0)
    with pytest.raises(ValueError, match="belong to no method that is compared"):
        unmiss.Classifier(["linear", "trees"], settings={"epochs": 2}).fit(X, y > 0)


def test_frames_need_no_encoding():
    table = unmiss.sample("penguins")
    X, y = table.drop(columns="species"), table["species"]
    model = unmiss.LinearClassifier().fit(X, y)
    assert model.score(X, y) > 0.97
    assert list(model.feature_names_in_) == list(X.columns)
    chances = model.predict_proba(X)
    for other in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        np.testing.assert_array_equal(model.predict_proba(other), chances)
        np.testing.assert_array_equal(unmiss.LinearClassifier().fit(other, y).predict_proba(X), chances)
    # A column that was whole numbers may come as another type of numbers, a category as words.
    changed = X.assign(year=X["year"].astype("float32"), island=X["island"].astype("category"))
    np.testing.assert_array_equal(model.predict_proba(changed), chances)


def test_keys_are_left_out_with_a_warning(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcd")).assign(key=[f"P{row:03}" for row in range(300)])
    with pytest.warns(unmiss.UnmissWarning, match="column `key` is text and is left out"):
        model = unmiss.LinearRegressor().fit(frame, y)
    plain = frame[list("abcd")]
    np.testing.assert_array_equal(model.predict(frame), unmiss.LinearRegressor().fit(plain, y).predict(plain))


def test_dates_text_and_orders_are_learned_from():
    rng = np.random.default_rng(3)
    grade, day = rng.integers(0, 3, 300), rng.integers(0, 700, 300)
    words = np.array(["chest pain since", "fall at home since", "cough since"])[rng.integers(0, 3, 300)]
    when = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D"))
    when[::10] = pd.NaT
    X = pd.DataFrame(
        {
            "grade": pd.Categorical.from_codes(grade, ["low", "middle", "high"], ordered=True),
            "when": when,
            "note": [f"{text} {row} days" for row, text in enumerate(words)],
        }
    )
    y = grade + day / 350 + 2.0 * (words == "cough since")
    model = unmiss.LinearRegressor().fit(X, y)
    assert {"grade: rank", "when: days since the first", "note: words 1"} <= set(model.model_.inputs)
    assert model.score(X, y) > 0.8
    for other in (pl.from_pandas(X.assign(grade=X["grade"].astype(str))), X.astype({"when": "datetime64[s]"})):
        np.testing.assert_array_equal(model.predict(other), model.predict(X))


def test_weights(data):
    X, y = data
    weight = np.where(y > 0, 1.0, 0.0)
    kept = unmiss.TreesRegressor().fit(X, y, sample_weight=weight)
    some = y > 0
    fewer = unmiss.TreesRegressor().fit(X[some], y[some], np.ones(some.sum()))
    np.testing.assert_array_equal(kept.predict(X), fewer.predict(X))
    heavy = unmiss.LinearClassifier(class_weight={False: 1.0, True: 50.0}).fit(X, y > 0)
    plain = unmiss.LinearClassifier().fit(X, y > 0)
    assert heavy.predict(X).mean() > plain.predict(X).mean()
    balanced = unmiss.LinearClassifier(class_weight="balanced").fit(X, y > 1.5)
    assert balanced.predict(X).mean() > unmiss.LinearClassifier().fit(X, y > 1.5).predict(X).mean()
    with pytest.raises(ValueError, match="[Nn]egative"):
        unmiss.LinearRegressor().fit(X, y, sample_weight=-weight)


def test_errors(data):
    X, y = data
    with pytest.raises(NotFittedError):
        unmiss.Classifier().predict(X)
    with pytest.raises(ValueError, match="one class"):
        unmiss.LinearClassifier().fit(X, np.zeros(300))
    with pytest.raises(ValueError, match="the same value in every row\nhint:"):
        unmiss.LinearRegressor().fit(X, np.zeros(300))
    with pytest.raises(ValueError, match="Input y contains NaN"):
        unmiss.LinearRegressor().fit(X, np.where(y > 0, np.nan, y))
    advice = "`gaussian` fills holes and is not for this\nhint: the methods for this are: ensemble, network"
    with pytest.raises(ValueError, match=advice):
        unmiss.Classifier("gaussian").fit(X, y > 0)
    with pytest.raises(ValueError, match="setting `leaves`"):
        unmiss.TreesClassifier(leaves=-3).fit(X, y > 0)


def test_threads_and_seeds(data):
    X, y = data
    quick = {"epochs": 3, "networks": 1}
    one = unmiss.NetworkRegressor(**quick, n_jobs=1, random_state=5).fit(X, y).predict(X)
    np.testing.assert_array_equal(one, unmiss.NetworkRegressor(**quick, n_jobs=2, random_state=5).fit(X, y).predict(X))
    assert (one != unmiss.NetworkRegressor(**quick, random_state=6).fit(X, y).predict(X)).any()
    drawn = unmiss.NetworkRegressor(**quick, random_state=np.random.RandomState(1)).fit(X, y).predict(X)
    np.testing.assert_array_equal(
        drawn, unmiss.NetworkRegressor(**quick, random_state=np.random.RandomState(1)).fit(X, y).predict(X)
    )
    with pytest.raises(ValueError, match="n_jobs == 0"):
        unmiss.LinearRegressor(n_jobs=0).fit(X, y)
