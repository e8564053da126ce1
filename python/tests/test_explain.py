"""What a model goes by, and why a row gets its answer."""

import numpy as np
import pandas as pd
import pytest
import unmiss


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["c", "a", "b"])
    y = 2 * X["a"] + X["b"] + 0.2 * rng.normal(size=300)
    X = X.mask(rng.random(X.shape) < 0.1)
    X["word"] = rng.choice(["x", "y"], 300)
    return X, y


def test_columns_are_told_by_what_they_are_worth(data):
    X, y = data
    model = unmiss.LinearRegressor(folds=3).fit(X, y)
    for found in (model.explain(), model.explain(X, y)):
        assert [column["column"] for column in found.columns[:2]] == ["a", "b"]
        assert found.columns[0]["importance"]["mean"] > 4 * abs(found.columns[2]["importance"]["mean"])
        assert found.curves[0]["column"] == "a" and len(found.curves[0]["points"]) == 11
        assert "matter" in str(found) and "Importance of the columns" in found._repr_html_()
    assert model.explain().held_out and not model.explain(X, y).held_out
    blind = model.explain(X)
    assert blind.loss is None and blind.columns[0]["column"] == "a"
    with pytest.raises(ValueError, match="nothing was held out"):
        unmiss.LinearRegressor().fit(X, y).explain()


def test_contributions_add_up(data):
    X, y = data
    model = unmiss.LinearRegressor().fit(X, y)
    why = model.contributions(X)
    assert why.names == list(X.columns) and why.values.shape == X.shape and not why.errors.any()
    inside = (why.answers > y.min()) & (why.answers < y.max())
    np.testing.assert_allclose((why.base + why.values.sum(axis=1))[inside], why.answers[inside], rtol=1e-9)
    np.testing.assert_allclose(why.answers, model.predict(X))
    known = X["a"].notna() & inside
    slope = np.polyfit(X["a"][known], why.to_frame()["a"][known], 1)[0]
    assert slope == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("classes", [["no", "yes"], [10, 9], [3, 30, 4]])
def test_contributions_to_chances(data, classes):
    X, y = data
    y = np.array(classes)[np.searchsorted(np.quantile(y, np.linspace(0, 1, len(classes) + 1)[1:-1]), y)]
    model = unmiss.LinearClassifier().fit(X, y)
    why = model.contributions(X[:20])
    chances = model.predict_proba(X[:20])
    np.testing.assert_allclose(why.base + why.values.sum(axis=1), why.answers, rtol=1e-9)
    own = np.searchsorted(model.classes_, why.classes)
    np.testing.assert_allclose(chances[np.arange(20), own], why.answers)
    if len(classes) == 2:
        assert len(set(why.classes)) == 1
    else:
        np.testing.assert_array_equal(why.classes, model.predict(X[:20]))
