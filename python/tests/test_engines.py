"""Work given to engines as tasks of their own: what comes back is what one process finds."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import unmiss

pytestmark = pytest.mark.filterwarnings("ignore::unmiss.UnmissWarning")


@pytest.fixture(params=["executor", "dask", "ray"])
def engine(request):
    """Each engine that is installed, with two local workers."""
    if request.param == "executor":
        with ThreadPoolExecutor(2) as pool:
            yield pool
        return
    found = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "ray":
        found.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    yield request.param
    if request.param == "ray":
        found.shutdown()


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 1)) + 0.3 * rng.normal(size=(90, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def without_cost(comparison):
    """What does not differ from run to run."""
    found = json.loads(comparison._finding.json)
    for each in [*found["fits"], *found["standings"]]:
        each.pop("seconds"), each.pop("memory")
    return found


def test_comparisons_and_draws_are_those_of_one_process(engine):
    X = rows()
    asked = {"methods": ["mean", "gaussian"], "repeats": 2, "tune": 2, "random_state": 3}
    here, there = unmiss.compare(X, **asked), unmiss.compare(X, engine=engine, **asked)
    assert without_cost(here) == without_cost(there)
    imputer = unmiss.GaussianImputer(m=3, random_state=1).fit(X)
    for own, other in zip(imputer.draw(X), imputer.draw(X, engine=engine)):
        np.testing.assert_array_equal(own, other)


def test_what_is_no_engine_is_said():
    with pytest.raises(ValueError, match="neither 'ray' nor 'dask'"):
        unmiss.compare(rows(), methods=["mean"], engine="cluster")


def table(seed=0):
    """Rows with numbers, words and holes."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(150, 1)) + 0.5 * rng.normal(size=(150, 4)), columns=list("abcd"))
    frame["count"] = np.arange(150) % 7
    frame["word"] = rng.choice(["x", "y", "z"], 150)
    return frame.mask(rng.random(frame.shape) < 0.2)


@pytest.mark.parametrize(("method", "target"), [("mean", None), ("gaussian", None), ("linear", "a")])
def test_models_from_parts_have_the_bits_of_the_model_of_a_single_part(method, target, engine, tmp_path):
    rows = table()
    def bits(parts, engine):
        unmiss.fit_parts(parts, method, target=target, engine=engine).save(tmp_path / "m.unmiss")
        return (tmp_path / "m.unmiss").read_bytes()

    whole = bits([rows], None)
    assert bits([rows[:1], rows[1:40], rows[40:]], engine) == whole
    rows[60:].to_csv(tmp_path / "part.csv", index=False)
    rows[:60].to_parquet(tmp_path / "part.parquet")
    assert bits([tmp_path / "part.parquet", tmp_path / "part.csv"], engine) == whole
    if engine == "dask":
        assert bits(pytest.importorskip("dask.dataframe").from_pandas(rows, npartitions=4), None) == whole
    if engine == "ray":
        ray = pytest.importorskip("ray.data")
        assert bits(ray.from_pandas([rows[:30], rows[30:]]), None) == whole


def test_models_from_parts_answer_as_those_of_memory():
    rows = table(1)
    parts = [rows[:70], rows[70:]]
    for method, usual in [("mean", unmiss.MeanImputer()), ("gaussian", unmiss.GaussianImputer())]:
        ours, theirs = unmiss.fit_parts(parts, method).transform(rows), usual.fit(rows).transform(rows)
        assert (ours["word"] == theirs["word"]).all()
        np.testing.assert_allclose(ours[list("abcd")], theirs[list("abcd")], atol=0.02)
    known = rows.dropna(subset="a")
    theirs = unmiss.LinearRegressor(folds=0).fit(known.drop(columns="a"), known["a"])
    ours = unmiss.fit_parts(parts, "linear", target="a")
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows.drop(columns="a")), atol=1e-4)


def test_what_can_not_be_fitted_from_parts_is_said():
    rows = table()
    with pytest.raises(ValueError, match="no sum over rows"):
        unmiss.fit_parts([rows], "chained")
    with pytest.raises(ValueError, match="logistic"):
        unmiss.fit_parts([rows], "linear", target="word")
    with pytest.raises(ValueError, match="the same columns"):
        unmiss.fit_parts([rows, rows.drop(columns="b")], "mean")
    with pytest.raises(TypeError, match="not several of them"):
        unmiss.fit_parts(rows)
