"""The compiled expression of Polars answers as the model does, bit for bit, whatever the types and the cuts."""

import numpy as np
import pytest
import unmiss

pl = pytest.importorskip("polars")
pytest.importorskip("unmiss.polars")
pytestmark = pytest.mark.filterwarnings("ignore::unmiss.UnmissWarning")


def rows(count=90, seed=0):
    """Columns of all types that a model takes, with holes; words of up to 30 letters."""
    rng = np.random.default_rng(seed)
    words = np.array(["x", "a word of more than twelve letters", "twelve bytes"], dtype=object)
    frame = pl.DataFrame(
        {
            "real": rng.normal(size=count),
            "single": rng.normal(size=count).astype(np.float32),
            "small": rng.integers(0, 9, count).astype(np.int8),
            "large": rng.integers(0, 10**6, count),
            "word": words[rng.integers(0, 3, count)].tolist(),
            "yes": rng.random(count) < 0.5,
            "group": pl.Series(words[rng.integers(0, 3, count)].tolist(), dtype=pl.Categorical),
            "level": pl.Series(rng.choice(["low", "high"], count).tolist(), dtype=pl.Enum(["low", "high"])),
        }
    )
    known = {name: pl.Series(rng.random(count) > 0.2) for name in frame.columns}
    return frame.with_columns(pl.when(marks).then(pl.col(name)).alias(name) for name, marks in known.items())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A frame, and models of classes, truth values and numbers."""
    folder, X = tmp_path_factory.mktemp("models"), rows()
    number = np.nan_to_num(X["real"].to_numpy()) + X["word"].is_null().to_numpy()
    unmiss.Classifier("linear", folds=2).fit(X, np.where(number > 0.5, "high", "low")).save(folder / "words.unmiss")
    unmiss.Classifier("linear", folds=2).fit(X, number > 0.5).save(folder / "truth.unmiss")
    unmiss.Regressor("linear", folds=3).fit(X, number).save(folder / "number.unmiss")
    return folder, X


def asked():
    return pl.struct(pl.all()).unmiss


@pytest.mark.parametrize("cut", ["whole", "pieces", "slice", "streaming", "one row"])
def test_answers_have_the_bits_of_the_model(files, cut):
    folder, X = files
    frame = {
        "pieces": lambda: pl.concat([X[:1], X[1:40], X[40:]], rechunk=False),
        "slice": lambda: X[13:57],
        "one row": lambda: X[5:6],
    }.get(cut, lambda: X)()
    paths = [folder / f"{name}.unmiss" for name in ("words", "truth", "number")]
    query = frame.lazy().select(
        asked().predict(paths[0]).alias("word"),
        asked().predict(paths[1]).alias("truth"),
        asked().predict(paths[2]).alias("number"),
        asked().predict_proba(paths[0]).alias("chances"),
        asked().predict_interval(paths[2], 0.8).alias("ends"),
    )
    found = query.collect(engine="streaming" if cut == "streaming" else "auto")
    assert dict(query.collect_schema()) == dict(found.schema)
    models = [unmiss.load(path) for path in paths]
    for name, model in zip(["word", "truth", "number"], models):
        assert found[name].to_list() == model.predict(frame).tolist()
    assert np.array_equal(found["chances"].struct.unnest().to_numpy(), models[0].predict_proba(frame))
    assert np.array_equal(found["ends"].struct.unnest().to_numpy(), models[2].predict_interval(frame, 0.8))


def test_no_rows_and_columns_without_any_value(files):
    folder, X = files
    path = folder / "number.unmiss"
    assert X[:0].select(asked().predict(path)).shape == (0, 1)
    empty = X.with_columns(pl.lit(None).alias("real"), pl.lit(None).alias("word"))
    assert empty.select(asked().predict(path))["prediction"].to_list() == unmiss.load(path).predict(empty).tolist()


def test_what_can_not_be_is_said(files):
    folder, X = files
    path = folder / "number.unmiss"
    fails = pl.exceptions.ComputeError
    with pytest.raises(fails, match="single"):
        X.select(pl.struct("real").unmiss.predict(path))
    with pytest.raises(fails, match="a struct, a field for each input"):
        X.select(pl.col("real").unmiss.predict(path))
    with pytest.raises(fails, match="real.*no model takes"):
        X.with_columns(real=pl.concat_list("real")).select(asked().predict(path))
    with pytest.raises(FileNotFoundError, match="no model file"):
        asked().predict(folder / "nobody.unmiss")
    unmiss.LinearRegressor(folds=0).fit(X, np.nan_to_num(X["real"].to_numpy())).save(folder / "alone.unmiss")
    with pytest.raises(fails, match="no intervals"):
        X.select(asked().predict_interval(folder / "alone.unmiss"))
