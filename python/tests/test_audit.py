"""The audit of anything that answers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import unmiss
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

SIZE = {"rows": 40, "levels": 6, "masks": 10}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 2, size=(150, 6))
    y = X.sum(axis=1) + 0.1 * rng.normal(size=150)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def test_a_function(data):
    X, y = data
    found = unmiss.audit(lambda rows: np.nansum(rows, axis=1), X, y, **SIZE)
    assert found.verdict == "strong-drift" and found.spearman == 1.0 and found.slope > 1 and found.share > 0.7
    assert found.range > 1 and found.drift < 0
    curve = found.curve
    assert len(curve.share) == 6 and isinstance(curve.mean, np.ndarray) and (np.diff(curve.mean) >= 0).all()
    assert curve.share[-1] == 1.0 and (curve.low <= curve.median).all() and (curve.median <= curve.high).all()
    assert "Strong drift" in str(found) and "Strong drift" in repr(found)
    flat = unmiss.audit(lambda rows: np.zeros(len(rows)), X, **SIZE)
    assert flat.verdict == "flat" and flat.drift == 0.0
    again = unmiss.audit(lambda rows: np.nansum(rows, axis=1), X, y, **SIZE, n_jobs=1)
    assert again.to_dict() == found.to_dict()


def test_estimators(data):
    X, y = data
    pipeline = make_pipeline(SimpleImputer(strategy="constant", fill_value=0), LinearRegression()).fit(X, y)
    assert unmiss.audit(pipeline, X, y, **SIZE).verdict == "strong-drift"
    sound = make_pipeline(SimpleImputer(strategy="mean"), LinearRegression()).fit(X, y)
    assert abs(unmiss.audit(sound, X, y, **SIZE).drift) < 0.5
    classes = np.array(["low", "middle", "high"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    trees = HistGradientBoostingClassifier(max_iter=10).fit(X, classes)
    found = unmiss.audit(trees, X, classes, **SIZE)
    assert set(found.per_class) == {"high", "low", "middle"}


def test_our_own_models(data):
    X, y = data
    model = unmiss.LinearRegressor().fit(X, y)
    own = unmiss.audit(model, X, y, **SIZE)
    assert own.contrast is None
    # The same model as a function gives the same figures: the masks are the same.
    foreign = unmiss.audit(model.predict, X, y, **SIZE)
    assert own.drift == pytest.approx(foreign.drift, abs=1e-6) and own.slope == pytest.approx(foreign.slope, abs=1e-6)
    zero = unmiss.LinearClassifier(missing="zero").fit(X, y > np.median(y))
    with_contrast = unmiss.audit(zero, X, y > np.median(y), **SIZE, contrast=True)
    assert with_contrast.contrast["changed"] == "missing=sparsity-normalization"


def test_xgboost(data):
    xgboost = pytest.importorskip("xgboost")
    X, y = data
    model = xgboost.XGBRegressor(n_estimators=10, max_depth=3).fit(X, y)
    found = unmiss.audit(model, X, y, **SIZE)
    assert unmiss.audit(model.get_booster(), X, y, **SIZE).drift == pytest.approx(found.drift, rel=1e-5)


def test_torch(data):
    torch = pytest.importorskip("torch")
    X, y = data
    module = torch.nn.Sequential(torch.nn.Linear(6, 1), torch.nn.Dropout(0.5))
    with torch.no_grad():
        module[0].weight.fill_(1.0)
    found = unmiss.audit(module, X, y, **SIZE, missing=0.0)
    assert found.verdict == "strong-drift" and module.training
    with pytest.raises(ValueError, match="NaN or infinity.*\nhint: .*missing=0.0"):
        unmiss.audit(module, X, **SIZE)


@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_the_model_gets_rows_of_the_same_kind(container):
    frame = pd.DataFrame(
        {
            "n": np.arange(60) % 7,
            "x": np.linspace(0, 1, 60),
            "word": np.array(["a", "b", "c"])[np.arange(60) % 3],
            "when": pd.date_range("2020", periods=60),
        }
    )
    X = container(frame)
    seen = []

    def model(rows):
        assert type(rows) is type(X)
        seen.append(rows)
        known = rows.to_pandas() if not isinstance(rows, pd.DataFrame) else rows
        assert known["when"].notna().all(), "dates are not hidden"
        return known[["n", "x", "word"]].notna().sum(axis=1).to_numpy()

    found = unmiss.audit(model, X, rows=20, levels=3, masks=5)
    assert found.verdict == "strong-drift" or found.spearman == 1.0
    assert len(seen) >= 2 and {column["column"] for column in found.columns} == {"n", "x", "word"}


def test_the_function_runs_where_it_was_called(data):
    import threading

    threads = set()

    def model(rows):
        threads.add(threading.get_ident())
        return np.nan_to_num(rows).sum(axis=1)

    unmiss.audit(model, data[0], **SIZE)
    assert threads == {threading.get_ident()}


def test_errors_are_the_models_own(data):
    X, y = data

    def broken(rows):
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        unmiss.audit(broken, X, **SIZE)
    with pytest.raises(TypeError, match="can't be audited"):
        unmiss.audit(42, X)
    with pytest.raises(TypeError, match="no number"):
        unmiss.audit(lambda rows: ["a"] * len(rows), X, **SIZE)
    with pytest.raises(ValueError, match="shape"):
        unmiss.audit(lambda rows: np.zeros(3), X, **SIZE)
    with pytest.raises(ValueError, match="setting `masks`"):
        unmiss.audit(lambda rows: np.zeros(len(rows)), X, masks=0)
    with pytest.raises(ValueError, match="y must have one value"):
        unmiss.audit(lambda rows: np.zeros(len(rows)), X, y[:3])
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        unmiss.audit(unmiss.Regressor(), X)


def test_looks(data, tmp_path):
    X, y = data
    model = make_pipeline(SimpleImputer(), LogisticRegression()).fit(X, y > np.median(y))
    found = unmiss.audit(model, X, y > np.median(y), **SIZE)
    shown = found._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;svg" in shown
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "<svg" in page
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = found.plot()
    assert axes.get_ylabel() == "chance of True"
    axes.figure.savefig(tmp_path / "audit.svg")
