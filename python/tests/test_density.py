"""How plausible rows are, from Python: the program's figures, files both ways, what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import unmiss
from common import program, read, with_program


@pytest.fixture
def penguins():
    return unmiss.sample("penguins")


def test_odd_rows_are_found(penguins):
    model = unmiss.Density().fit(penguins)
    odd = penguins.iloc[[0, 1]].copy()
    odd.loc[1, "flipper_length_mm"] = 20.0
    first, second = model.rarity(odd)
    assert second < 0.02 < first and model.surprising(odd)[1] == "flipper_length_mm"
    assert model.score_samples(odd)[1] < model.score_samples(odd)[0]
    assert abs(model.score(penguins) - model.mean_log_likelihood_) < 2.0
    empty = pd.DataFrame(index=[0], columns=penguins.columns, dtype=float)
    assert np.isnan(model.rarity(empty)[0]) and model.surprising(empty)[0] is None


def test_methods_and_pickles(penguins):
    model = unmiss.Density("made", settings={"epochs": 2, "hidden": [8], "masks": 1}, test=0).fit(penguins)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(penguins), model.score_samples(penguins))
    with pytest.raises(ValueError, match="is not for this"):
        unmiss.Density("linear").fit(penguins)


@with_program
def test_files_go_both_ways(penguins, tmp_path):
    penguins.to_csv(tmp_path / "penguins.csv", index=False)
    program("density", tmp_path / "penguins.csv", "-o", tmp_path / "d.unmiss")
    program("score", tmp_path / "d.unmiss", tmp_path / "penguins.csv", "-o", tmp_path / "scores.csv")
    theirs = read(tmp_path / "scores.csv")
    model = unmiss.load(tmp_path / "d.unmiss")
    assert isinstance(model, unmiss.Density)
    np.testing.assert_array_equal(model.score_samples(penguins), theirs["log_likelihood"].to_numpy())
    with pytest.raises(ValueError, match="holds a Density"):
        unmiss.Imputer.load(tmp_path / "d.unmiss")
