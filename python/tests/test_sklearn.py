"""Life among scikit-learn's tools."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import unmiss
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder


@pytest.fixture
def penguins():
    table = unmiss.sample("penguins")
    return table.drop(columns="species"), table["species"]


def test_pipeline_with_columns(penguins):
    X, y = penguins
    words = ["island", "sex"]
    model = make_pipeline(
        unmiss.Imputer("gaussian"),
        ColumnTransformer([("words", OneHotEncoder(), words)], remainder=MinMaxScaler()),
        LogisticRegression(),
    )
    assert cross_val_score(model, X, y, cv=3).mean() > 0.95


def test_the_normalizer_in_a_pipeline(penguins):
    X, y = penguins
    numbers = X.select_dtypes("number")
    model = make_pipeline(MinMaxScaler(), unmiss.SparsityNormalizer(), LogisticRegression(C=100))
    assert cross_val_score(model, numbers, y, cv=3).mean() > 0.95
    normalized = model[:-1].fit_transform(numbers)
    assert not np.isnan(normalized).any()


def test_the_normalizer_does_what_it_says():
    rng = np.random.default_rng(0)
    X = rng.random((50, 6))
    X[rng.random(X.shape) < 0.4] = np.nan
    X[7] = np.nan
    known = ~np.isnan(X)
    full = unmiss.SparsityNormalizer().fit(X)
    assert full.k_ == known.sum() / 50
    expected = np.nan_to_num(X) * full.k_ / np.maximum(known.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(full.transform(X), expected, rtol=1e-12)
    assert unmiss.SparsityNormalizer(k=2.5).fit(X).k_ == 2.5
    for k in (0, -1, "hidden", None):
        with pytest.raises(ValueError, match="k="):
            unmiss.SparsityNormalizer(k=k).fit(X)


def test_grid_search(penguins):
    X, y = penguins
    search = GridSearchCV(unmiss.TreesClassifier(members=1, rounds=20), {"leaves": [3, 15]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    search = GridSearchCV(
        make_pipeline(unmiss.Imputer(), unmiss.LinearClassifier()),
        {"imputer__method": ["mean", "gaussian"]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["imputer__method"] in ("mean", "gaussian")


def test_copies(penguins, tmp_path):
    X, y = penguins
    models = [
        unmiss.LinearClassifier(),
        unmiss.TreesClassifier(rounds=5),
        unmiss.Classifier(["linear", "trees"], folds=2),
    ]
    for model in models:
        model = clone(model).fit(X, y)
        joblib.dump(model, tmp_path / "m.joblib")
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(tmp_path / "m.joblib")):
            np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert not hasattr(clone(model), "model_")
    filler = unmiss.GaussianImputer().fit(X)
    other = pickle.loads(pickle.dumps(filler))
    pd.testing.assert_frame_equal(other.transform(X), filler.transform(X))
    pd.testing.assert_frame_equal(other.draw(X, 1)[0], filler.draw(X, 1)[0])


def test_in_other_processes(penguins):
    X, y = penguins
    model = unmiss.LinearClassifier(n_jobs=1)
    np.testing.assert_array_equal(cross_val_score(model, X, y, cv=4, n_jobs=2), cross_val_score(model, X, y, cv=4))


def test_after_a_fork(penguins):
    multiprocessing = pytest.importorskip("multiprocessing")
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system knows no fork")
    X, y = penguins
    model = unmiss.LinearClassifier().fit(X, y)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(model.predict_proba, (X,)).get(timeout=60)
    np.testing.assert_array_equal(there, model.predict_proba(X))


def test_set_output(penguins):
    X, _ = penguins
    numbers = X.select_dtypes("number")
    full = unmiss.GaussianImputer().set_output(transform="pandas").fit_transform(numbers.to_numpy())
    assert isinstance(full, pd.DataFrame) and list(full.columns) == ["x0", "x1", "x2", "x3", "x4"]
    full = unmiss.GaussianImputer().set_output(transform="polars").fit_transform(pl.from_pandas(X))
    assert isinstance(full, pl.DataFrame) and full.columns == list(X.columns)
    model = unmiss.GaussianImputer().fit(X)
    assert list(model.get_feature_names_out()) == list(X.columns) == list(model.feature_names_in_)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature"):
        model.transform(X.iloc[:, :3])


def test_metadata_routing(penguins):
    X, y = penguins
    weight = np.where(y == "Adelie", 10.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = unmiss.LinearClassifier(strength=10.0).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(unmiss.Imputer("mean"), model).fit(X, y, sample_weight=weight)
        direct = unmiss.LinearClassifier(strength=10.0).fit(unmiss.MeanImputer().fit_transform(X), y, weight)
        full = unmiss.MeanImputer().fit_transform(X)
        np.testing.assert_array_equal(pipeline.predict_proba(X), direct.predict_proba(full))
        plain = make_pipeline(unmiss.Imputer("mean"), unmiss.LinearClassifier(strength=10.0)).fit(X, y)
        assert (plain.predict_proba(X) != pipeline.predict_proba(X)).any()


def test_looks(penguins):
    X, y = penguins
    model = unmiss.Classifier(["linear", "trees"], folds=2)
    assert "Classifier" in repr(model) and "<div" in model._repr_html_()
    model.fit(X, y)
    assert "learned from 344 rows" in model._repr_html_() and "has the lowest log-loss" in model._repr_html_()
    assert "learned from 344 rows" in unmiss.MeanImputer().fit(X)._repr_html_()
    assert "K = " in unmiss.SparsityNormalizer().fit(X.select_dtypes("number"))._repr_html_()


def test_hide(penguins):
    X, _ = penguins
    hide = unmiss.Hide("mcar:0.3", random_state=4)
    holes = hide.fit_transform(X)
    assert 0.25 < hide.hidden_[X.notna().to_numpy()].mean() < 0.35
    np.testing.assert_array_equal(holes.isna().to_numpy(), hide.hidden_ | X.isna().to_numpy())
    known = holes.notna()
    pd.testing.assert_frame_equal(holes.where(known), X.where(known), check_dtype=False)
    only = unmiss.Hide("self-logistic:0.5", columns=["year"])
    only.fit_transform(X)
    assert set(np.flatnonzero(only.hidden_.any(axis=0))) == {list(X.columns).index("year")}
    frame = unmiss.Hide("mcar:0.3", random_state=4).fit_transform(pl.from_pandas(X))
    np.testing.assert_array_equal(frame.select(pl.all().is_null()).to_numpy(), holes.isna().to_numpy())
    whole = unmiss.Hide().fit_transform(np.arange(100).reshape(20, 5))
    assert whole.dtype == np.float64 and np.isnan(whole).any()
    with pytest.raises(ValueError, match="no mechanism `mcarr`\nhint: did you mean"):
        unmiss.Hide("mcarr:0.2").fit_transform(X)


def test_pickles_need_no_files(penguins):
    X, y = penguins
    buffer = io.BytesIO()
    pickle.dump(unmiss.LinearClassifier().fit(X, y), buffer)
    assert len(buffer.getvalue()) < 100_000
