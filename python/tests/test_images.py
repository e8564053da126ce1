"""Images in Python: arrays with NaN or a mask, the conventions of scikit-learn, files that go both ways."""

import pickle

import numpy as np
import pytest
import unmiss
from common import program, read, with_program
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

QUICK = {"epochs": 2, "filters": [[4]], "hidden": [8]}


@pytest.fixture(scope="module")
def digits():
    images, classes = unmiss.sample("digits")
    return images[:400], classes[:400]


@pytest.fixture(scope="module")
def holed(digits):
    return unmiss.hide_regions(digits[0], "square:0.25", random_state=2)


def test_the_sample_and_its_holes(digits, holed):
    images, classes = digits
    assert images.dtype == np.uint8 and images.shape == (400, 8, 8) and set(classes) == set(range(10))
    assert abs(holed.mask.mean() - 0.25) < 1e-9 and (holed.data == images).all()
    colour = np.stack([images, images, images], axis=1)
    assert unmiss.hide_regions(colour, "noise:0.5").mask.all(axis=1).mean() == 0.5
    found = unmiss.describe(holed, classes)
    assert abs(found.missing - 0.25) < 1e-9 and found.missing_by_pixel.shape == (8, 8)
    assert len(found.missing_by_class) == 10 and "25.0 %" in str(found)


def test_masks_and_nan_say_the_same(digits, holed):
    images, classes = digits
    numbers = np.where(holed.mask, np.nan, images.astype(np.float64))
    model = unmiss.ImageClassifier("neighbours", test=0).fit(holed, classes)
    other = unmiss.ImageClassifier("neighbours", test=0).fit(numbers, classes)
    np.testing.assert_allclose(model.predict_proba(numbers), model.predict_proba(holed))
    np.testing.assert_allclose(other.predict_proba(holed), other.predict_proba(numbers))
    # The same pixels with an axis for the only channel.
    np.testing.assert_array_equal(model.predict(holed[:, None]), model.predict(holed))


def test_classes_keep_their_order_and_type(digits, holed):
    names = np.array(["z", "y", "x", "w", "v", "u", "t", "s", "r", "q"])[digits[1]]
    model = unmiss.ImageClassifier(["neighbours", "convolutional"], settings={"convolutional": QUICK}, test=0.2)
    model.fit(holed, names)
    assert list(model.classes_) == sorted(set(names)) and model.score(holed, names) > 0.7
    assert [entry["method"] for entry in model.scores_][0] == model.method_ and len(model.scores_) == 2
    np.testing.assert_allclose(model.predict_proba(holed).sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(holed), model.predict_proba(holed))


def test_conventions_of_scikit_learn(digits, holed):
    model = unmiss.ImageClassifier("neighbours", test=0)
    assert clone(model).get_params() == model.get_params()
    numbers = np.where(holed.mask, np.nan, digits[0].astype(np.float32))
    assert cross_val_score(model, numbers, digits[1], cv=2).mean() > 0.6
    ink = digits[0].mean(axis=(1, 2))
    assert unmiss.ImageRegressor("neighbours", test=0).fit(numbers, ink).score(numbers, ink) > 0.0


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int16"])
def test_known_pixels_stay(digits, holed, dtype):
    images = np.ma.MaskedArray(digits[0].astype(dtype), mask=holed.mask)
    imputer = unmiss.ImageImputer("neighbours").fit(images)
    full = imputer.transform(images)
    assert full.dtype == dtype and not np.ma.isMaskedArray(full)
    np.testing.assert_array_equal(full[~holed.mask], digits[0][~holed.mask])
    error = np.sqrt(np.mean((full.astype(float) - digits[0])[holed.mask] ** 2))
    assert error < 80
    first, second = imputer.draw(images, m=2)
    assert (first != second).any() and (first[~holed.mask] == digits[0][~holed.mask]).all()


def test_auto_takes_what_errs_least(holed):
    assert unmiss.ImageImputer().fit(holed).method_ != "mean"


def test_methods_are_compared(digits, holed):
    told = unmiss.compare(holed, digits[1], methods=["neighbours"], folds=3).to_dict()
    assert told["standings"][0]["figures"]["accuracy"] > 0.6 and told["shape"] == "images"
    found = unmiss.compare(holed, methods=["mean", "neighbours"])
    assert found.best == "neighbours" and found.to_dict()["question"] == {"compares": "pixels", "how": "others"}


def test_an_audit_and_a_page(digits, holed, tmp_path):
    model = unmiss.ImageClassifier("neighbours", test=0.2).fit(holed, digits[1])
    found = unmiss.audit(model, holed, digits[1], rows=5, levels=4, masks=3)
    assert len(found.curve.share) == 4
    model.page(tmp_path / "page.html")
    assert "Which class is taken for which" in (tmp_path / "page.html").read_text()


@with_program
def test_files_go_both_ways(digits, holed, tmp_path):
    np.savez(tmp_path / "holed.npz", values=digits[0], observed=~holed.mask, labels=digits[1])
    program("fit", tmp_path / "holed.npz", "--method", "neighbours", "-o", tmp_path / "m.unmiss")
    program("predict", tmp_path / "m.unmiss", tmp_path / "holed.npz", "-o", tmp_path / "out.csv")
    model = unmiss.load(tmp_path / "m.unmiss")
    assert isinstance(model, unmiss.ImageClassifier) and list(model.classes_) == list(range(10))
    theirs = read(tmp_path / "out.csv").filter(like="probability_").to_numpy()
    np.testing.assert_allclose(model.predict_proba(holed), theirs, rtol=0, atol=5.1e-7)
    unmiss.ImageImputer("neighbours").fit(holed).save(tmp_path / "f.unmiss")
    program("impute", tmp_path / "holed.npz", "--with", tmp_path / "f.unmiss", "-o", tmp_path / "full.npz")
    ours = unmiss.load(tmp_path / "f.unmiss").transform(holed)
    np.testing.assert_array_equal(np.load(tmp_path / "full.npz")["values"], ours)


@pytest.mark.parametrize(
    "X, message",
    [
        (np.zeros((4, 8)), "images are an array of numbers of shape"),
        (np.full((4, 8, 8), "a"), "images are an array of numbers"),
        (np.zeros((4, 32, 32, 3), dtype=np.uint8), "has its channels last; put them second"),
        (np.zeros((4, 8, 9), dtype=np.uint8), "learned images of channels, height and width"),
    ],
)
def test_what_is_no_image_is_refused(digits, X, message):
    model = unmiss.ImageClassifier("neighbours", test=0).fit(*digits)
    with pytest.raises(ValueError, match=message):
        model.predict(X)


def test_settings_are_checked(digits):
    with pytest.raises(ValueError, match="neither None nor 'balanced'"):
        unmiss.ImageClassifier(class_weight={0: 1}).fit(*digits)
    with pytest.raises(ValueError, match="settings belong to a method"):
        unmiss.ImageImputer(settings={"k": 3}).fit(digits[0])
    with pytest.raises(ValueError, match="a choice between methods"):
        unmiss.ImageClassifier(test=0).fit(*digits)
    with pytest.raises(ValueError, match="at least two classes"):
        unmiss.ImageClassifier().fit(digits[0], np.zeros(400, dtype=int))
