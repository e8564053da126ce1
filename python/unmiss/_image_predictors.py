"""The classes of images with holes, or a number that goes with each."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length

from . import _frame, _unmiss
from ._images import LABEL, ImageEstimator, native, taken
from ._instances import InstancePredictorBase


class ImagePredictorBase(InstancePredictorBase, ImageEstimator):
    """Predicts something for each image."""

    _instances = "images"

    def _learn(self, X: Any, labels: tuple, balanced: bool) -> None:
        super()._learn(native(X, labels), balanced)
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
        labels = (LABEL, "category", codes.astype(np.int64), words)
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
        self._learn(X, (LABEL, "real", np.asarray(y, dtype=np.float64), None), False)
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
