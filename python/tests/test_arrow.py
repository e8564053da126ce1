"""The Arrow adapter: the same rows give the same answers, bit for bit, however they are cut into batches."""

import pickle

import numpy as np
import pytest
import unmiss

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::unmiss.UnmissWarning")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A classifier, a regressor and an imputer, saved."""
    folder = tmp_path_factory.mktemp("models")
    horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion").head(120)
    X, y = horses.drop(columns="surgical_lesion"), horses["surgical_lesion"]
    unmiss.Classifier("linear", folds=2).fit(X, y).save(folder / "classes.unmiss")
    numbers = X.dropna(subset="pulse")
    unmiss.Regressor("trees", settings={"rounds": 5}, folds=2).fit(
        numbers.drop(columns="pulse"), numbers["pulse"]
    ).save(folder / "numbers.unmiss")
    unmiss.GaussianImputer().fit(X).save(folder / "filler.unmiss")
    return folder, pa.Table.from_pandas(X, preserve_index=False)


def cut(table, seed):
    """The table in batches of many sizes, single rows and an empty one among them."""
    rng = np.random.default_rng(seed)
    ends = [0, 0, 1, 2, *sorted(rng.integers(3, table.num_rows, 5).tolist()), table.num_rows]
    return [table.slice(start, end - start) for start, end in zip(ends, ends[1:])]


@pytest.mark.parametrize("name", ["classes", "numbers", "filler"])
@pytest.mark.parametrize("seed", [0, 1])
def test_partitions_change_no_bit(files, name, seed):
    folder, table = files
    model = unmiss.arrow(folder / f"{name}.unmiss", level=0.9 if name == "numbers" else None)
    whole = model(table)
    parts = pa.concat_tables([model(part) for part in cut(table, seed)])
    assert parts.combine_chunks().equals(whole.combine_chunks())
    batches = [part.combine_chunks().to_batches()[0] for part in cut(table, seed) if part.num_rows]
    streamed = pa.Table.from_batches(list(model(iter(batches))))
    assert streamed.combine_chunks().equals(whole.combine_chunks())
    assert model.schema(table.schema) == whole.schema


def test_models_and_levels_that_have_no_answer_for_batches_are_refused(files, tmp_path):
    folder, table = files
    for name in ["classes", "filler"]:
        with pytest.raises(ValueError, match="level is for models that predict a number"):
            unmiss.arrow(folder / f"{name}.unmiss", level=0.9)(table)
    pixels, _ = unmiss.sample("digits")
    models = {
        "plausible": unmiss.Density("gaussian").fit(table.to_pandas()),
        "ratings": unmiss.RatingBiases().fit(unmiss.sample("films")),
        "images": unmiss.ImageImputer("mean").fit(pixels[:20]),
        "series": unmiss.SeriesImputer("last-value").fit(np.random.default_rng(0).normal(size=(10, 6, 2))),
    }
    for words, model in models.items():
        model.save(tmp_path / f"{words}.unmiss")
        with pytest.raises(TypeError, match=words):
            unmiss.arrow(tmp_path / f"{words}.unmiss")(table)


def test_answers_are_those_of_the_model(files):
    folder, table = files
    loaded = unmiss.load(folder / "classes.unmiss")
    found = unmiss.arrow(folder / "classes.unmiss", keep=True)(table)
    assert found.column_names[: table.num_columns] == table.column_names
    chances = np.column_stack([found.column(f"probability_{word}") for word in loaded.classes_])
    assert np.array_equal(chances, loaded.predict_proba(table))
    frame = table.to_pandas().set_index(pd.RangeIndex(5, 5 + table.num_rows))
    of_frame = unmiss.arrow(folder / "classes.unmiss")(frame)
    assert of_frame.index.equals(frame.index)
    assert np.array_equal(of_frame["prediction"], loaded.predict(table))


def test_it_travels_as_a_path_and_loads_once(files, monkeypatch):
    folder, table = files
    model = pickle.loads(pickle.dumps(unmiss.arrow(folder / "classes.unmiss")))
    assert len(pickle.dumps(model)) < 1000
    model(table)
    monkeypatch.setattr("unmiss._arrow.load", lambda path: pytest.fail("the model was loaded again"))
    model(table)
    with pytest.raises(FileNotFoundError, match="no model file"):
        unmiss.arrow(folder / "other.unmiss")
    with pytest.raises(TypeError, match="no Arrow table"):
        model(3)
