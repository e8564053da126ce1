"""Images without holes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin

from . import _unmiss
from ._base import as_json, as_seed
from ._images import ImageEstimator, native, taken


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
        self.model_ = _unmiss.InstanceFiller.fit(
            instances=native(X),
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
