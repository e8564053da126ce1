"""Files go both ways between Python and the program, with bit-identical answers."""

import numpy as np
import pandas as pd
import pytest
import unmiss
from common import program, read, with_program


@pytest.fixture
def colic(tmp_path):
    table = unmiss.sample("horse-colic")
    table.to_csv(tmp_path / "colic.csv", index=False)
    return table, tmp_path / "colic.csv"


@with_program
@pytest.mark.parametrize("method", ["linear", "trees", "mlp"])
def test_models_of_the_program_answer_the_same_here(colic, tmp_path, method):
    table, path = colic
    quick = ["--set", "epochs=3"] if method == "mlp" else []
    options = ["--target", "surgical_lesion", "--method", method, "--folds", 2, *quick]
    program("fit", path, *options, "-o", tmp_path / "m.unmiss")
    program("predict", tmp_path / "m.unmiss", path, "-o", tmp_path / "out.csv")
    theirs = read(tmp_path / "out.csv")
    model = unmiss.load(tmp_path / "m.unmiss")
    assert type(model).__name__ == f"{method.capitalize()}Classifier"
    chances = theirs.filter(like="probability_").to_numpy()
    # Tables have the digits that chances are worth.
    np.testing.assert_allclose(model.predict_proba(table), chances, rtol=0, atol=5.1e-7)
    np.testing.assert_array_equal(model.predict(table).astype(str), theirs["prediction"].astype(str))
    # Columns are found by name.
    other_way = model.predict_proba(table[table.columns[::-1]])
    np.testing.assert_array_equal(other_way, model.predict_proba(table))


@with_program
@pytest.mark.parametrize("method", ["trees", "linear"])
def test_the_same_fit_gives_the_same_model(tmp_path, method):
    table = unmiss.sample("penguins")
    table.to_csv(tmp_path / "penguins.csv", index=False)
    options = ["--target", "species", "--method", method, "--folds", 2, "--seed", 7]
    program("fit", tmp_path / "penguins.csv", *options, "-o", tmp_path / "m.unmiss")
    X, y = table.drop(columns="species"), table["species"]
    model = unmiss.Classifier(method, folds=2, random_state=7).fit(X, y)
    theirs = unmiss.load(tmp_path / "m.unmiss")
    np.testing.assert_array_equal(model.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(model.classes_, theirs.classes_)


@with_program
def test_models_from_here_answer_the_same_in_the_program(tmp_path):
    table = unmiss.sample("penguins")
    X = table.drop(columns="body_mass_g")[table["body_mass_g"].notna()]
    y = table["body_mass_g"].dropna()
    model = unmiss.Regressor("trees", folds=3).fit(X, y)
    model.save(tmp_path / "m.unmiss")
    X.to_csv(tmp_path / "new.csv", index=False)
    program("predict", tmp_path / "m.unmiss", tmp_path / "new.csv", "-o", tmp_path / "out.csv", "--level", 0.8)
    theirs = read(tmp_path / "out.csv")
    ours = model.predict_interval(X, level=0.8)
    np.testing.assert_array_equal(theirs[["prediction", "lower", "upper"]].to_numpy(), ours)


@with_program
@pytest.mark.parametrize("method", ["gaussian", "chained"])
def test_imputers_go_both_ways(colic, tmp_path, method):
    table, path = colic
    program("impute", path, "--method", method, "-o", tmp_path / "full.csv", "--save", tmp_path / "i.unmiss")
    theirs = read(tmp_path / "full.csv")
    here = unmiss.load(tmp_path / "i.unmiss").transform(table)
    assert not here.isna().any().any()
    pd.testing.assert_frame_equal(here, theirs, check_dtype=False, check_exact=True)


@with_program
@pytest.mark.parametrize("method", ["gaussian", "chained", "auto"])
def test_imputers_from_here_fill_the_same_in_the_program(tmp_path, method):
    table, path = unmiss.sample("penguins"), tmp_path / "penguins.csv"
    table.to_csv(path, index=False)
    model = unmiss.Imputer(method).fit(table)
    model.save(tmp_path / "h.unmiss")
    program("impute", path, "--with", tmp_path / "h.unmiss", "-o", tmp_path / "with.csv")
    full = model.transform(table)
    pd.testing.assert_frame_equal(full, read(tmp_path / "with.csv"), check_dtype=False, check_exact=True)
    # Learned there from the same rows, it is the same imputer.
    program("impute", path, "--method", method, "-o", tmp_path / "full.csv")
    pd.testing.assert_frame_equal(full, read(tmp_path / "full.csv"), check_dtype=False, check_exact=True)


@with_program
def test_draws_are_the_programs(tmp_path):
    table, path = unmiss.sample("penguins"), tmp_path / "penguins.csv"
    table.to_csv(path, index=False)
    program("impute", path, "--method", "gaussian", "--draws", 2, "--seed", 5, "-o", tmp_path / "full.csv")
    draws = unmiss.GaussianImputer(random_state=5, m=2).fit(table).draw(table)
    for number, draw in enumerate(draws, 1):
        theirs = read(tmp_path / f"full-{number}.csv")
        pd.testing.assert_frame_equal(draw, theirs, check_dtype=False, check_exact=True)


def test_files_of_arrays(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] > 0
    X[::3, 1] = np.nan
    model = unmiss.LinearClassifier().fit(X, y)
    model.save(tmp_path / "m.unmiss")
    for load in (unmiss.load, unmiss.LinearClassifier.load, unmiss.Classifier.load):
        again = load(tmp_path / "m.unmiss")
        assert again.classes_.dtype == bool
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.get_params()["random_state"] == 0
    frame = pd.DataFrame(X[:, ::-1], columns=["x2", "x1", "x0"])
    np.testing.assert_array_equal(unmiss.load(tmp_path / "m.unmiss").predict(frame), model.predict(X))
    # A loaded estimator is an estimator like any other.
    two, again = X[:, :2], unmiss.LinearClassifier.load(tmp_path / "m.unmiss")
    np.testing.assert_array_equal(again.fit(two, y).predict(two), unmiss.LinearClassifier().fit(two, y).predict(two))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        unmiss.load(tmp_path / "none.unmiss")
    (tmp_path / "bad.unmiss").write_bytes(b"nothing like it")
    with pytest.raises(ValueError, match="not a readable unmiss file.*\nhint:"):
        unmiss.load(tmp_path / "bad.unmiss")
    X = np.array([[1.0, 2.0], [2.0, np.nan], [np.nan, 6.0], [4.0, 8.0]])
    unmiss.GaussianImputer().fit(X).save(tmp_path / "i.unmiss")
    with pytest.raises(ValueError, match="holds a GaussianImputer, not a MeanImputer"):
        unmiss.MeanImputer.load(tmp_path / "i.unmiss")
    named = pd.DataFrame(X, columns=["a", "b"])
    unmiss.GaussianImputer().fit(named).save(tmp_path / "n.unmiss")
    with pytest.raises(ValueError, match="knows its columns by name: a, b\nhint: give a data frame"):
        unmiss.load(tmp_path / "n.unmiss").transform(X)
    with pytest.raises(ValueError, match="are not there: b"):
        unmiss.load(tmp_path / "n.unmiss").transform(named[["a"]])
    with pytest.raises(OSError):
        unmiss.GaussianImputer().fit(X).save(tmp_path / "no folder" / "i.unmiss")
