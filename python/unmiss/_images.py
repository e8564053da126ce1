"""Arrays of images with holes: what is known of them, and what the estimators for images share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _frame, _unmiss
from ._base import Saved, as_seed, as_threads
from ._listen import Listener

#: The name under which the classes of images are known.
LABEL = "label"


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
    if values.ndim == 4 and values.shape[1] > 4 and values.shape[3] in (1, 3, 4):
        raise ValueError(
            f"an array of the shape {values.shape} has its channels last; put them second: `numpy.moveaxis(X, 3, 1)`"
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
    return _unmiss.images_of(np.ascontiguousarray(values).reshape(-1), size_of(values), flat, labels)


def label_column(y: Any) -> tuple:
    """Classes or numbers of images as a column."""
    y = np.asarray(y)
    if y.dtype.kind == "f":
        return (LABEL, "real", y.astype(np.float64), None)
    classes, codes = np.unique(y, return_inverse=True)
    return (LABEL, "category", codes.astype(np.int64), [_frame.word(value) for value in classes.tolist()])


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
