"""Images with holes: arrays of pixels in, classes or filled images out."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from . import _frame, _unmiss
from ._base import Saved, as_json, as_seed, as_threads, recipes_of
from ._listen import Listener

_LABEL = "label"


def is_images(X: Any) -> bool:
    """Whether something has the axes of images."""
    return getattr(X, "ndim", None) in (3, 4)


def taken(X: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Images as an array of bytes or float32, and which numbers are known; None: all."""
    masked = isinstance(X, np.ma.MaskedArray)
    values = np.asarray(X.data if masked else X)
    if values.ndim not in (3, 4) or values.dtype.kind not in "buif":
        raise ValueError(
            "images are an array of numbers of shape (images, height, width) or (images, channels, height, width), not "
            f"of {values.dtype} and shape {values.shape}"
        )
    if values.dtype != np.uint8:
        values = values.astype(np.float32)
    known = ~np.ma.getmaskarray(X) if masked else np.ones(values.shape, dtype=bool)
    if values.dtype != np.uint8:
        known &= ~np.isnan(values)
    return values, None if known.all() else known


def size_of(values: np.ndarray) -> tuple[int, int, int]:
    """Channels, height and width of each image."""
    return (1, *values.shape[1:]) if values.ndim == 3 else tuple(values.shape[1:])


def native(X: Any, labels: tuple | None = None) -> Any:
    """Images of the library."""
    values, known = taken(X)
    flat = None if known is None else np.ascontiguousarray(known).reshape(-1)
    return _unmiss.Images(np.ascontiguousarray(values).reshape(-1), size_of(values), flat, labels)


def label_column(y: Any) -> tuple:
    """Classes or numbers of images as a column."""
    y = np.asarray(y)
    if y.dtype.kind == "f":
        return (_LABEL, "real", y.astype(np.float64), None)
    classes, codes = np.unique(y, return_inverse=True)
    return (_LABEL, "category", codes.astype(np.int64), [_frame.word(value) for value in classes.tolist()])


def hide_regions(X: Any, how: str = "square:0.25", *, random_state: Any = 0) -> np.ma.MaskedArray:
    """Hide a region of each image, in all channels.

    Parameters
    ----------
    X : array of shape (n_images, height, width) or (n_images, channels, height, width)
        The images; NaN and what is masked are holes already.
    how : str, default="square:0.25"
        What is hidden and which share of the pixels: ``square``, ``trapezoid``, ``noise``, ``pixels``, ``lines`` or
        ``strokes``.
    random_state : int, RandomState or None, default=0
        The same seed hides the same pixels.

    Returns
    -------
    X_holes : numpy.ma.MaskedArray of the shape of X
        The images with holes masked. All estimators for images take it; ``X_holes.filled(0)`` is a plain array.

    Examples
    --------
    >>> import unmiss
    >>> digits, classes = unmiss.sample("digits")
    >>> bool(abs(unmiss.hide_regions(digits, "square:0.25").mask.mean() - 0.25) < 0.01)
    True
    """
    values, known = taken(X)
    hidden = _unmiss.hide_images(len(values), values.shape[-2:], how, as_seed(random_state))
    hidden = hidden.reshape(len(values), *values.shape[-2:])
    if values.ndim == 4:
        hidden = np.broadcast_to(hidden[:, None], values.shape)
    mask = hidden.copy() if known is None else hidden | ~known
    return np.ma.MaskedArray(np.array(X.data if isinstance(X, np.ma.MaskedArray) else X), mask=mask)


class ImageEstimator(Saved, BaseEstimator):
    """Images of one size, learned from and asked about."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _manner(self, seed: int | None = None) -> tuple:
        return (seed or 0, as_threads(self.n_jobs), Listener(self.verbose))

    def _known_size(self, X: Any) -> Any:
        """Images of the size that was learned."""
        check_is_fitted(self)
        values, _ = taken(X)
        if size_of(values) != self.image_shape_:
            raise ValueError(
                f"{type(self).__name__} learned images of channels, height and width {self.image_shape_}, and these "
                f"are {size_of(values)}"
            )
        return native(X)


class ImagePredictorBase(ImageEstimator):
    """Predicts something for each image."""

    _task = ""

    def _learn(self, X: Any, labels: tuple, balanced: bool) -> None:
        chosen = isinstance(self.method, str) and self.method == "auto"
        recipes = [] if chosen else recipes_of(self.method, self.settings, ())
        if not recipes and self.settings:
            raise ValueError("settings belong to a method, and none is named\nhint: name it with method=...")
        if not 0.0 <= self.test <= 0.5 or (self.test == 0 and len(recipes) != 1):
            raise ValueError(f"test={self.test}: a choice between methods holds out a share of the images, up to 0.5")
        self.__dict__.pop("loaded_from_", None)
        self.model_ = _unmiss.ImagePredictor.fit(
            images=native(X, labels),
            recipes=[(method, as_json(settings)) for method, settings in recipes],
            share=float(self.test),
            task=self._task,
            balanced=balanced,
            manner=self._manner(as_seed(self.random_state)),
        )
        self.method_ = self.model_.method
        self.scores_ = json.loads(self.model_.scores)
        self.image_shape_ = tuple(self.model_.size)

    def _checked(self, X: Any, y: Any) -> np.ndarray:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        values, _ = taken(X)
        y = _check_y(y, multi_output=False, y_numeric=self._task == "regression", estimator=self)
        check_consistent_length(values, y)
        return y

    def _asked(self, X: Any) -> np.ndarray:
        images = self._known_size(X)
        return self.model_.predict(images, self._manner())

    def page(self, path: str | os.PathLike) -> None:
        """Write how the methods did on images that were held out as an HTML page with charts.

        Parameters
        ----------
        path : str or path
            The file.
        """
        check_is_fitted(self)
        found = self.model_.page()
        if found is None:
            raise ValueError("nothing was held out to show\nhint: fit with test=0.1")
        found.write("Classes of images" if self._task == "classification" else "A number for images", os.fspath(path))


class ImageClassifier(ClassifierMixin, ImagePredictorBase):
    """Tell the classes of images, holes and all.

    A share of the images of each class is held out, methods are measured on it, and the one with the lowest log-loss
    learns from all images: what the program ``unmiss fit`` does with images.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A method's name (``convolutional``, ``neighbours``, ...; ``unmiss methods`` lists all for images), several names
        to choose from, or ``auto`` for the short list.
    settings : dict, default=None
        Settings of the method, by name, such as ``{"missing": "misconv"}``; with several methods, settings by method.
    test : float, default=0.1
        Share of the images held out to choose a method by; 0 for a single method that is not measured.
    class_weight : {None, "balanced"}, default=None
        How classes of unequal size weigh in learning.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of ``predict_proba``.
    method_ : str
        The method that was fitted.
    scores_ : list of dict
        How the methods did on the images that were held out, best first.
    image_shape_ : tuple of int
        Channels, height and width of each image.

    Examples
    --------
    >>> import unmiss
    >>> digits, classes = unmiss.sample("digits")
    >>> holed = unmiss.hide_regions(digits[:600], "square:0.25")
    >>> model = unmiss.ImageClassifier("neighbours").fit(holed, classes[:600])
    >>> bool(model.score(unmiss.hide_regions(digits[600:700], random_state=1), classes[600:700]) > 0.7)
    True
    """

    _task = "classification"

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        test: float = 0.1,
        class_weight: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.test = test
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any):
        """Learn from images with holes.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images: bytes or numbers. NaN is a hole, and so is what is masked in a ``numpy.ma.MaskedArray``.
        y : array of shape (n_images,)
            Their classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        if self.class_weight not in (None, "balanced"):
            raise ValueError(f"class_weight={self.class_weight!r} is neither None nor 'balanced'")
        y = self._checked(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs images of at least two classes, but there is one class: "
                f"{self.classes_[0]!r}"
            )
        words = [_frame.word(value) for value in self.classes_.tolist()]
        labels = (_LABEL, "category", codes.astype(np.int64), words)
        self._learn(X, labels, self.class_weight == "balanced")
        order = [self.model_.levels.index(level) for level in words]
        self._order = None if order == sorted(order) else np.array(order)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Chances of the classes.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images.

        Returns
        -------
        chances : array of shape (n_images, n_classes)
            In the order of ``classes_``.
        """
        chances = self._asked(X)
        return chances if self._order is None else chances[:, self._order]

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each image.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images.

        Returns
        -------
        classes : array of shape (n_images,)
            Values of ``classes_``.
        """
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class ImageRegressor(RegressorMixin, ImagePredictorBase):
    """Predict a number that goes with each image, holes and all.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A method's name, several names to choose from, or ``auto`` for the short list.
    settings : dict, default=None
        Settings of the method, by name; with several methods, settings by method.
    test : float, default=0.1
        Share of the images held out to choose a method by; 0 for a single method that is not measured.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    method_ : str
        The method that was fitted.
    scores_ : list of dict
        How the methods did on the images that were held out, best first.
    image_shape_ : tuple of int
        Channels, height and width of each image.

    Examples
    --------
    >>> import unmiss
    >>> digits, classes = unmiss.sample("digits")
    >>> ink = digits[:400].mean(axis=(1, 2))
    >>> model = unmiss.ImageRegressor("neighbours").fit(unmiss.hide_regions(digits[:400]), ink)
    >>> model.predict(digits[:3]).shape
    (3,)
    """

    _task = "regression"

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        test: float = 0.1,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.test = test
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any):
        """Learn from images with holes.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images: bytes or numbers. NaN is a hole, and so is what is masked in a ``numpy.ma.MaskedArray``.
        y : array of shape (n_images,)
            The number that goes with each.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        y = self._checked(X, y)
        self._learn(X, (_LABEL, "real", np.asarray(y, dtype=np.float64), None), False)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The expected number for each image.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images.

        Returns
        -------
        numbers : array of shape (n_images,)
            The predictions.
        """
        return self._asked(X)[:, 0]


class ImageImputer(TransformerMixin, ImageEstimator):
    """Fill the holes of images; what is known stays as it is.

    Parameters
    ----------
    method : str, default="auto"
        A method's name (``neighbours``, ``dmfa``, ``mean``, ...; ``unmiss methods`` lists all for images); ``auto``
        takes the one that errs least on known pixels that are hidden.
    settings : dict, default=None
        Settings of the method, by name.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    method_ : str
        The method that was fitted.
    image_shape_ : tuple of int
        Channels, height and width of each image.

    Examples
    --------
    >>> import numpy as np
    >>> import unmiss
    >>> digits, _ = unmiss.sample("digits")
    >>> holed = unmiss.hide_regions(digits[:300], "square:0.25")
    >>> full = unmiss.ImageImputer("neighbours").fit_transform(holed)
    >>> full.dtype, bool(np.ma.is_masked(full)), bool((full == digits[:300])[~holed.mask].all())
    (dtype('uint8'), False, True)
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        settings: dict | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Learn from images with holes.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images: bytes or numbers. NaN is a hole, and so is what is masked in a ``numpy.ma.MaskedArray``.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
            The fitted imputer.
        """
        if self.method == "auto" and self.settings:
            raise ValueError("settings belong to a method, and none is named\nhint: name it with method=...")
        self.__dict__.pop("loaded_from_", None)
        self._seed = as_seed(self.random_state)
        self.model_ = _unmiss.ImageFiller.fit(
            images=native(X),
            method=None if self.method == "auto" else self.method,
            settings=as_json(dict(self.settings or {})),
            manner=self._manner(self._seed),
        )
        self.method_ = self.model_.method
        self.image_shape_ = tuple(self.model_.size)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Fill the holes of images with best guesses. Nothing is learned from them.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images.

        Returns
        -------
        X_filled : array of the shape and type of X
            The same without holes.
        """
        return self._filled(X, self._known_size(X), None)

    def draw(self, X: Any, m: int = 5) -> list:
        """Fill the holes in several plausible ways.

        Draws of these methods differ by noise alone, which is too sure for Rubin's rules.

        Parameters
        ----------
        X : array of shape (n_images, height, width) or (n_images, channels, height, width)
            The images.
        m : int, default=5
            How many ways.

        Returns
        -------
        draws : list of array
            ``m`` sets of images without holes.
        """
        if m < 1:
            raise ValueError(f"m={m}: at least one draw is needed")
        images = self._known_size(X)
        return [self._filled(X, images, number) for number in range(1, m + 1)]

    def _filled(self, X: Any, images: Any, draw: int | None) -> np.ndarray:
        _, known = taken(X)
        full = np.array(X.data if isinstance(X, np.ma.MaskedArray) else X)
        if known is not None:
            filled = self.model_.fill(images, draw, self._manner(self._seed)).reshape(full.shape)
            # Where the array has whole numbers, so have its fillings.
            whole = full.dtype.kind in "bui"
            full[~known] = np.rint(filled[~known]) if whole else filled[~known]
        return full
