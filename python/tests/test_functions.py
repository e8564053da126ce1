"""describe, compare, pool and the samples."""

import numpy as np
import pandas as pd
import pytest
import unmiss


def test_describe():
    table = unmiss.sample("horse-colic")
    holes = unmiss.describe(table, "surgical_lesion")
    assert holes.rows == 300 and holes.missing_cells > 1000
    assert {column["name"] for column in holes.columns} == set(table.columns) - {"surgical_lesion"}
    apart = unmiss.describe(table.drop(columns="surgical_lesion"), table["surgical_lesion"])
    assert apart.to_dict() == holes.to_dict()
    assert "<iframe" in holes._repr_html_() and "missing" in str(holes)
    with pytest.raises(ValueError, match="no column `surgical`\nhint: "):
        unmiss.describe(table, "surgical")


def test_compare_predictors(tmp_path):
    table = unmiss.sample("penguins")
    X, y = table.drop(columns="species"), table["species"]
    found = unmiss.compare(X, y, methods={"linear": {}, "trees": {"rounds": 5}}, folds=3, repeats=1)
    assert found.best == "linear" and len(found.standings) == 2 and len(found.fits) == 6
    assert found.standings[0]["loss"] < found.standings[1]["loss"]
    assert "linear" in str(found) and "<iframe" in found._repr_html_()
    found.save(tmp_path / "page.html")
    assert "<svg" in (tmp_path / "page.html").read_text()
    named = unmiss.compare(table, "species", methods=["linear"], folds=3, repeats=1)
    assert named.standings[0]["loss"] == found.standings[0]["loss"]


def test_compare_imputers():
    X = unmiss.sample("penguins").select_dtypes("number")
    found = unmiss.compare(X, methods=["mean", "gaussian"], repeats=2, how="mcar:0.3", random_state=1)
    assert found.best == "gaussian" and found.failures == []
    with pytest.raises(ValueError, match="there is no method `linear`|`linear` predicts"):
        unmiss.compare(X, methods=["linear"])


def test_pool():
    one = unmiss.pool([1.0, 2.0, 3.0], [0.5, 0.5, 0.5])
    # Rubin: mean 2, within 0.25, between 1, total 0.25 + 4/3.
    assert one.estimate == 2.0 and one.standard_error == pytest.approx((0.25 + 4 / 3) ** 0.5)
    assert one.low < 2.0 < one.high and one.draws == 3
    two = unmiss.pool([[1.0, 10.0], [2.0, 10.0], [3.0, 10.0]], variances=np.full((3, 2), 0.25), complete_df=50)
    assert two.estimate.tolist() == [2.0, 10.0] and two.standard_error[1] == 0.5
    assert two.degrees[0] < 50
    with pytest.raises(TypeError, match="either errors or variances"):
        unmiss.pool([1.0, 2.0])
    with pytest.raises(ValueError, match="two filled tables or more"):
        unmiss.pool([1.0], [0.1])


def test_draws_and_pooling_hold_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)) + 0.3 * rng.normal(size=(300, 3)) + 5
    X[rng.random(X.shape) < 0.3] = np.nan
    draws = unmiss.GaussianImputer(m=10).fit(X).draw(X)
    means = np.array([draw.mean(axis=0) for draw in draws])
    errors = np.array([draw.std(axis=0, ddof=1) / 300**0.5 for draw in draws])
    pooled = unmiss.pool(means, errors, complete_df=299)
    assert (np.abs(pooled.estimate - 5) < 4 * pooled.standard_error).all()
    assert (pooled.share_of_holes > 0).all() and (pooled.standard_error > errors.mean(axis=0)).all()


def test_samples():
    assert isinstance(unmiss.sample(), pd.DataFrame)
    with pytest.raises(ValueError, match="there is no sample `penguin`\nhint: did you mean `penguins`"):
        unmiss.sample("penguin")


def test_simulate():
    made = unmiss.simulate(400, 5, mechanism="self-gaussian", random_state=3)
    known = ~np.isnan(made.X)
    assert made.X.shape == (400, 5) and 0.4 < known.mean() < 0.6
    assert (made.X[known] == made.X_full[known]).all() and made.bayes_error is None
    spread = ((made.y - made.y.mean()) ** 2).sum()
    best, floor = (1 - ((made.y - answers) ** 2).sum() / spread for answers in (made.bayes, made.noiseless))
    assert 0.5 < best < floor < 0.95
    later = unmiss.simulate(100, 5, mechanism="self-gaussian", random_state=3, skip=300, n_jobs=1)
    assert (later.X_full == made.X_full[300:]).all() and (later.bayes == made.bayes[300:]).all()
    sampled = unmiss.simulate(50, 4, mechanism="self-probit", response="bowl", weights=[1, 0, 2, 1])
    assert (sampled.bayes_error >= 0).all()
    with pytest.raises(ValueError, match="no mechanism `mcra`"):
        unmiss.simulate(mechanism="mcra")
    with pytest.raises(ValueError, match="skip"):
        unmiss.simulate(skip=-1)
