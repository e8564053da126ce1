"""Rubin's rules for results of other packages, and regressions by formula: one set of numbers."""

import numpy as np
import pandas as pd
import pytest
import unmiss
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge


class Result:
    """What a result of statsmodels has."""

    def __init__(self, X, y):
        self.X = X.assign(Intercept=1.0)[["Intercept", *X.columns]]
        inverse = np.linalg.inv(self.X.T @ self.X)
        self.params = pd.Series(inverse @ self.X.T.to_numpy() @ y.to_numpy(), index=self.X.columns)
        self.df_resid = float(len(y) - self.X.shape[1])
        self._covariance = inverse * ((y - self.X @ self.params) ** 2).sum() / self.df_resid

    def cov_params(self):
        return pd.DataFrame(self._covariance, index=self.X.columns, columns=self.X.columns)


@pytest.fixture(scope="module")
def draws():
    """Five fillings of one made table."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=60), "z": rng.normal(size=60)})
    frame["y"] = 1 + 2 * frame.x - frame.z + rng.normal(size=60)
    frame["died"] = np.where(frame.x + rng.normal(size=60) > 0, "yes", "no")
    tables = []
    for _ in range(5):
        table = frame.copy()
        table.loc[::4, "x"] += 0.3 * rng.normal(size=15)
        tables.append(table)
    return tables


def test_results_of_models_give_the_numbers_of_a_formula(draws):
    found = unmiss.analyse("y ~ x + z", draws, tests="x + z").to_frame()
    assert found.index.tolist() == ["(intercept)", "x", "z"]
    pooled = unmiss.pool([Result(draw[["x", "z"]], draw.y) for draw in draws])
    assert pooled.terms == ["Intercept", "x", "z"]
    np.testing.assert_allclose(pooled.to_frame().to_numpy(), found.to_numpy(), rtol=1e-8)
    fits = [(LinearRegression().fit(draw[["x", "z"]], draw.y), draw[["x", "z"]], draw.y) for draw in draws]
    np.testing.assert_allclose(unmiss.pool(fits).summary().to_numpy(), found.to_numpy(), rtol=1e-8)
    pairs = [(fit.params, fit.cov_params()) for fit in (Result(draw[["x", "z"]], draw.y) for draw in draws)]
    again = unmiss.pool(pairs, complete_df=57)
    np.testing.assert_allclose(again.to_frame().to_numpy(), found.to_numpy(), rtol=1e-8)
    test = unmiss.analyse("y ~ x + z", draws, tests="x + z").tests[0]
    own = pooled.test(["x", "z"])
    assert own["coefficients"] == 2 and own["p_value"] == pytest.approx(test["p_value"], rel=1e-8)
    assert own["statistic"] == pytest.approx(test["statistic"], rel=1e-8)
    assert "fmi" in repr(pooled) and "Intercept" in repr(pooled)


def test_logistic_regressions(draws, tmp_path):
    found = unmiss.analyse("died ~ x + z", draws, original=draws[0].mask(draws[0].x > 1))
    assert found.family == "logistic" and found.response == "died = yes"
    assert found.complete_rows["rows"] < 60
    X = [draw[["x", "z"]] for draw in draws]
    models = [LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, draw.died) for x, draw in zip(X, draws)]
    pooled = unmiss.pool([(model, x, draw.died) for model, x, draw in zip(models, X, draws)])
    np.testing.assert_allclose(pooled.estimate, found.to_frame().estimate, rtol=1e-4)
    np.testing.assert_allclose(pooled.standard_error, found.to_frame().std_error, rtol=1e-4)
    found.save(tmp_path / "page.html")
    assert "Forest of coefficients" in (tmp_path / "page.html").read_text()
    assert "5 filled tables" in repr(found)


def test_pairs_of_numbers():
    pooled = unmiss.pool([(1.0, 0.25), (2.0, 0.25), (3.0, 0.25)])
    assert pooled.estimate == 2.0 and pooled.standard_error == pytest.approx((0.25 + 4 / 3) ** 0.5)
    assert unmiss.pool([(1.0, 0.25), (1.0, 0.25)]).degrees == np.inf


def test_what_can_not_be_pooled(draws):
    X, y = draws[0][["x", "z"]], draws[0].y
    for model in (Ridge().fit(X, y), LogisticRegression().fit(X, draws[0].died)):
        with pytest.raises(TypeError, match="has no standard errors"):
            unmiss.pool([(model, X, y)] * 2)
    with pytest.raises(TypeError, match="no result that can be pooled"):
        unmiss.pool([(LinearRegression().fit(X, y),)] * 2)
    with pytest.raises(ValueError, match="must estimate the same"):
        unmiss.pool([Result(X, y), Result(X[["x"]], y)])
    with pytest.raises(TypeError, match="needs covariances"):
        unmiss.pool([1.0, 2.0], [0.1, 0.1]).test(["x"])
    with pytest.raises(ValueError, match="there is no estimate 'a'"):
        unmiss.pool([Result(X, y)] * 2).test(["a"])
    with pytest.raises(ValueError, match="did you mean `x`|the columns are"):
        unmiss.analyse("y ~ xx", draws)
    with pytest.raises(TypeError, match="give data frames"):
        unmiss.analyse("y ~ x", [X.to_numpy()] * 2)
    with pytest.raises(ValueError, match="neither 'linear' nor 'logistic'"):
        unmiss.analyse("y ~ x", draws, family="poisson")


def test_statsmodels(draws):
    api = pytest.importorskip("statsmodels.formula.api")
    found = unmiss.analyse("y ~ x * z", draws).to_frame()
    pooled = unmiss.pool([api.ols("y ~ x * z", data=draw).fit() for draw in draws])
    np.testing.assert_allclose(pooled.to_frame().to_numpy(), found.to_numpy(), rtol=1e-8)
    odds = [api.logit("yes ~ x", data=draw.assign(yes=(draw.died == "yes") * 1.0)).fit(disp=0) for draw in draws]
    expected = unmiss.analyse("died ~ x", draws).to_frame()
    np.testing.assert_allclose(unmiss.pool(odds).to_frame().to_numpy(), expected.to_numpy(), rtol=1e-5)
