"""Series with holes: arrays, dictionaries and data frames."""

import numpy as np
import pandas as pd
import pytest

import unmiss


def made(count=80, steps=15):
    rng = np.random.default_rng(3)
    y = np.arange(count) % 2
    X = np.cumsum(rng.normal(scale=0.3, size=(count, steps, 3)), axis=1) + 1.5 * y[:, None, None]
    return np.where(rng.random(X.shape) < 0.5, np.nan, X), y


def long_frame(X):
    rows = [
        (f"s{one}", step, f"x{variable}", X[one, step, variable])
        for one, step, variable in np.argwhere(~np.isnan(X))
    ]
    return pd.DataFrame(rows, columns=["id", "t", "what", "value"])


def test_classes_of_arrays_dictionaries_and_frames_agree(tmp_path):
    X, y = made()
    model = unmiss.SeriesClassifier("statistics", settings={"predictor": "linear"}).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.scores_[0]["method"] == "statistics"
    model.page(tmp_path / "page.html")
    assert "Methods side by side" in (tmp_path / "page.html").read_text()
    same = unmiss.SeriesClassifier("statistics", settings={"predictor": "linear"}).fit({"X": X, "y": y})
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba({"X": X}))
    frame = unmiss.SeriesClassifier(
        "statistics", settings={"predictor": "linear"}, id="id", time="t", variable="what", value="value"
    )
    chances = frame.fit(long_frame(X), y).predict_proba(long_frame(X))
    assert chances.shape == (80, 2) and np.mean(np.argmax(chances, axis=1) == y) > 0.8


def test_filling_keeps_what_is_known(tmp_path):
    X, _ = made()
    for method in ("last-value", "interpolation", "kalman", "auto"):
        imputer = unmiss.SeriesImputer(method).fit(X)
        full = imputer.transform(X)
        assert not np.isnan(full).any()
        np.testing.assert_array_equal(full[~np.isnan(X)], X[~np.isnan(X)])
        one, other = imputer.draw(X, 2)
        assert not np.array_equal(one, other)
    imputer.save(tmp_path / "imputer.unmiss")
    np.testing.assert_array_equal(unmiss.load(tmp_path / "imputer.unmiss").transform(X), full)


def test_numbers_are_predicted_and_bad_input_is_refused():
    X, _ = made()
    y = np.nanmean(X, axis=(1, 2))
    model = unmiss.SeriesRegressor("statistics", settings={"predictor": "linear"}).fit(X, y)
    assert model.score(X, y) > 0.8
    with pytest.raises(ValueError, match="2 dimensions"):
        model.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="2 variables, but 3"):
        model.predict(X[:, :, :2])
    with pytest.raises(ValueError, match="column of ids"):
        model.fit(long_frame(X), y)
    model = unmiss.SeriesRegressor("statistics", id="id", time="t", variable="what", value="value")
    with pytest.raises(ValueError, match="column of values\nhint: say value="):
        model.fit(long_frame(X).rename(columns={"value": "other"}), y)
