"""Exported graphs answer as the models do, on rows with holes, in ONNX Runtime."""

import json

import numpy as np
import pytest
import unmiss
from unmiss import _unmiss

ort = pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed: exported graphs are not run")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::unmiss.UnmissWarning")

#: Cheap settings, where the defaults would take long.
QUICK = {
    "additive": {},
    "conditional": {"steps": 10},
    "ensemble": {"methods": ("linear", "kernel", "trees")},
    "forest": {"trees": 8},
    "impute-then-predict": {"imputer": "gaussian", "predictor": "trees", "predictor-settings": {"rounds": 5}},
    "kernel": {},
    "linear": {},
    "mlp": {"epochs": 3},
    "network": {"epochs": 2, "networks": 2, "members": 2},
    "neumiss": {"epochs": 2},
    "trees": {"rounds": 8, "members": 2},
}
FILLERS = {
    "autoencoder": {"epochs": 3},
    "gaussian": {},
    "low-rank": {"factors": 3},
    "mean": {},
}
#: What is no formula says so.
REFUSED = {"autoimpute", "boosted", "chained", "dvae", "forest", "made", "neighbours", "self-masking"}


def horses():
    frame = unmiss.sample("horse-colic").dropna(subset="surgical_lesion").reset_index(drop=True)
    return frame.head(100)


def holed(frame, seed=0):
    """The rows with a quarter of their cells hidden, and a word that training never saw."""
    rng = np.random.default_rng(seed)
    holed = frame.copy().mask(rng.random(frame.shape) < 0.25)
    words = [name for name in frame if frame[name].dtype.kind not in "if"]
    if words:
        holed[words[0]] = holed[words[0]].astype(object)
        holed.loc[2, words[0]] = "never seen"
    return holed


def asked(path, frame):
    session = ort.InferenceSession(str(path))
    feeds = {}
    for port in session.get_inputs():
        column = frame[port.name]
        if port.type == "tensor(string)":
            cells = ["" if cell is None or cell != cell or pd.isna(cell) else str(cell) for cell in column]
            feeds[port.name] = np.array(cells, dtype=object).reshape(-1, 1)
        else:
            feeds[port.name] = column.to_numpy(dtype=float, na_value=np.nan).reshape(-1, 1)
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds))), session


def of_list(kind):
    return {method["name"] for method in json.loads(_unmiss.methods_json())[kind]}


@pytest.mark.parametrize(("method", "folds"), [*((method, 2) for method in QUICK), ("linear", 0)])
def test_predictors_answer_as_their_graphs(method, folds, tmp_path):
    frame = horses()
    X, y = frame.drop(columns="surgical_lesion"), frame["surgical_lesion"]
    model = unmiss.Classifier(method, settings=QUICK[method], folds=folds).fit(X, y)
    model.export(tmp_path / "m.onnx")
    rows = holed(X)
    found, session = asked(tmp_path / "m.onnx", rows)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), atol=1e-5)
    assert (found["class"] == model.predict(rows).astype(str)).all()
    told = session.get_modelmeta().custom_metadata_map
    assert told["unmiss.method"] == method and told["unmiss.target"] == "surgical_lesion"
    # A column of one value is none of them.
    inputs = {port["name"] for port in json.loads(told["unmiss.signature"])["inputs"]}
    assert len(inputs) > 15 and inputs <= set(X.columns)


@pytest.mark.parametrize("method", QUICK)
def test_numbers_and_their_intervals_too(method, tmp_path):
    frame = unmiss.sample("penguins").dropna(subset="body_mass_g").reset_index(drop=True).head(100)
    X, y = frame.drop(columns="body_mass_g"), frame["body_mass_g"]
    model = unmiss.Regressor(method, settings=QUICK[method], folds=3).fit(X, y)
    model.export(tmp_path / "m.onnx", level=0.9)
    rows = holed(X, 1)
    found, _ = asked(tmp_path / "m.onnx", rows)
    ours = model.predict_interval(rows, 0.9)
    for place, name in enumerate(["prediction", "lower", "upper"]):
        np.testing.assert_allclose(found[name], ours[:, place], atol=1e-5 * y.std(), err_msg=name)


@pytest.mark.parametrize("method", FILLERS)
@pytest.mark.parametrize("data", ["penguins", "horse-colic"])
def test_imputers_fill_as_their_graphs(method, data, tmp_path):
    frame = unmiss.sample(data).head(100)
    model = unmiss.Imputer(method, settings=FILLERS[method]).fit(frame)
    model.export(tmp_path / "i.onnx")
    rows = holed(frame, 2)
    found, _ = asked(tmp_path / "i.onnx", rows)
    full = model.transform(rows)
    for name in frame:
        ours, theirs = full[name], found[f"filled_{name}"].ravel()
        if theirs.dtype.kind == "f":
            spread = max(float(frame[name].astype(float).std()), 1e-9)
            np.testing.assert_allclose(theirs, ours.astype(float), atol=1e-5 * spread, err_msg=name)
            known = rows[name].notna()
            assert (theirs[known] == rows[name][known].astype(float)).all(), "known cells come back bit for bit"
        else:
            assert (theirs.astype(str) == ours.astype(str).to_numpy()).all(), name


def test_every_method_of_the_list_is_exported_or_says_why():
    assert of_list("predictors") == set(QUICK)
    assert of_list("imputers") == set(FILLERS) | REFUSED | {"auto"}


@pytest.mark.parametrize("method", ["neighbours", "chained"])
def test_what_is_no_formula_says_so(method, tmp_path):
    model = unmiss.Imputer(method).fit(unmiss.sample("penguins").head(60))
    with pytest.raises(ValueError, match="can't be exported"):
        model.export(tmp_path / "i.onnx")
    assert not (tmp_path / "i.onnx").exists()


@pytest.mark.parametrize("missing", ["zero", "mean", "mask-channel", "partial-conv", "sn-conv"])
@pytest.mark.parametrize("down", ["stride", "max-pool"])
def test_images_with_holes(missing, down, tmp_path):
    images, labels = unmiss.sample("digits")
    images, labels = images[:80].astype(float), labels[:80]
    images = unmiss.hide_regions(images, "square:0.25", random_state=0).filled(np.nan)
    settings = {"missing": missing, "down": down, "epochs": 1, "filters": [[4], [6]], "hidden": [8]}
    model = unmiss.ImageClassifier("convolutional", settings=settings, test=0).fit(images, labels)
    model.export(tmp_path / "d.onnx")
    session = ort.InferenceSession(str(tmp_path / "d.onnx"))
    shape = [80, 1, *images.shape[-2:]]
    _, chances = session.run(None, {"images": images.reshape(shape).astype(np.float32)})
    np.testing.assert_allclose(chances, model.predict_proba(images), atol=1e-5)


def holed_digits(count=80):
    images, labels = unmiss.sample("digits")
    images = unmiss.hide_regions(images[:count].astype(float), "square:0.25", random_state=0).filled(np.nan)
    return images, labels[:count]


def asked_of_images(path, images):
    session = ort.InferenceSession(str(path))
    given = images.reshape([len(images), 1, *images.shape[-2:]]).astype(np.float32)
    return session.run(None, {"images": given})


def test_images_without_holes(tmp_path):
    images, _ = holed_digits()
    model = unmiss.ImageImputer("mean").fit(images)
    model.export(tmp_path / "f.onnx")
    (found,) = asked_of_images(tmp_path / "f.onnx", images)
    np.testing.assert_allclose(found[:, 0], model.transform(images), atol=1e-4)


def test_images_filled_and_then_told(tmp_path):
    images, labels = holed_digits()
    settings = {"imputer": "mean", "predictor": "mlp", "predictor-settings": {"epochs": 2}}
    model = unmiss.ImageClassifier("impute-then-predict", settings=settings, test=0).fit(images, labels)
    model.export(tmp_path / "d.onnx")
    _, chances = asked_of_images(tmp_path / "d.onnx", images)
    np.testing.assert_allclose(chances, model.predict_proba(images), atol=1e-5)


def test_pixels_through_a_plain_network(tmp_path):
    images, labels = holed_digits()
    model = unmiss.ImageClassifier("mlp", settings={"epochs": 2}, test=0).fit(images, labels)
    model.export(tmp_path / "d.onnx")
    _, chances = asked_of_images(tmp_path / "d.onnx", images)
    np.testing.assert_allclose(chances, model.predict_proba(images), atol=1e-5)


def series(count=60, steps=7, seed=0):
    """Series of different lengths with holes, as a long frame and as what a graph takes; one knows nothing."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, steps + 1, count)
    values = rng.normal(size=(count, steps, 3)).cumsum(axis=1)
    values[rng.random(values.shape) < 0.4] = np.nan
    values[3] = np.nan
    times = rng.uniform(0.1, 5, (count, steps)).cumsum(axis=1)
    behind = np.arange(steps) >= lengths[:, None]
    values[behind], times[behind] = np.nan, np.nan
    rows = [(one, times[one, step], *values[one, step]) for one in range(count) for step in range(lengths[one])]
    frame = pd.DataFrame(rows, columns=["id", "t", "a", "b", "c"])
    y = np.nansum(values, axis=(1, 2)) > 0
    return frame, times, values, y


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("statistics", {"with": {"rounds": 5}}),
        ("statistics", {"predictor": "linear"}),
        *(
            ("recurrent", {"missing": missing, "cell": cell, "units": 5, "epochs": 2})
            for cell in ("gru", "lstm")
            for missing in ("mask", "decay")
        ),
        *(
            ("recurrent", {"missing": missing, "units": 5, "epochs": 2})
            for missing in ("zero", "mean", "forward-fill", "sn-step", "sn-series")
        ),
    ],
)
def test_series(method, settings, tmp_path):
    frame, times, values, y = series()
    model = unmiss.SeriesClassifier(method, settings=settings, id="id", time="t", test=0).fit(frame, y)
    model.export(tmp_path / "s.onnx")
    session = ort.InferenceSession(str(tmp_path / "s.onnx"))
    _, chances = session.run(None, {"times": times, "values": values})
    np.testing.assert_allclose(chances, model.predict_proba(frame), atol=1e-5)


def test_series_of_numbers_with_intervals_or_a_word_why_not(tmp_path):
    frame, times, values, y = series(seed=1)
    model = unmiss.SeriesRegressor("statistics", id="id", time="t", test=0).fit(frame, y * 2.5)
    model.export(tmp_path / "s.onnx")
    (found,) = ort.InferenceSession(str(tmp_path / "s.onnx")).run(None, {"times": times, "values": values})
    np.testing.assert_allclose(found, model.predict(frame), atol=1e-5)
    with pytest.raises(ValueError, match="no intervals"):
        model.export(tmp_path / "s.onnx", level=0.9)
