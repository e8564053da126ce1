"""The estimators, made from the library's list of methods by python/generate_estimators.py: do not edit."""

from __future__ import annotations

from typing import Any

from ._base import recipes_of
from ._imputers import ImputerBase
from ._predictors import ClassifierBase, RegressorBase
from ._recommenders import RecommenderBase


class Imputer(ImputerBase):
    """Fill holes with any imputer of the list.

    ``auto`` hides known cells, lets several imputers fill them, and takes for each column the one that came
    nearest to the truth. Known cells, names, index and types stay as they are; words and categories need no
    encoding.

    Parameters
    ----------
    method : str, default="auto"
        The imputer's name: ``auto`` (The best imputer for each column, found by hiding known cells);
        ``forest`` (The mean of many deep trees, missing values as they are); ``gaussian`` (Joint normal
        distribution, learned through the holes); ``low-rank`` (A few hidden causes behind many columns);
        ``chained`` (Chained equations: each column from all the others); ``boosted`` (Chained equations with
        gradient-boosted trees); ``autoencoder`` (Denoising autoencoder with Sparsity Normalization);
        ``autoimpute`` (AutoImpute: a wide layer over mostly holes); ``dvae`` (Denoising variational
        autoencoder (also MIWAE and not-MIWAE)); ``neighbours`` (Mean or vote of the most alike rows);
        ``self-masking`` (Joint normal distribution whose values hide themselves); ``mean`` (Mean or median of
        the column, most frequent category); ``made`` (Masked autoencoder for densities).
    settings : dict, default=None
        Settings of the imputer, by name.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import Imputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = Imputer("gaussian").fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    def _recipe(self) -> tuple[str, dict[str, Any]]:
        return self.method, dict(self.settings or {})

    def __init__(
        self,
        method: str = "auto",
        *,
        settings: dict | None = None,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AutoImputer(ImputerBase):
    """The best imputer for each column, found by hiding known cells.

    Known cells are hidden, several imputers fill them, and each column takes the one, or the blend, that came
    nearest to the truth: never worse than the mean on these cells.

    Use it: Always, unless you know better: it is the default.

    Don't use it: When seconds count, or when an analysis must name one method.

    Paper: Breiman 1996 (weights of a blend); Akaike 1974 (who gets one).

    Parameters
    ----------
    methods : tuple, default=("mean", "forest", "gaussian", "low-rank", "chained", "neighbours", "boosted")
        The imputers to choose from, as ["mean", "gaussian"].
    hide : float, default=0.15
        Share of the known cells that are hidden to compare them.
    rows : int, default=5000
        Rows on which they are compared, at most.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import AutoImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = AutoImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "auto"
    _settings = (
        "methods",
        "hide",
        "rows",
    )

    def __init__(
        self,
        *,
        methods: tuple = ("mean", "forest", "gaussian", "low-rank", "chained", "neighbours", "boosted"),
        hide: float = 0.15,
        rows: int = 5000,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.methods = methods
        self.hide = hide
        self.rows = rows
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ForestImputer(ImputerBase):
    """The mean of many deep trees, missing values as they are.

    Each tree sees other rows and, at every split, a few columns drawn at random; half of the trees cut
    numbers at random places too. Single trees are rough and differ, their mean is steady. Rows whose cell is
    missing go to the side that fits them better, or are a side of their own.

    Use it: A quick and robust second opinion on any table, from a hundred rows on; noisy targets. It fills
    holes too, column after column from the others.

    Don't use it: Straight effects, or values beyond those of the training rows: its answers stay within them.

    Paper: Breiman 2001 (random forests); Geurts, Ernst and Wehenkel 2006 (extremely randomised trees); Twala,
    Jones and Hand 2008 (missing values in splits).

    Parameters
    ----------
    trees : default=None
        How many; None: 250 (300 in all folds of a cross-validation).
    min_leaf : default=None
        Rows of a leaf at least; None: 1 to 3, and a 2000th of the rows in larger tables.
    columns : default=None
        Share of the columns that a split chooses from; None: 0.33, and 0.5 for a number from up to 20
        columns.
    cuts : str, default="both"
        Best (random forest), random (extra trees) or both, half of the trees each way.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ForestImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = ForestImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "forest"
    _settings = (
        "trees",
        "min_leaf",
        "columns",
        "cuts",
    )

    def __init__(
        self,
        *,
        trees: Any = None,
        min_leaf: Any = None,
        columns: Any = None,
        cuts: Any = "both",
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.trees = trees
        self.min_leaf = min_leaf
        self.columns = columns
        self.cuts = cuts
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GaussianImputer(ImputerBase):
    """Joint normal distribution, learned through the holes.

    Mean and covariance of all columns are learned by expectation-maximisation; a missing cell becomes its
    mean given the known cells of the row, or a draw from that distribution. Categories take part as one
    indicator per level.

    Use it: First of all: on most tables the best of the simple imputers, and fast.

    Don't use it: Where relations bend or columns interact.

    Paper: Dempster, Laird and Rubin 1977; Tanner and Wong 1987; Schafer 1997.

    Parameters
    ----------
    ridge : float, default=0.001
        Added to the diagonal of the covariance in every round; more for few rows with many columns.
    rounds : int, default=200
        Rounds of expectation-maximisation, at most.
    tolerance : float, default=0.001
        It ends when all further rounds together would move no entry of mean and covariance further than this.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import GaussianImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = GaussianImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "gaussian"
    _settings = (
        "ridge",
        "rounds",
        "tolerance",
    )

    def __init__(
        self,
        *,
        ridge: float = 0.001,
        rounds: int = 200,
        tolerance: float = 0.001,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.ridge = ridge
        self.rounds = rounds
        self.tolerance = tolerance
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LowRankImputer(ImputerBase):
    """A few hidden causes behind many columns.

    Every column is a sum of the same few causes and of noise of its own. The causes are learned through the
    holes by expectation-maximisation, their number by hiding known cells; a row's causes follow from its
    known cells, and its missing cells from its causes.

    Use it: Hundreds or thousands of columns, or more columns than rows.

    Don't use it: A few dozen columns and many rows: `gaussian` knows every pair of them.

    Paper: Tipping and Bishop 1999; Ilin and Raiko 2010; Rubin and Thayer 1982.

    Parameters
    ----------
    factors : int, default=0
        How many causes; 0: chosen by hiding known cells.
    ridge : float, default=1.0
        Holds loadings back, in units of rows; more for few rows.
    rounds : int, default=100
        Rounds of expectation-maximisation, at most.
    tolerance : float, default=0.0001
        A round that moves the mean noise less than this is the last.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import LowRankImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = LowRankImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "low-rank"
    _settings = (
        "factors",
        "ridge",
        "rounds",
        "tolerance",
    )

    def __init__(
        self,
        *,
        factors: int = 0,
        ridge: float = 1.0,
        rounds: int = 100,
        tolerance: float = 0.0001,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.factors = factors
        self.ridge = ridge
        self.rounds = rounds
        self.tolerance = tolerance
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ChainedImputer(ImputerBase):
    """Chained equations: each column from all the others.

    Round by round, each column with holes is regressed on all others, over the rows that know it, and its
    holes are filled with what the regression says: ridge regression for numbers, logistic regression for
    categories, within the column's limits. Every draw has a chain of its own, in which the parameters of all
    equations are drawn too; numbers match known values of rows with a like prediction.

    Use it: Columns of different kinds; multiple imputation as users of chained equations know it.

    Don't use it: Where relations bend (`boosted`), or where `gaussian` says the same in less time.

    Paper: Van Buuren and Groothuis-Oudshoorn 2011; MacKay 1992; Little 1988.

    Parameters
    ----------
    rounds : int, default=20
        Rounds, at most.
    tolerance : float, default=0.01
        A round that changes no column's holes by more than this (root mean square, in standard deviations) is
        the last.
    predictors : int, default=100
        Columns in an equation, at most: those that go with it most.
    draws : str, default="matched"
        How numbers are drawn: matched (a known value of a row with a like prediction, or the line and a row's
        residual where none is near), known (always a known value, however far) or normal.
    draw_rounds : int, default=15
        Rounds of each draw's chain; see that the chains agree.
    equations : tuple, default=()
        Which columns predict single ones, as ["bmi ~ height + weight", "age ~ . - id"]; all others by all.
    order : tuple, default=()
        Columns to visit first, as ["age", "bmi"]; the others follow, fewest holes first.
    weights : str, default=""
        A column that tells what each row counts, as in a survey; empty: all the same.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ChainedImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = ChainedImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "chained"
    _settings = (
        "rounds",
        "tolerance",
        "predictors",
        "draws",
        "draw_rounds",
        "equations",
        "order",
        "weights",
    )

    def __init__(
        self,
        *,
        rounds: int = 20,
        tolerance: float = 0.01,
        predictors: int = 100,
        draws: Any = "matched",
        draw_rounds: int = 15,
        equations: tuple = (),
        order: tuple = (),
        weights: Any = "",
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rounds = rounds
        self.tolerance = tolerance
        self.predictors = predictors
        self.draws = draws
        self.draw_rounds = draw_rounds
        self.equations = equations
        self.order = order
        self.weights = weights
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BoostedImputer(ImputerBase):
    """Chained equations with gradient-boosted trees.

    A hole starts at its mean given the known cells of the row. Round by round, boosted trees learn for each
    column what that guess misses, from the other, filled, columns.

    Use it: Relations bend or columns interact, and there are a few hundred rows or more.

    Don't use it: Hundreds of columns with holes, or tables so small that trees learn noise.

    Paper: Van Buuren and Groothuis-Oudshoorn 2011; Friedman 2001; Stekhoven and Buehlmann 2012.

    Parameters
    ----------
    rounds : int, default=2
        How often each column is learned, from better filled others each time.
    rows : int, default=20000
        Rows that trees are learned from, at most.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import BoostedImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = BoostedImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "boosted"
    _settings = (
        "rounds",
        "rows",
    )

    def __init__(
        self,
        *,
        rounds: int = 2,
        rows: int = 20000,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rounds = rounds
        self.rows = rows
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AutoencoderImputer(ImputerBase):
    """Denoising autoencoder with Sparsity Normalization.

    A network learns to say the known cells of a row from a random part of them, and then says the missing
    ones. Its input is divided by the number of known cells, so that the answer does not drift with how much
    is known.

    Use it: Many rows, and many columns that hang together in ways no line describes.

    Don't use it: A few hundred rows: `gaussian` and `boosted` need fewer.

    Paper: Vincent et al. 2008; Yi et al. 2020; Talwar et al. 2018.

    Parameters
    ----------
    hidden : tuple, default=(128, 64, 128)
        Units of the hidden layers, such as [128, 64, 128].
    epochs : int, default=400
        Passes over the rows, at most; fewer for large tables.
    batch : int, default=64
        Rows in a batch.
    rate : float, default=0.002
        Learning rate at the start.
    patience : int, default=40
        Epochs without a better error after which training ends.
    masks : str, default="uniform"
        What is hidden in training: uniform, copied (from other rows), by-column (as often as a column is
        missing) or both.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import AutoencoderImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = AutoencoderImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "autoencoder"
    _settings = (
        "hidden",
        "epochs",
        "batch",
        "rate",
        "patience",
        "masks",
    )

    def __init__(
        self,
        *,
        hidden: tuple = (128, 64, 128),
        epochs: int = 400,
        batch: int = 64,
        rate: float = 0.002,
        patience: int = 40,
        masks: Any = "uniform",
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.patience = patience
        self.masks = masks
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AutoimputeImputer(ImputerBase):
    """AutoImpute: a wide layer over mostly holes.

    A row goes in with 0 for every hole, through one layer of sigmoids, and all its cells come out; known
    cells are learned from, holes get what is said there. With normalize the input is divided by how much of
    the row is known, so that the answer does not drift with it.

    Use it: Counts of genes in single cells (`unmiss counts`), to run the published method with or without
    Sparsity Normalization.

    Don't use it: Where `low-rank`, which is made for many columns and few rows, does as well: try both.

    Paper: Talwar, Mongia, Sengupta and Majumdar 2018; Yi et al. 2020.

    Parameters
    ----------
    normalize : bool, default=True
        Whether inputs are divided by how much of the row is known.
    hidden : int, default=200
        Hidden units; 2000 as published.
    units : str, default="table"
        Table: columns as they stand, for columns of one unit; column: each from 0 to 1.
    decay : float, default=1.0
        What squares of weights cost beside all rows.
    rate : float, default=0.001
        Learning rate of RMSProp; 0.0001 as published.
    batch : int, default=64
        Rows in a batch; 0: all, as published.
    epochs : int, default=200
        Passes over the rows, at most.
    patience : int, default=10
        Epochs without a smaller error of cells set aside after which training ends; 0: none is set aside.
    threshold : float, default=0.0
        Training ends once the loss of a row changes by no more than this; 0: never; 0.0001 as published.
    start : default=None
        Deviation of the first weights and biases, 1 as published; None: by the number of inputs.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import AutoimputeImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = AutoimputeImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "autoimpute"
    _settings = (
        "normalize",
        "hidden",
        "units",
        "decay",
        "rate",
        "batch",
        "epochs",
        "patience",
        "threshold",
        "start",
    )

    def __init__(
        self,
        *,
        normalize: bool = True,
        hidden: int = 200,
        units: Any = "table",
        decay: float = 1.0,
        rate: float = 0.001,
        batch: int = 64,
        epochs: int = 200,
        patience: int = 10,
        threshold: float = 0.0,
        start: Any = None,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.normalize = normalize
        self.hidden = hidden
        self.units = units
        self.decay = decay
        self.rate = rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.threshold = threshold
        self.start = start
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DvaeImputer(ImputerBase):
    """Denoising variational autoencoder (also MIWAE and not-MIWAE).

    An encoder says of a row, from the cells that are known, where in a space of few numbers it may lie; a
    decoder says of a place there how every cell is distributed. Holes are filled with what the decoder
    expects, draws take a place and then cells by chance. It learns by finding what is known likely, with a
    part of it hidden from the encoder.

    Use it: Thousands of rows whose columns hang together in bent ways, or images; mixed columns; draws that
    fit together.

    Don't use it: A few hundred rows: `gaussian` and `boosted` need fewer.

    Paper: Kingma and Welling 2014; Mattei and Frellsen 2019 (importance above 1); Ipsen, Mattei and Frellsen
    2021 (missing-depends=itself).

    Parameters
    ----------
    latent : default=None
        Numbers of a latent; None: one less than columns, 10 at most; 32 for images.
    hidden : default=None
        Units of the encoder's dense layers; None: [128, 128]; [500, 500] for images.
    filters : tuple, default=()
        Filters of convolutions that halve images, such as [32, 64]; []: dense layers alone.
    likelihood : default=None
        Gaussian or student-t for numbers, bernoulli or gaussian for pixels; None: the first.
    importance : default=None
        Latents of a row in training: 1 is the ELBO, above it the MIWAE bound; None: 5, or 1 for images.
    samples : int, default=100
        Latents that a row is filled from, where importance is above 1.
    prior : str, default="normal"
        Of latents: normal, or mixture, a learned mixture of normals.
    components : int, default=10
        Components of the mixture.
    beta : float, default=1.0
        Factor on how far latents are from the prior.
    free_bits : float, default=0.0
        Divergence from the prior that costs nothing, for each number of a latent.
    masks : str, default="copied"
        What is hidden in training: uniform, copied (from other rows) or by-column.
    hide : default=None
        Share of a row that uniform masks hide, at most; 0: nothing is hidden; None: 0.5, or 0 for tables of
        which 2 % or more is missing.
    marks : bool, default=True
        Whether the encoder sees which cells are known.
    missing_depends : str, default="nothing"
        Nothing, or itself: an assumption that values hide themselves.
    direction : str, default="learned"
        With itself, which values hide: learned, high or low.
    epochs : default=None
        Passes over the rows, at most; None: by their number.
    batch : default=None
        Rows in a batch; None: 64, or 128 images.
    rate : float, default=0.001
        Learning rate.
    patience : default=None
        Epochs without a better bound of rows set aside after which training ends; 0: none is set aside; None:
        40, or 0 for tables of which 2 % or more is missing.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import DvaeImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = DvaeImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "dvae"
    _settings = (
        "latent",
        "hidden",
        "filters",
        "likelihood",
        "importance",
        "samples",
        "prior",
        "components",
        "beta",
        "free_bits",
        "masks",
        "hide",
        "marks",
        "missing_depends",
        "direction",
        "epochs",
        "batch",
        "rate",
        "patience",
    )

    def __init__(
        self,
        *,
        latent: Any = None,
        hidden: Any = None,
        filters: tuple = (),
        likelihood: Any = None,
        importance: Any = None,
        samples: int = 100,
        prior: Any = "normal",
        components: int = 10,
        beta: float = 1.0,
        free_bits: float = 0.0,
        masks: Any = "copied",
        hide: Any = None,
        marks: bool = True,
        missing_depends: Any = "nothing",
        direction: Any = "learned",
        epochs: Any = None,
        batch: Any = None,
        rate: float = 0.001,
        patience: Any = None,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.latent = latent
        self.hidden = hidden
        self.filters = filters
        self.likelihood = likelihood
        self.importance = importance
        self.samples = samples
        self.prior = prior
        self.components = components
        self.beta = beta
        self.free_bits = free_bits
        self.masks = masks
        self.hide = hide
        self.marks = marks
        self.missing_depends = missing_depends
        self.direction = direction
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.patience = patience
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NeighboursImputer(ImputerBase):
    """Mean or vote of the most alike rows.

    Two rows are compared over the columns both know. A missing number becomes the mean over the most alike
    rows that know it, nearer ones counting more; a missing category their vote. A draw takes the value of one
    of them. Of images, pixels are the columns; their classes are predicted by the vote of the most alike
    ones.

    Use it: Groups of alike rows, relations that bend, few columns.

    Don't use it: Many columns that tell nothing, or most cells missing.

    Paper: Troyanskaya et al. 2001; Dixon 1979.

    Parameters
    ----------
    k : int, default=10
        How many of the most alike rows are asked.
    donors : int, default=20000
        Training rows kept to be asked, at most; of more, a random choice.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import NeighboursImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = NeighboursImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "neighbours"
    _settings = (
        "k",
        "donors",
    )

    def __init__(
        self,
        *,
        k: int = 10,
        donors: int = 20000,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.k = k
        self.donors = donors
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SelfMaskingImputer(ImputerBase):
    """Joint normal distribution whose values hide themselves.

    As `gaussian`, with a curve for each number that says how likely a cell is missing given its own value. If
    large values tend to be missing, a missing value is taken to be larger than the other columns say.
    Distribution and curves are learned together.

    Use it: Only when values are believed to hide themselves: detection limits, incomes, weights.

    Don't use it: Otherwise: where cells are missing at random it is worse than `gaussian`.

    Paper: Heckman 1979; Ipsen, Mattei and Frellsen 2021; Minka 2001.

    Parameters
    ----------
    rounds : int, default=100
        Rounds of expectation-maximisation, at most.
    tolerance : float, default=0.002
        A round that moves no entry of mean and covariance further than this is the last.
    pull : float, default=4.0
        How strongly the curves are pulled to flat, in rows.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import SelfMaskingImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = SelfMaskingImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "self-masking"
    _settings = (
        "rounds",
        "tolerance",
        "pull",
    )

    def __init__(
        self,
        *,
        rounds: int = 100,
        tolerance: float = 0.002,
        pull: float = 4.0,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rounds = rounds
        self.tolerance = tolerance
        self.pull = pull
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MeanImputer(ImputerBase):
    """Mean or median of the column, most frequent category.

    Every hole of a column gets the same value: the mean (or median) of its known numbers, or its most
    frequent category. A draw takes one of the known values at random. Of images, every pixel gets its mean
    over the images that know it, and a draw is normal around that.

    Use it: As the yardstick that every other imputer must beat.

    Don't use it: For any analysis: it ignores the other columns and shrinks spreads and correlations.

    Parameters
    ----------
    center : str, default="mean"
        What a missing number becomes: mean or median; of images the mean.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import MeanImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = MeanImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "mean"
    _settings = (
        "center",
    )

    def __init__(
        self,
        *,
        center: Any = "mean",
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.center = center
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MadeImputer(ImputerBase):
    """Masked autoencoder for densities.

    A network says the distribution of each column given those before it in an order: a category's chances, a
    number's mixture of normal distributions, a pixel's chance of being bright. Masks on the weights keep it
    from seeing what comes after. Several orders take turns and are averaged.

    Use it: Densities that are no single cloud: thousands of rows whose numbers have several peaks or hang
    together in bends; images in black and white.

    Don't use it: A few hundred rows: `gaussian` needs fewer. Images in shades: `dmfa`.

    Paper: Germain, Gregor, Murray and Larochelle 2015; Yi et al. 2020.

    Parameters
    ----------
    hidden : tuple, default=(128,)
        Units of one or two hidden layers, such as [128] or [500, 500].
    masks : int, default=4
        Orders of the columns that take turns; what they say is averaged.
    normalization : str, default="none"
        Sparsity Normalization: none, valid (each unit by the inputs it may know of), paper or paper-all (as
        published; outputs then know how many inputs are not 0, so that there is no density any more).
    hide : float, default=0.5
        Of half of the rows, up to this share of the known cells is hidden in training, so that rows with
        holes are judged rightly; 0: nothing is, and a hole is a 0 to the network.
    components : int, default=3
        Normal distributions that a number's distribution is made of.
    epochs : default=None
        Passes over the rows, at most; None: about 200,000 rows in all.
    batch : int, default=64
        Rows in a batch.
    rate : float, default=0.003
        Learning rate at the start.
    patience : int, default=15
        Epochs without a better likelihood after which training ends; 0: never.
    m : int, default=0
        For multiple imputation: how many draws it is to be ready for. Each has parameters of its own, drawn
        when it is fitted, which takes time; with 0 it is ready for best guesses alone.
    within : dict of str or int to (low, high), default=None
        Lowest and highest value that may be filled into single columns; None leaves an end open.
    beyond_range : bool, default=False
        Let filled numbers leave the range of a column's known values.
    ignore : list of str or int, default=None
        Columns that are neither used nor filled.
    unfilled : {"error", "keep"}, default="error"
        What to do about holes that can't be filled, as in a column without a known cell: raise, or leave them
        with a warning. The number of columns never changes.
    random_state : int, RandomState or None, default=0
        Seed of everything random: the same seed gives the same result, for any number of threads.
    n_jobs : int, default=None
        Threads; None: all of the machine.
    verbose : int, default=0
        1 shows a bar.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import MadeImputer
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 3))
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> full = MadeImputer().fit_transform(X)
    >>> bool(np.isnan(full).any())
    False
    """

    _method = "made"
    _settings = (
        "hidden",
        "masks",
        "normalization",
        "hide",
        "components",
        "epochs",
        "batch",
        "rate",
        "patience",
    )

    def __init__(
        self,
        *,
        hidden: tuple = (128,),
        masks: int = 4,
        normalization: Any = "none",
        hide: float = 0.5,
        components: int = 3,
        epochs: Any = None,
        batch: int = 64,
        rate: float = 0.003,
        patience: int = 15,
        m: int = 0,
        within: dict | None = None,
        beyond_range: bool = False,
        ignore: list | None = None,
        unfilled: str = "error",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.hidden = hidden
        self.masks = masks
        self.normalization = normalization
        self.hide = hide
        self.components = components
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.patience = patience
        self.m = m
        self.within = within
        self.beyond_range = beyond_range
        self.ignore = ignore
        self.unfilled = unfilled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class Classifier(ClassifierBase):
    """Predict classes from rows with holes.

    A hole is never an error. Several methods are cross-validated, and the answer is their weighted mean, or
    of methods that are named that of the best; words and categories need no encoding, numbers no scaling.

    Parameters
    ----------
    method : str or list of str, default="auto"
        ``auto`` for the weighted mean of several methods, a method's name, or several names to choose the
        best from: ``ensemble`` (Several methods as one, weighted by what they get right); ``network``
        (Tabular network in which a hole is a learned value of its own); ``neumiss`` (NeuMiss network: the
        conditional mean, unrolled and learned); ``mlp`` (Plain multi-layer perceptron with Sparsity
        Normalization); ``linear`` (Linear model: ridge, or logistic regression); ``additive`` (Additive
        model: each column has a curve of its own); ``conditional`` (A joint normal, given what is known and
        what is missing); ``trees`` (Gradient-boosted trees that take missing values as they are); ``forest``
        (The mean of many deep trees, missing values as they are); ``kernel`` (Gaussian process: alike rows
        have alike answers); ``impute-then-predict`` (Any imputer in front of any predictor).
    settings : dict, default=None
        Settings of the method, by name; with several methods, settings by method.
    effort : {"quick", "normal", "best"}, default="normal"
        How much ``auto`` tries: ``quick`` takes a second or two on a small table, ``normal`` about a minute
        on two cores up to 20,000 rows of 50 columns.
    folds : int, default=None
        Folds of the cross-validation that weighs or chooses, whose models are averaged and that sets of
        classes come from; None: 10 where rows are few, else 5; 0: one model of all rows, without, for a
        single method.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import Classifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = Classifier("linear").fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        if isinstance(self.method, str) and self.method == "auto":
            return [("ensemble", {"effort": self.effort, **(self.settings or {})})]
        return recipes_of(self.method, self.settings, ())

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        effort: str = "normal",
        folds: int | None = None,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.effort = effort
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class EnsembleClassifier(ClassifierBase):
    """Several methods as one, weighted by what they get right.

    Every method learns without each of some folds in turn and answers for the rows of that fold. On these
    answers weights are found with which the mean errs least; the models that were so measured, and no others,
    are the model. A share of the weight may go to the plain mean of the target, which keeps answers from few
    rows modest.

    Use it: Always, unless you know better: it is the default.

    Don't use it: When one method must be read or explained as a formula: say `--single`, or name the method.

    Paper: Wolpert 1992, Breiman 1996 (stacking); Barber, Candes, Ramdas, Tibshirani 2021 (fold models and
    their intervals).

    Parameters
    ----------
    effort : str, default="normal"
        How much is tried: quick, normal or best.
    methods : default=None
        The methods that take part, as ["linear", "trees"]; None: those of the effort.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import EnsembleClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = EnsembleClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "ensemble"
    _settings = (
        "effort",
        "methods",
    )

    def __init__(
        self,
        *,
        effort: Any = "normal",
        methods: Any = None,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.effort = effort
        self.methods = methods
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NetworkClassifier(ClassifierBase):
    """Tabular network in which a hole is a learned value of its own.

    Each column becomes a small vector: numbers through cosines of learned frequencies, categories through
    learned tables, a missing cell through a vector learned for that column, a missing number also through its
    mean given the known ones. Eight members see the vectors through factors of their own, share the layers
    behind them, and each gives an answer; a few such networks, each stopped on another part of the rows, are
    trained, and all answers averaged.

    Use it: As the first thing to try: it takes holes as they are, in training and later, and learns what
    their being missing means.

    Don't use it: With fewer than a hundred rows (`linear`), or where every prediction must be explained.

    Paper: Gorishniy, Kotelnikov, Babenko 2024 (TabM) for the members; Gorishniy, Rubachev, Babenko 2022 for
    the cosines; Yi et al. 2020 (Sparsity Normalization) for the dropout and the optional normalisation of
    known cells.

    Parameters
    ----------
    width : int, default=128
        Units of a hidden layer.
    layers : int, default=2
        Hidden layers.
    dropout : float, default=0.1
        Share of hidden units left out at a step of training.
    normalize : bool, default=False
        True: Sparsity Normalization, known cells count K / (known columns), K being the training mean.
    guess : bool, default=True
        True: a missing number comes with its mean given the known numbers.
    members : int, default=8
        Members that share a network's hidden layers and are averaged.
    networks : default=None
        Networks trained apart and averaged; None: 4 below 5,000 rows, 2 below 20,000, else 1; in each fold of
        a cross-validation 1.
    varied : bool, default=False
        True: networks after the first differ in depth, width, dropout and rate, so that they err differently.
    epochs : default=None
        Passes over the rows, at most; None: 256, fewer for large tables.
    patience : int, default=16
        Epochs without a better validation score after which training ends; 0: never.
    batch : default=None
        Rows in a batch; None: 64 below 2,000 rows to learn from, 128 below 10,000, else 256.
    rate : float, default=0.003
        Learning rate.
    weight_decay : float, default=0.0003
        How strongly weights are pulled to 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import NetworkClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = NetworkClassifier(networks=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "network"
    _settings = (
        "width",
        "layers",
        "dropout",
        "normalize",
        "guess",
        "members",
        "networks",
        "varied",
        "epochs",
        "patience",
        "batch",
        "rate",
        "weight_decay",
    )

    def __init__(
        self,
        *,
        width: int = 128,
        layers: int = 2,
        dropout: float = 0.1,
        normalize: bool = False,
        guess: bool = True,
        members: int = 8,
        networks: Any = None,
        varied: bool = False,
        epochs: Any = None,
        patience: int = 16,
        batch: Any = None,
        rate: float = 0.003,
        weight_decay: float = 0.0003,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.width = width
        self.layers = layers
        self.dropout = dropout
        self.normalize = normalize
        self.guess = guess
        self.members = members
        self.networks = networks
        self.varied = varied
        self.epochs = epochs
        self.patience = patience
        self.batch = batch
        self.rate = rate
        self.weight_decay = weight_decay
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NeumissClassifier(ClassifierBase):
    """NeuMiss network: the conditional mean, unrolled and learned.

    The best guess of missing numbers given the known ones needs the inverse of a different part of the
    covariance for every pattern of holes. The block computes it by a few products with one matrix, each
    masked by what is known, and all of it is learned towards the target: also what the pattern itself says.
    It starts from the covariance found by expectation-maximisation, so that the first weights already are the
    Gaussian answer, nearly; a small perceptron behind it learns what is not linear.

    Use it: With a thousand rows or more, mostly numbers that hang together, and many holes; also where cells
    are missing because of their own values.

    Don't use it: With few rows or few holes (`linear`, `trees`), or hundreds of columns: the cost grows with
    the square of their number.

    Paper: Le Morvan, Josse, Moreau, Scornet, Varoquaux 2020, NeuMiss networks: differentiable programming for
    supervised learning with missing values; Le Morvan, Josse, Scornet, Varoquaux 2021, What's a good
    imputation to predict with missing values?

    Parameters
    ----------
    form : str, default="steps"
        Layers of the block: steps (one matrix, a learned step length for each layer), original (a matrix for
        each layer, as published in 2020) or shared (one matrix, as published in 2021).
    depth : int, default=20
        Layers of the block; 0: missing cells from known ones directly.
    residual : bool, default=True
        In the original form, True: every layer after the first adds the block's input again.
    accelerated : bool, default=True
        True: what a layer adds again, or the length of its step, is learned.
    start : str, default="em"
        First weights: em (mean and covariance by expectation-maximisation), pairwise (covariance of pairs of
        columns), normal or uniform (drawn).
    hidden : tuple, default=(64, 64)
        Units of the hidden layers behind the block, such as [64, 64]; []: a linear answer.
    direct : bool, default=True
        True: beside the hidden layers, the block's output goes to the answer directly too.
    indicators : bool, default=True
        True: the layers behind the block are also told which columns are missing.
    categories : str, default="auto"
        Indicators: each level is a column of the block; embedded: learned vectors beside its output; auto:
        indicators up to 100 columns in all.
    optimizer : str, default="adam"
        Adam, adamw or sgd (plain, as published in 2020).
    rate : default=None
        Learning rate; None: 0.005, with sgd 0.01 / columns.
    schedule : str, default="cosine"
        Course of the learning rate: constant, cosine or plateau.
    weight_decay : float, default=0.0
        How strongly weights are pulled to 0.
    epochs : default=None
        Passes over the rows, at most; None: 200, fewer for large tables, at least 10.
    batch : default=None
        Rows in a batch; 0 for all; None: 32 below 1,000 rows to learn from, else 100.
    patience : int, default=20
        Epochs without a better validation score after which training ends; 0: never. The best weights are
        kept in any case.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import NeumissClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = NeumissClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "neumiss"
    _settings = (
        "form",
        "depth",
        "residual",
        "accelerated",
        "start",
        "hidden",
        "direct",
        "indicators",
        "categories",
        "optimizer",
        "rate",
        "schedule",
        "weight_decay",
        "epochs",
        "batch",
        "patience",
    )

    def __init__(
        self,
        *,
        form: Any = "steps",
        depth: int = 20,
        residual: bool = True,
        accelerated: bool = True,
        start: Any = "em",
        hidden: tuple = (64, 64),
        direct: bool = True,
        indicators: bool = True,
        categories: Any = "auto",
        optimizer: Any = "adam",
        rate: Any = None,
        schedule: Any = "cosine",
        weight_decay: float = 0.0,
        epochs: Any = None,
        batch: Any = None,
        patience: int = 20,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.form = form
        self.depth = depth
        self.residual = residual
        self.accelerated = accelerated
        self.start = start
        self.hidden = hidden
        self.direct = direct
        self.indicators = indicators
        self.categories = categories
        self.optimizer = optimizer
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.batch = batch
        self.patience = patience
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MlpClassifier(ClassifierBase):
    """Plain multi-layer perceptron with Sparsity Normalization.

    A missing cell is set to 0 and the row is multiplied by K / (number of its known columns), so that what
    the first layer sums up no longer grows with how much is known. Other treatments of holes (mean,
    indicators) are settings. Of images, every number of a pixel is a column.

    Use it: To see what each treatment of holes does, other things equal; to re-run published tables.

    Don't use it: As the first choice for a prediction: `network` is the stronger network.

    Paper: Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in
    Training Neural Networks.

    Parameters
    ----------
    missing : str, default="sparsity-normalization"
        What a missing cell becomes: zero, mean, observed-indicator, missing-indicator,
        sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.
    k : str, default="mean"
        K of Sparsity Normalization: mean (number of known columns in training), hidden (units of the first
        layer), input (number of columns) or a number.
    scale : str, default="auto"
        Scale of numbers: auto (min-max with zero and Sparsity Normalization, else standard), standard,
        min-max or robust; pixels are always from 0 to 1.
    hidden : tuple, default=(100, 100, 100)
        Units of the hidden layers, such as [100, 100, 100].
    activation : str, default="relu"
        Relu, selu, mish, sigmoid, tanh or identity.
    normalize_hidden : bool, default=False
        True: hidden layers are divided by their active units too; [1] the first of them alone.
    dropout : float, default=0.0
        Share of hidden units left out at a step.
    dropout_kind : str, default="normalized"
        Normalized: made up for by the units kept in this row; average: by the share kept on average.
    optimizer : str, default="adam"
        Adam, adamw, sgd, rprop (for full batches) or adadelta (rate 1).
    rate : float, default=0.001
        Learning rate.
    schedule : str, default="plateau"
        Course of the learning rate: constant, cosine or plateau.
    weight_decay : float, default=0.0
        How strongly weights are pulled to 0.
    decay_on : str, default="all"
        All, or after-first: the first layer's weights are left free, as K = 1 needs.
    epochs : int, default=300
        Passes over the rows, at most.
    batch : int, default=128
        Rows in a batch; 0 for all.
    patience : int, default=30
        Epochs without a better validation score after which training ends; 0: never.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import MlpClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = MlpClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "mlp"
    _settings = (
        "missing",
        "k",
        "scale",
        "hidden",
        "activation",
        "normalize_hidden",
        "dropout",
        "dropout_kind",
        "optimizer",
        "rate",
        "schedule",
        "weight_decay",
        "decay_on",
        "epochs",
        "batch",
        "patience",
    )

    def __init__(
        self,
        *,
        missing: Any = "sparsity-normalization",
        k: Any = "mean",
        scale: Any = "auto",
        hidden: tuple = (100, 100, 100),
        activation: Any = "relu",
        normalize_hidden: bool = False,
        dropout: float = 0.0,
        dropout_kind: Any = "normalized",
        optimizer: Any = "adam",
        rate: float = 0.001,
        schedule: Any = "plateau",
        weight_decay: float = 0.0,
        decay_on: Any = "all",
        epochs: int = 300,
        batch: int = 128,
        patience: int = 30,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.missing = missing
        self.k = k
        self.scale = scale
        self.hidden = hidden
        self.activation = activation
        self.normalize_hidden = normalize_hidden
        self.dropout = dropout
        self.dropout_kind = dropout_kind
        self.optimizer = optimizer
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.decay_on = decay_on
        self.epochs = epochs
        self.batch = batch
        self.patience = patience
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LinearClassifier(ClassifierBase):
    """Linear model: ridge, or logistic regression.

    A weighted sum of the inputs. A missing number counts as its mean and a missing category as its usual
    shares; one more input per column says that it is missing, so that holes that tell something are heard.
    How strongly weights are pulled to 0 is chosen by cross-validation.

    Use it: First of all: it is fast, can be read, and is hard to beat on a few hundred rows.

    Don't use it: When the effect of a column bends, or depends on other columns.

    Paper: Hoerl and Kennard 1970 (ridge); Golub, Heath and Wahba 1979 (choice of strength); Yi et al. 2020
    (Sparsity Normalization).

    Parameters
    ----------
    missing : str, default="mean+missing-indicator"
        What a missing cell becomes: zero, mean, observed-indicator, missing-indicator,
        sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.
    strength : str, default="auto"
        How strongly weights are pulled to 0: auto (by cross-validation) or a number above 0.
    k : str, default="mean"
        With sparsity-normalization, the K in K / (known columns of the row): mean (of the training rows),
        input (number of columns) or a number above 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import LinearClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = LinearClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "linear"
    _settings = (
        "missing",
        "strength",
        "k",
    )

    def __init__(
        self,
        *,
        missing: Any = "mean+missing-indicator",
        strength: Any = "auto",
        k: Any = "mean",
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.missing = missing
        self.strength = strength
        self.k = k
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdditiveClassifier(ClassifierBase):
    """Additive model: each column has a curve of its own.

    A sum of curves, one for each number, each a line that may bend at some quantiles of the column, and of an
    effect for each level of a category. A missing cell adds nothing but the effect of being missing. How
    strongly all of it is pulled to 0 is chosen by cross-validation.

    Use it: A few hundred rows on which effects bend but do not depend on each other; curves can be read.

    Don't use it: Effects that depend on other columns (`trees`, `network`), or straight ones (`linear`).

    Paper: Hastie and Tibshirani 1986 (additive models); Friedman and Silverman 1989 (hinges).

    Parameters
    ----------
    bends : int, default=4
        Places in which the effect of each number may bend, at most.
    strength : str, default="auto"
        How strongly weights are pulled to 0: auto (by cross-validation) or a number above 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import AdditiveClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = AdditiveClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "additive"
    _settings = (
        "bends",
        "strength",
    )

    def __init__(
        self,
        *,
        bends: int = 4,
        strength: Any = "auto",
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.bends = bends
        self.strength = strength
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConditionalClassifier(ClassifierBase):
    """A joint normal, given what is known and what is missing.

    Columns and target together are a normal distribution, learned through the holes. A row's answer comes
    from what its known cells say of the others, solved exactly, and from what its holes say of the values
    that they hide; both are then trained for the target itself. Cross-validation says how far training goes,
    and whether a network behind it pays off.

    Use it: Correlated numbers with many holes, above all where large or small values hide themselves.

    Don't use it: Complete tables (`linear` does the same), effects that bend or interact in many columns
    (`trees`), more than 150 columns after categories became indicators.

    Paper: Dempster, Laird and Rubin 1977; Le Morvan et al. 2020 (NeuMiss, whose series it sums exactly).

    Parameters
    ----------
    head : str, default="auto"
        What answers: auto (by cross-validation), linear, or network (for targets that bend).
    sites : str, default="auto"
        Whether a hole may say something of the value that it hides: auto (by cross-validation), yes or no.
    ridge : default=None
        Added to the diagonal of the covariance; unless given, by cross-validation where rows are few.
    steps : int, default=750
        Steps of each stage of training.
    rate : float, default=0.01
        Adam's rate.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ConditionalClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = ConditionalClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "conditional"
    _settings = (
        "head",
        "sites",
        "ridge",
        "steps",
        "rate",
    )

    def __init__(
        self,
        *,
        head: Any = "auto",
        sites: Any = "auto",
        ridge: Any = None,
        steps: int = 750,
        rate: float = 0.01,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.head = head
        self.sites = sites
        self.ridge = ridge
        self.steps = steps
        self.rate = rate
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class TreesClassifier(ClassifierBase):
    """Gradient-boosted trees that take missing values as they are.

    Many small decision trees, each correcting the sum of those before it. At every split the rows whose cell
    is missing go to the side that fits them better, or are a side of their own, so holes need no filling.
    Rows set aside say when to stop.

    Use it: Thousands of rows or more, effects that bend or depend on each other, many categories.

    Don't use it: A few hundred rows with straight effects, where `linear` is better; or where a prediction
    must change smoothly.

    Paper: Friedman 2001 (gradient boosting); Ke et al. 2017 (LightGBM: histograms, leaf-wise trees); Twala,
    Jones and Hand 2008 (missing values in splits).

    Parameters
    ----------
    rounds : int, default=1000
        Rounds at most; each adds a tree, or one per class if there are more than two.
    rate : float, default=0.1
        How far each tree goes, up to 1; smaller is often better and slower.
    leaves : int, default=31
        Leaves of a tree at most.
    min_rows : default=None
        Rows of a leaf at least; None: 20, and a 20th of the rows below 400.
    l2 : float, default=1.0
        Pulls the values of leaves to 0.
    bins : int, default=255
        Values of a number column that splits can tell apart, 2 to 255.
    patience : int, default=25
        Rounds without a better validation loss after which the fit ends.
    columns : float, default=1.0
        Share of the columns that each tree may use, drawn for it.
    sample : float, default=1.0
        Share of the rows that each tree learns from, drawn for it.
    members : default=None
        How many fits are averaged, each with another part of the rows set aside; 1: one fit to all rows,
        stopped when two trials say so (above 20,000 rows: when a tenth of the rows does); None: 5, and 1
        above 20,000 rows or where the models of folds are averaged.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import TreesClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = TreesClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "trees"
    _settings = (
        "rounds",
        "rate",
        "leaves",
        "min_rows",
        "l2",
        "bins",
        "patience",
        "columns",
        "sample",
        "members",
    )

    def __init__(
        self,
        *,
        rounds: int = 1000,
        rate: float = 0.1,
        leaves: int = 31,
        min_rows: Any = None,
        l2: float = 1.0,
        bins: int = 255,
        patience: int = 25,
        columns: float = 1.0,
        sample: float = 1.0,
        members: Any = None,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rounds = rounds
        self.rate = rate
        self.leaves = leaves
        self.min_rows = min_rows
        self.l2 = l2
        self.bins = bins
        self.patience = patience
        self.columns = columns
        self.sample = sample
        self.members = members
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ForestClassifier(ClassifierBase):
    """The mean of many deep trees, missing values as they are.

    Each tree sees other rows and, at every split, a few columns drawn at random; half of the trees cut
    numbers at random places too. Single trees are rough and differ, their mean is steady. Rows whose cell is
    missing go to the side that fits them better, or are a side of their own.

    Use it: A quick and robust second opinion on any table, from a hundred rows on; noisy targets. It fills
    holes too, column after column from the others.

    Don't use it: Straight effects, or values beyond those of the training rows: its answers stay within them.

    Paper: Breiman 2001 (random forests); Geurts, Ernst and Wehenkel 2006 (extremely randomised trees); Twala,
    Jones and Hand 2008 (missing values in splits).

    Parameters
    ----------
    trees : default=None
        How many; None: 250 (300 in all folds of a cross-validation).
    min_leaf : default=None
        Rows of a leaf at least; None: 1 to 3, and a 2000th of the rows in larger tables.
    columns : default=None
        Share of the columns that a split chooses from; None: 0.33, and 0.5 for a number from up to 20
        columns.
    cuts : str, default="both"
        Best (random forest), random (extra trees) or both, half of the trees each way.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = ForestClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "forest"
    _settings = (
        "trees",
        "min_leaf",
        "columns",
        "cuts",
    )

    def __init__(
        self,
        *,
        trees: Any = None,
        min_leaf: Any = None,
        columns: Any = None,
        cuts: Any = "both",
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.trees = trees
        self.min_leaf = min_leaf
        self.columns = columns
        self.cuts = cuts
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelClassifier(ClassifierBase):
    """Gaussian process: alike rows have alike answers.

    The answer is a weighted sum over the training rows, each counting by how alike it is. A row with holes is
    a cloud of places where it could be, given what is known of it, and what counts is the expected likeness:
    the less is known, the nearer the answer stays to the mean. Reach, noise and whether holes speak for
    themselves are chosen by leaving one row out at a time.

    Use it: Up to some thousand rows of numbers with smooth effects that depend on each other.

    Don't use it: Many columns that tell nothing; very many rows (3,000 are drawn); where a file must not hold
    rows.

    Paper: Rasmussen and Williams 2006; Girard et al. 2003 (uncertain inputs).

    Parameters
    ----------
    rows : int, default=3000
        Rows that are learned from, at most; the work grows with their cube.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import KernelClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = KernelClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "kernel"
    _settings = (
        "rows",
    )

    def __init__(
        self,
        *,
        rows: int = 3000,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rows = rows
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ImputeThenPredictClassifier(ClassifierBase):
    """Any imputer in front of any predictor.

    An imputer learns from the inputs, holes are filled, and a predictor learns from rows without holes; a new
    row is filled and answered by the same two. With draws, a row is filled in many plausible ways and the
    answers are averaged.

    Use it: To compare imputers by what they do to predictions, or for a predictor that can't take holes.

    Don't use it: To predict best: the other predictors also learn from which cells are missing.

    Paper: Le Morvan, Josse, Scornet and Varoquaux 2021; with draws of a variational autoencoder in front of
    classifiers, the Type 2 of a thesis on images with missing pixels.

    Parameters
    ----------
    imputer : default=None
        What fills, any imputer; None: gaussian, or mfa for images.
    predictor : default=None
        What predicts, any predictor; None: linear, or convolutional for images.
    draws : int, default=0
        Ways in which a row is filled and answered; 0: the best guess alone.
    imputer_settings : default=None
        Settings of the imputer, as {"latent": 10}; None: its own.
    predictor_settings : default=None
        Settings of the predictor, as {"trees": 500}; None: its own.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that sets of classes come from; 0: one
        model of all rows, without.
    class_weight : dict or "balanced", default=None
        How classes weigh in learning.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ImputeThenPredictClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] > 0
    >>> X[::4, 1] = np.nan
    >>> model = ImputeThenPredictClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "impute-then-predict"
    _settings = (
        "imputer",
        "predictor",
        "draws",
        "imputer_settings",
        "predictor_settings",
    )

    def __init__(
        self,
        *,
        imputer: Any = None,
        predictor: Any = None,
        draws: int = 0,
        imputer_settings: Any = None,
        predictor_settings: Any = None,
        folds: int = 0,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.imputer = imputer
        self.predictor = predictor
        self.draws = draws
        self.imputer_settings = imputer_settings
        self.predictor_settings = predictor_settings
        self.folds = folds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class Regressor(RegressorBase):
    """Predict a number from rows with holes.

    A hole is never an error. Several methods are cross-validated, and the answer is their weighted mean, or
    of methods that are named that of the best; words and categories need no encoding, numbers no scaling.

    Parameters
    ----------
    method : str or list of str, default="auto"
        ``auto`` for the weighted mean of several methods, a method's name, or several names to choose the
        best from: ``ensemble`` (Several methods as one, weighted by what they get right); ``network``
        (Tabular network in which a hole is a learned value of its own); ``neumiss`` (NeuMiss network: the
        conditional mean, unrolled and learned); ``mlp`` (Plain multi-layer perceptron with Sparsity
        Normalization); ``linear`` (Linear model: ridge, or logistic regression); ``additive`` (Additive
        model: each column has a curve of its own); ``conditional`` (A joint normal, given what is known and
        what is missing); ``trees`` (Gradient-boosted trees that take missing values as they are); ``forest``
        (The mean of many deep trees, missing values as they are); ``kernel`` (Gaussian process: alike rows
        have alike answers); ``impute-then-predict`` (Any imputer in front of any predictor).
    settings : dict, default=None
        Settings of the method, by name; with several methods, settings by method.
    effort : {"quick", "normal", "best"}, default="normal"
        How much ``auto`` tries: ``quick`` takes a second or two on a small table, ``normal`` about a minute
        on two cores up to 20,000 rows of 50 columns.
    folds : int, default=None
        Folds of the cross-validation that weighs or chooses, whose models are averaged and that prediction
        intervals come from; None: 10 where rows are few, else 5; 0: one model of all rows, without, for a
        single method.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import Regressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = Regressor("linear").fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        if isinstance(self.method, str) and self.method == "auto":
            return [("ensemble", {"effort": self.effort, **(self.settings or {})})]
        return recipes_of(self.method, self.settings, ())

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        effort: str = "normal",
        folds: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.effort = effort
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class EnsembleRegressor(RegressorBase):
    """Several methods as one, weighted by what they get right.

    Every method learns without each of some folds in turn and answers for the rows of that fold. On these
    answers weights are found with which the mean errs least; the models that were so measured, and no others,
    are the model. A share of the weight may go to the plain mean of the target, which keeps answers from few
    rows modest.

    Use it: Always, unless you know better: it is the default.

    Don't use it: When one method must be read or explained as a formula: say `--single`, or name the method.

    Paper: Wolpert 1992, Breiman 1996 (stacking); Barber, Candes, Ramdas, Tibshirani 2021 (fold models and
    their intervals).

    Parameters
    ----------
    effort : str, default="normal"
        How much is tried: quick, normal or best.
    methods : default=None
        The methods that take part, as ["linear", "trees"]; None: those of the effort.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import EnsembleRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = EnsembleRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "ensemble"
    _settings = (
        "effort",
        "methods",
    )

    def __init__(
        self,
        *,
        effort: Any = "normal",
        methods: Any = None,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.effort = effort
        self.methods = methods
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NetworkRegressor(RegressorBase):
    """Tabular network in which a hole is a learned value of its own.

    Each column becomes a small vector: numbers through cosines of learned frequencies, categories through
    learned tables, a missing cell through a vector learned for that column, a missing number also through its
    mean given the known ones. Eight members see the vectors through factors of their own, share the layers
    behind them, and each gives an answer; a few such networks, each stopped on another part of the rows, are
    trained, and all answers averaged.

    Use it: As the first thing to try: it takes holes as they are, in training and later, and learns what
    their being missing means.

    Don't use it: With fewer than a hundred rows (`linear`), or where every prediction must be explained.

    Paper: Gorishniy, Kotelnikov, Babenko 2024 (TabM) for the members; Gorishniy, Rubachev, Babenko 2022 for
    the cosines; Yi et al. 2020 (Sparsity Normalization) for the dropout and the optional normalisation of
    known cells.

    Parameters
    ----------
    width : int, default=128
        Units of a hidden layer.
    layers : int, default=2
        Hidden layers.
    dropout : float, default=0.1
        Share of hidden units left out at a step of training.
    normalize : bool, default=False
        True: Sparsity Normalization, known cells count K / (known columns), K being the training mean.
    guess : bool, default=True
        True: a missing number comes with its mean given the known numbers.
    members : int, default=8
        Members that share a network's hidden layers and are averaged.
    networks : default=None
        Networks trained apart and averaged; None: 4 below 5,000 rows, 2 below 20,000, else 1; in each fold of
        a cross-validation 1.
    varied : bool, default=False
        True: networks after the first differ in depth, width, dropout and rate, so that they err differently.
    epochs : default=None
        Passes over the rows, at most; None: 256, fewer for large tables.
    patience : int, default=16
        Epochs without a better validation score after which training ends; 0: never.
    batch : default=None
        Rows in a batch; None: 64 below 2,000 rows to learn from, 128 below 10,000, else 256.
    rate : float, default=0.003
        Learning rate.
    weight_decay : float, default=0.0003
        How strongly weights are pulled to 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import NetworkRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = NetworkRegressor(networks=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "network"
    _settings = (
        "width",
        "layers",
        "dropout",
        "normalize",
        "guess",
        "members",
        "networks",
        "varied",
        "epochs",
        "patience",
        "batch",
        "rate",
        "weight_decay",
    )

    def __init__(
        self,
        *,
        width: int = 128,
        layers: int = 2,
        dropout: float = 0.1,
        normalize: bool = False,
        guess: bool = True,
        members: int = 8,
        networks: Any = None,
        varied: bool = False,
        epochs: Any = None,
        patience: int = 16,
        batch: Any = None,
        rate: float = 0.003,
        weight_decay: float = 0.0003,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.width = width
        self.layers = layers
        self.dropout = dropout
        self.normalize = normalize
        self.guess = guess
        self.members = members
        self.networks = networks
        self.varied = varied
        self.epochs = epochs
        self.patience = patience
        self.batch = batch
        self.rate = rate
        self.weight_decay = weight_decay
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NeumissRegressor(RegressorBase):
    """NeuMiss network: the conditional mean, unrolled and learned.

    The best guess of missing numbers given the known ones needs the inverse of a different part of the
    covariance for every pattern of holes. The block computes it by a few products with one matrix, each
    masked by what is known, and all of it is learned towards the target: also what the pattern itself says.
    It starts from the covariance found by expectation-maximisation, so that the first weights already are the
    Gaussian answer, nearly; a small perceptron behind it learns what is not linear.

    Use it: With a thousand rows or more, mostly numbers that hang together, and many holes; also where cells
    are missing because of their own values.

    Don't use it: With few rows or few holes (`linear`, `trees`), or hundreds of columns: the cost grows with
    the square of their number.

    Paper: Le Morvan, Josse, Moreau, Scornet, Varoquaux 2020, NeuMiss networks: differentiable programming for
    supervised learning with missing values; Le Morvan, Josse, Scornet, Varoquaux 2021, What's a good
    imputation to predict with missing values?

    Parameters
    ----------
    form : str, default="steps"
        Layers of the block: steps (one matrix, a learned step length for each layer), original (a matrix for
        each layer, as published in 2020) or shared (one matrix, as published in 2021).
    depth : int, default=20
        Layers of the block; 0: missing cells from known ones directly.
    residual : bool, default=True
        In the original form, True: every layer after the first adds the block's input again.
    accelerated : bool, default=True
        True: what a layer adds again, or the length of its step, is learned.
    start : str, default="em"
        First weights: em (mean and covariance by expectation-maximisation), pairwise (covariance of pairs of
        columns), normal or uniform (drawn).
    hidden : tuple, default=(64, 64)
        Units of the hidden layers behind the block, such as [64, 64]; []: a linear answer.
    direct : bool, default=True
        True: beside the hidden layers, the block's output goes to the answer directly too.
    indicators : bool, default=True
        True: the layers behind the block are also told which columns are missing.
    categories : str, default="auto"
        Indicators: each level is a column of the block; embedded: learned vectors beside its output; auto:
        indicators up to 100 columns in all.
    optimizer : str, default="adam"
        Adam, adamw or sgd (plain, as published in 2020).
    rate : default=None
        Learning rate; None: 0.005, with sgd 0.01 / columns.
    schedule : str, default="cosine"
        Course of the learning rate: constant, cosine or plateau.
    weight_decay : float, default=0.0
        How strongly weights are pulled to 0.
    epochs : default=None
        Passes over the rows, at most; None: 200, fewer for large tables, at least 10.
    batch : default=None
        Rows in a batch; 0 for all; None: 32 below 1,000 rows to learn from, else 100.
    patience : int, default=20
        Epochs without a better validation score after which training ends; 0: never. The best weights are
        kept in any case.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import NeumissRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = NeumissRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "neumiss"
    _settings = (
        "form",
        "depth",
        "residual",
        "accelerated",
        "start",
        "hidden",
        "direct",
        "indicators",
        "categories",
        "optimizer",
        "rate",
        "schedule",
        "weight_decay",
        "epochs",
        "batch",
        "patience",
    )

    def __init__(
        self,
        *,
        form: Any = "steps",
        depth: int = 20,
        residual: bool = True,
        accelerated: bool = True,
        start: Any = "em",
        hidden: tuple = (64, 64),
        direct: bool = True,
        indicators: bool = True,
        categories: Any = "auto",
        optimizer: Any = "adam",
        rate: Any = None,
        schedule: Any = "cosine",
        weight_decay: float = 0.0,
        epochs: Any = None,
        batch: Any = None,
        patience: int = 20,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.form = form
        self.depth = depth
        self.residual = residual
        self.accelerated = accelerated
        self.start = start
        self.hidden = hidden
        self.direct = direct
        self.indicators = indicators
        self.categories = categories
        self.optimizer = optimizer
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.batch = batch
        self.patience = patience
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MlpRegressor(RegressorBase):
    """Plain multi-layer perceptron with Sparsity Normalization.

    A missing cell is set to 0 and the row is multiplied by K / (number of its known columns), so that what
    the first layer sums up no longer grows with how much is known. Other treatments of holes (mean,
    indicators) are settings. Of images, every number of a pixel is a column.

    Use it: To see what each treatment of holes does, other things equal; to re-run published tables.

    Don't use it: As the first choice for a prediction: `network` is the stronger network.

    Paper: Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in
    Training Neural Networks.

    Parameters
    ----------
    missing : str, default="sparsity-normalization"
        What a missing cell becomes: zero, mean, observed-indicator, missing-indicator,
        sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.
    k : str, default="mean"
        K of Sparsity Normalization: mean (number of known columns in training), hidden (units of the first
        layer), input (number of columns) or a number.
    scale : str, default="auto"
        Scale of numbers: auto (min-max with zero and Sparsity Normalization, else standard), standard,
        min-max or robust; pixels are always from 0 to 1.
    hidden : tuple, default=(100, 100, 100)
        Units of the hidden layers, such as [100, 100, 100].
    activation : str, default="relu"
        Relu, selu, mish, sigmoid, tanh or identity.
    normalize_hidden : bool, default=False
        True: hidden layers are divided by their active units too; [1] the first of them alone.
    dropout : float, default=0.0
        Share of hidden units left out at a step.
    dropout_kind : str, default="normalized"
        Normalized: made up for by the units kept in this row; average: by the share kept on average.
    optimizer : str, default="adam"
        Adam, adamw, sgd, rprop (for full batches) or adadelta (rate 1).
    rate : float, default=0.001
        Learning rate.
    schedule : str, default="plateau"
        Course of the learning rate: constant, cosine or plateau.
    weight_decay : float, default=0.0
        How strongly weights are pulled to 0.
    decay_on : str, default="all"
        All, or after-first: the first layer's weights are left free, as K = 1 needs.
    epochs : int, default=300
        Passes over the rows, at most.
    batch : int, default=128
        Rows in a batch; 0 for all.
    patience : int, default=30
        Epochs without a better validation score after which training ends; 0: never.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import MlpRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = MlpRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "mlp"
    _settings = (
        "missing",
        "k",
        "scale",
        "hidden",
        "activation",
        "normalize_hidden",
        "dropout",
        "dropout_kind",
        "optimizer",
        "rate",
        "schedule",
        "weight_decay",
        "decay_on",
        "epochs",
        "batch",
        "patience",
    )

    def __init__(
        self,
        *,
        missing: Any = "sparsity-normalization",
        k: Any = "mean",
        scale: Any = "auto",
        hidden: tuple = (100, 100, 100),
        activation: Any = "relu",
        normalize_hidden: bool = False,
        dropout: float = 0.0,
        dropout_kind: Any = "normalized",
        optimizer: Any = "adam",
        rate: float = 0.001,
        schedule: Any = "plateau",
        weight_decay: float = 0.0,
        decay_on: Any = "all",
        epochs: int = 300,
        batch: int = 128,
        patience: int = 30,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.missing = missing
        self.k = k
        self.scale = scale
        self.hidden = hidden
        self.activation = activation
        self.normalize_hidden = normalize_hidden
        self.dropout = dropout
        self.dropout_kind = dropout_kind
        self.optimizer = optimizer
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.decay_on = decay_on
        self.epochs = epochs
        self.batch = batch
        self.patience = patience
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LinearRegressor(RegressorBase):
    """Linear model: ridge, or logistic regression.

    A weighted sum of the inputs. A missing number counts as its mean and a missing category as its usual
    shares; one more input per column says that it is missing, so that holes that tell something are heard.
    How strongly weights are pulled to 0 is chosen by cross-validation.

    Use it: First of all: it is fast, can be read, and is hard to beat on a few hundred rows.

    Don't use it: When the effect of a column bends, or depends on other columns.

    Paper: Hoerl and Kennard 1970 (ridge); Golub, Heath and Wahba 1979 (choice of strength); Yi et al. 2020
    (Sparsity Normalization).

    Parameters
    ----------
    missing : str, default="mean+missing-indicator"
        What a missing cell becomes: zero, mean, observed-indicator, missing-indicator,
        sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.
    strength : str, default="auto"
        How strongly weights are pulled to 0: auto (by cross-validation) or a number above 0.
    k : str, default="mean"
        With sparsity-normalization, the K in K / (known columns of the row): mean (of the training rows),
        input (number of columns) or a number above 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import LinearRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = LinearRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "linear"
    _settings = (
        "missing",
        "strength",
        "k",
    )

    def __init__(
        self,
        *,
        missing: Any = "mean+missing-indicator",
        strength: Any = "auto",
        k: Any = "mean",
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.missing = missing
        self.strength = strength
        self.k = k
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdditiveRegressor(RegressorBase):
    """Additive model: each column has a curve of its own.

    A sum of curves, one for each number, each a line that may bend at some quantiles of the column, and of an
    effect for each level of a category. A missing cell adds nothing but the effect of being missing. How
    strongly all of it is pulled to 0 is chosen by cross-validation.

    Use it: A few hundred rows on which effects bend but do not depend on each other; curves can be read.

    Don't use it: Effects that depend on other columns (`trees`, `network`), or straight ones (`linear`).

    Paper: Hastie and Tibshirani 1986 (additive models); Friedman and Silverman 1989 (hinges).

    Parameters
    ----------
    bends : int, default=4
        Places in which the effect of each number may bend, at most.
    strength : str, default="auto"
        How strongly weights are pulled to 0: auto (by cross-validation) or a number above 0.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import AdditiveRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = AdditiveRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "additive"
    _settings = (
        "bends",
        "strength",
    )

    def __init__(
        self,
        *,
        bends: int = 4,
        strength: Any = "auto",
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.bends = bends
        self.strength = strength
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConditionalRegressor(RegressorBase):
    """A joint normal, given what is known and what is missing.

    Columns and target together are a normal distribution, learned through the holes. A row's answer comes
    from what its known cells say of the others, solved exactly, and from what its holes say of the values
    that they hide; both are then trained for the target itself. Cross-validation says how far training goes,
    and whether a network behind it pays off.

    Use it: Correlated numbers with many holes, above all where large or small values hide themselves.

    Don't use it: Complete tables (`linear` does the same), effects that bend or interact in many columns
    (`trees`), more than 150 columns after categories became indicators.

    Paper: Dempster, Laird and Rubin 1977; Le Morvan et al. 2020 (NeuMiss, whose series it sums exactly).

    Parameters
    ----------
    head : str, default="auto"
        What answers: auto (by cross-validation), linear, or network (for targets that bend).
    sites : str, default="auto"
        Whether a hole may say something of the value that it hides: auto (by cross-validation), yes or no.
    ridge : default=None
        Added to the diagonal of the covariance; unless given, by cross-validation where rows are few.
    steps : int, default=750
        Steps of each stage of training.
    rate : float, default=0.01
        Adam's rate.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ConditionalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = ConditionalRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "conditional"
    _settings = (
        "head",
        "sites",
        "ridge",
        "steps",
        "rate",
    )

    def __init__(
        self,
        *,
        head: Any = "auto",
        sites: Any = "auto",
        ridge: Any = None,
        steps: int = 750,
        rate: float = 0.01,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.head = head
        self.sites = sites
        self.ridge = ridge
        self.steps = steps
        self.rate = rate
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class TreesRegressor(RegressorBase):
    """Gradient-boosted trees that take missing values as they are.

    Many small decision trees, each correcting the sum of those before it. At every split the rows whose cell
    is missing go to the side that fits them better, or are a side of their own, so holes need no filling.
    Rows set aside say when to stop.

    Use it: Thousands of rows or more, effects that bend or depend on each other, many categories.

    Don't use it: A few hundred rows with straight effects, where `linear` is better; or where a prediction
    must change smoothly.

    Paper: Friedman 2001 (gradient boosting); Ke et al. 2017 (LightGBM: histograms, leaf-wise trees); Twala,
    Jones and Hand 2008 (missing values in splits).

    Parameters
    ----------
    rounds : int, default=1000
        Rounds at most; each adds a tree, or one per class if there are more than two.
    rate : float, default=0.1
        How far each tree goes, up to 1; smaller is often better and slower.
    leaves : int, default=31
        Leaves of a tree at most.
    min_rows : default=None
        Rows of a leaf at least; None: 20, and a 20th of the rows below 400.
    l2 : float, default=1.0
        Pulls the values of leaves to 0.
    bins : int, default=255
        Values of a number column that splits can tell apart, 2 to 255.
    patience : int, default=25
        Rounds without a better validation loss after which the fit ends.
    columns : float, default=1.0
        Share of the columns that each tree may use, drawn for it.
    sample : float, default=1.0
        Share of the rows that each tree learns from, drawn for it.
    members : default=None
        How many fits are averaged, each with another part of the rows set aside; 1: one fit to all rows,
        stopped when two trials say so (above 20,000 rows: when a tenth of the rows does); None: 5, and 1
        above 20,000 rows or where the models of folds are averaged.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import TreesRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = TreesRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "trees"
    _settings = (
        "rounds",
        "rate",
        "leaves",
        "min_rows",
        "l2",
        "bins",
        "patience",
        "columns",
        "sample",
        "members",
    )

    def __init__(
        self,
        *,
        rounds: int = 1000,
        rate: float = 0.1,
        leaves: int = 31,
        min_rows: Any = None,
        l2: float = 1.0,
        bins: int = 255,
        patience: int = 25,
        columns: float = 1.0,
        sample: float = 1.0,
        members: Any = None,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rounds = rounds
        self.rate = rate
        self.leaves = leaves
        self.min_rows = min_rows
        self.l2 = l2
        self.bins = bins
        self.patience = patience
        self.columns = columns
        self.sample = sample
        self.members = members
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ForestRegressor(RegressorBase):
    """The mean of many deep trees, missing values as they are.

    Each tree sees other rows and, at every split, a few columns drawn at random; half of the trees cut
    numbers at random places too. Single trees are rough and differ, their mean is steady. Rows whose cell is
    missing go to the side that fits them better, or are a side of their own.

    Use it: A quick and robust second opinion on any table, from a hundred rows on; noisy targets. It fills
    holes too, column after column from the others.

    Don't use it: Straight effects, or values beyond those of the training rows: its answers stay within them.

    Paper: Breiman 2001 (random forests); Geurts, Ernst and Wehenkel 2006 (extremely randomised trees); Twala,
    Jones and Hand 2008 (missing values in splits).

    Parameters
    ----------
    trees : default=None
        How many; None: 250 (300 in all folds of a cross-validation).
    min_leaf : default=None
        Rows of a leaf at least; None: 1 to 3, and a 2000th of the rows in larger tables.
    columns : default=None
        Share of the columns that a split chooses from; None: 0.33, and 0.5 for a number from up to 20
        columns.
    cuts : str, default="both"
        Best (random forest), random (extra trees) or both, half of the trees each way.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = ForestRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "forest"
    _settings = (
        "trees",
        "min_leaf",
        "columns",
        "cuts",
    )

    def __init__(
        self,
        *,
        trees: Any = None,
        min_leaf: Any = None,
        columns: Any = None,
        cuts: Any = "both",
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.trees = trees
        self.min_leaf = min_leaf
        self.columns = columns
        self.cuts = cuts
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelRegressor(RegressorBase):
    """Gaussian process: alike rows have alike answers.

    The answer is a weighted sum over the training rows, each counting by how alike it is. A row with holes is
    a cloud of places where it could be, given what is known of it, and what counts is the expected likeness:
    the less is known, the nearer the answer stays to the mean. Reach, noise and whether holes speak for
    themselves are chosen by leaving one row out at a time.

    Use it: Up to some thousand rows of numbers with smooth effects that depend on each other.

    Don't use it: Many columns that tell nothing; very many rows (3,000 are drawn); where a file must not hold
    rows.

    Paper: Rasmussen and Williams 2006; Girard et al. 2003 (uncertain inputs).

    Parameters
    ----------
    rows : int, default=3000
        Rows that are learned from, at most; the work grows with their cube.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import KernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = KernelRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "kernel"
    _settings = (
        "rows",
    )

    def __init__(
        self,
        *,
        rows: int = 3000,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.rows = rows
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ImputeThenPredictRegressor(RegressorBase):
    """Any imputer in front of any predictor.

    An imputer learns from the inputs, holes are filled, and a predictor learns from rows without holes; a new
    row is filled and answered by the same two. With draws, a row is filled in many plausible ways and the
    answers are averaged.

    Use it: To compare imputers by what they do to predictions, or for a predictor that can't take holes.

    Don't use it: To predict best: the other predictors also learn from which cells are missing.

    Paper: Le Morvan, Josse, Scornet and Varoquaux 2021; with draws of a variational autoencoder in front of
    classifiers, the Type 2 of a thesis on images with missing pixels.

    Parameters
    ----------
    imputer : default=None
        What fills, any imputer; None: gaussian, or mfa for images.
    predictor : default=None
        What predicts, any predictor; None: linear, or convolutional for images.
    draws : int, default=0
        Ways in which a row is filled and answered; 0: the best guess alone.
    imputer_settings : default=None
        Settings of the imputer, as {"latent": 10}; None: its own.
    predictor_settings : default=None
        Settings of the predictor, as {"trees": 500}; None: its own.
    folds : int, default=0
        Folds of the cross-validation whose models are averaged and that prediction intervals come from; 0:
        one model of all rows, without.
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
        How the methods did in the cross-validation, best first.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from unmiss import ImputeThenPredictRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0]
    >>> X[::4, 1] = np.nan
    >>> model = ImputeThenPredictRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    _method = "impute-then-predict"
    _settings = (
        "imputer",
        "predictor",
        "draws",
        "imputer_settings",
        "predictor_settings",
    )

    def __init__(
        self,
        *,
        imputer: Any = None,
        predictor: Any = None,
        draws: int = 0,
        imputer_settings: Any = None,
        predictor_settings: Any = None,
        folds: int = 0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.imputer = imputer
        self.predictor = predictor
        self.draws = draws
        self.imputer_settings = imputer_settings
        self.predictor_settings = predictor_settings
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class Recommender(RecommenderBase):
    """Predict ratings with whatever does best on ratings held out.

    A share of the ratings is held out, several methods and the weighted mean of them are measured on it, and
    the one that errs least is fitted on all ratings: what the program ``unmiss fit`` does with ratings.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A method's name, several names to choose from, or ``auto`` for the short list (biases, factors,
        autorec) and the blend of it: ``autorec`` (Autoencoder of ratings, with Sparsity Normalization);
        ``factors`` (Matrix factorisation with biases: the mean of many drawn solutions); ``blend`` (Several
        recommenders, each with its weight); ``cf-nade`` (Chances of every rating level from some of the
        others); ``biases`` (Mean rating plus an offset of the user and one of the item).
    settings : dict, default=None
        Settings of the method, by name; with several methods, settings by method.
    test : float, default=0.1
        Share of the ratings held out to choose a method by; what is fitted then learns from all.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.Recommender("factors").fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    def _recipes(self) -> list[tuple[str, dict[str, Any]]]:
        if isinstance(self.method, str) and self.method == "auto":
            if self.settings:
                raise ValueError("settings belong to a method, and none is named\nhint: name it with method=...")
            return []
        return recipes_of(self.method, self.settings, ())

    def _share(self) -> float:
        return float(self.test)

    def __init__(
        self,
        method: Any = "auto",
        *,
        settings: dict | None = None,
        test: float = 0.1,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.method = method
        self.settings = settings
        self.test = test
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AutoRec(RecommenderBase):
    """Autoencoder of ratings, with Sparsity Normalization.

    An item's ratings by all users (or a user's of all items) go through one hidden layer and come back with
    the unknown ones filled in. Inputs are divided by how many ratings are known, so that predictions do not
    drift with that number.

    Use it: From some ten thousand ratings on; the most accurate single method on MovieLens.

    Don't use it: A few thousand ratings in all: `factors` and `biases` are as good and quicker.

    Paper: Sedhain, Menon, Sanner and Xie 2015, AutoRec; Yi et al. 2020, Why Not to Use Zero Imputation?

    Parameters
    ----------
    vectors : str, default="item"
        What a row is: item (its ratings by users) or user.
    normalize : bool, default=True
        Sparsity Normalization: divide a row's inputs by the number of its known ratings.
    k : str, default="hidden"
        K of Sparsity Normalization: mean (number of known ratings), hidden, input, or a number.
    hidden : int, default=500
        Units of the hidden layer.
    members : int, default=1
        Networks whose mean is the answer; each sets other ratings aside. More take longer.
    decay : float, default=200.0
        How strongly weights are pulled to 0.
    decay_on : str, default="both"
        Weights that are pulled: both (layers) or output (alone).
    optimizer : str, default="adam"
        Adam, or rprop (all rows at once).
    rate : float, default=0.001
        Learning rate; of rprop the first step.
    batch : int, default=512
        Rows in a batch, a sixth of all at most; 0: all at once.
    epochs : int, default=1000
        Passes over the ratings, at most.
    patience : int, default=30
        Epochs without a better score of what was set aside after which training ends; 0: never.
    validation : float, default=0.05
        Share of the ratings set aside to tell when to stop; 0: all epochs are done.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.AutoRec(hidden=20, epochs=20).fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    _method = "autorec"
    _settings = (
        "vectors",
        "normalize",
        "k",
        "hidden",
        "members",
        "decay",
        "decay_on",
        "optimizer",
        "rate",
        "batch",
        "epochs",
        "patience",
        "validation",
    )

    def __init__(
        self,
        *,
        vectors: Any = "item",
        normalize: bool = True,
        k: Any = "hidden",
        hidden: int = 500,
        members: int = 1,
        decay: float = 200.0,
        decay_on: Any = "both",
        optimizer: Any = "adam",
        rate: float = 0.001,
        batch: int = 512,
        epochs: int = 1000,
        patience: int = 30,
        validation: float = 0.05,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.vectors = vectors
        self.normalize = normalize
        self.k = k
        self.hidden = hidden
        self.members = members
        self.decay = decay
        self.decay_on = decay_on
        self.optimizer = optimizer
        self.rate = rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.validation = validation
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MatrixFactorization(RecommenderBase):
    """Matrix factorisation with biases: the mean of many drawn solutions.

    A user is a short list of tastes, an item a short list of themes; a rating is the mean plus two offsets
    plus how well the lists agree. Many solutions that the ratings leave likely are drawn, and their
    predictions averaged: who has few ratings is guessed with care, and nothing is to be tuned. With draws =
    0, one solution by alternating least squares.

    Use it: A strong standard for any number of ratings, without a setting to tune.

    Don't use it: Millions of users and items: every draw that is kept takes memory (fewer draws, or draws =
    0).

    Paper: Salakhutdinov and Mnih 2008, Bayesian probabilistic matrix factorization using Markov chain Monte
    Carlo; Koren, Bell and Volinsky 2009, Matrix factorization techniques for recommender systems.

    Parameters
    ----------
    factors : int, default=10
        Length of the lists.
    draws : int, default=50
        Solutions that are drawn and averaged; 0: one, by least squares.
    burn_in : int, default=20
        Rounds before the first draw is kept.
    penalty : float, default=0.1
        With draws = 0: how strongly each rating pulls the factors to 0.
    damp : float, default=5.0
        With draws = 0: how strongly offsets are pulled to 0, in ratings.
    rounds : int, default=30
        With draws = 0: rounds over users and items, at most.
    validation : float, default=0.05
        With draws = 0: share of the ratings set aside to tell when to stop; 0: all rounds are done.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.MatrixFactorization().fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    _method = "factors"
    _settings = (
        "factors",
        "draws",
        "burn_in",
        "penalty",
        "damp",
        "rounds",
        "validation",
    )

    def __init__(
        self,
        *,
        factors: int = 10,
        draws: int = 50,
        burn_in: int = 20,
        penalty: float = 0.1,
        damp: float = 5.0,
        rounds: int = 30,
        validation: float = 0.05,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.factors = factors
        self.draws = draws
        self.burn_in = burn_in
        self.penalty = penalty
        self.damp = damp
        self.rounds = rounds
        self.validation = validation
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RatingBlend(RecommenderBase):
    """Several recommenders, each with its weight.

    Recommenders of different kinds err in different places, so that their weighted mean may err less than the
    best of them. The weights are found on ratings that none of them has learned from; one that does not help
    gets none.

    Use it: When accuracy counts: on each of five sets of ratings it erred less than every part of it.

    Don't use it: When seconds count: every part is trained twice, unless weights are given.

    Paper: Breiman 1996, Stacked regressions.

    Parameters
    ----------
    methods : tuple, default=("autorec", "factors", "biases")
        The recommenders that are mixed, as ["autorec", "factors"].
    weights : tuple, default=()
        The weight of each, as [0.7, 0.3]; []: found on ratings set aside.
    validation : float, default=0.1
        Share of the ratings set aside to find the weights.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.RatingBlend().fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    _method = "blend"
    _settings = (
        "methods",
        "weights",
        "validation",
    )

    def __init__(
        self,
        *,
        methods: tuple = ("autorec", "factors", "biases"),
        weights: tuple = (),
        validation: float = 0.1,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.methods = methods
        self.weights = weights
        self.validation = validation
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CFNade(RecommenderBase):
    """Chances of every rating level from some of the others.

    Some of a row's ratings, chosen anew at every visit, tell the chances of each level of the others; the
    loss knows that levels have an order. Inputs are divided by their number, so that a row with many ratings
    is read like one with few.

    Use it: Where ratings have few levels, up to 20.

    Don't use it: Fine scales, or a short time to train: `autorec` is as accurate and quicker.

    Paper: Zheng, Tang, Ding and Zhou 2016, A neural autoregressive approach to collaborative filtering.

    Parameters
    ----------
    vectors : str, default="item"
        What a row is: item (its ratings by users) or user.
    normalize : bool, default=True
        Sparsity Normalization: divide the sum over inputs by the number of input ratings.
    k : str, default="mean"
        K of Sparsity Normalization: mean (number of known ratings), hidden, input, or a number.
    hidden : int, default=500
        Units of the hidden layer.
    ordinal : float, default=1.0
        How much the order of levels counts in the loss, 0 to 1.
    sharing : bool, default=False
        Whether a level's weights are the sum of those up to it.
    decay : float, default=0.02
        How strongly weights are pulled to 0.
    decay_on : str, default="both"
        Weights that are pulled: both (layers) or output (alone).
    rate : float, default=0.001
        Learning rate.
    plateau : int, default=0
        Epochs without a better score of what was set aside after which the rate is quartered; 0: never.
    averaging : float, default=0.0
        How much of the running mean of the weights each step keeps, such as 0.995; 0: no mean.
    batch : int, default=512
        Rows in a batch; 0 for all.
    epochs : int, default=500
        Passes over the ratings, at most.
    patience : int, default=30
        Epochs without a better score of what was set aside after which training ends; 0: never.
    validation : float, default=0.05
        Share of the ratings set aside to tell when to stop; 0: all epochs are done.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.CFNade(hidden=20, epochs=20).fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    _method = "cf-nade"
    _settings = (
        "vectors",
        "normalize",
        "k",
        "hidden",
        "ordinal",
        "sharing",
        "decay",
        "decay_on",
        "rate",
        "plateau",
        "averaging",
        "batch",
        "epochs",
        "patience",
        "validation",
    )

    def __init__(
        self,
        *,
        vectors: Any = "item",
        normalize: bool = True,
        k: Any = "mean",
        hidden: int = 500,
        ordinal: float = 1.0,
        sharing: bool = False,
        decay: float = 0.02,
        decay_on: Any = "both",
        rate: float = 0.001,
        plateau: int = 0,
        averaging: float = 0.0,
        batch: int = 512,
        epochs: int = 500,
        patience: int = 30,
        validation: float = 0.05,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.vectors = vectors
        self.normalize = normalize
        self.k = k
        self.hidden = hidden
        self.ordinal = ordinal
        self.sharing = sharing
        self.decay = decay
        self.decay_on = decay_on
        self.rate = rate
        self.plateau = plateau
        self.averaging = averaging
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.validation = validation
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RatingBiases(RecommenderBase):
    """Mean rating plus an offset of the user and one of the item.

    How kind a user is and how good an item is, and nothing else. Offsets of users and items with few ratings
    are kept small.

    Use it: As the yardstick that every other recommender must beat.

    Don't use it: To tell tastes apart: everybody gets the same order of items.

    Paper: Koren 2010, Factor in the neighbors: scalable and accurate collaborative filtering.

    Parameters
    ----------
    damp_items : float, default=5.0
        Ratings that count for the mean in an item's offset.
    damp_users : float, default=5.0
        Ratings that count for the mean in a user's offset.
    user : str, default="user"
        The column of users, where ratings come as a data frame.
    item : str, default="item"
        The column of items.
    rating : str, default="rating"
        The column of ratings.
    time : str, default=None
        The column of times: of several ratings for the same user and item the latest counts. None: the one
        that stands last.
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
    users_ : array
        The ids of the users, in ascending order.
    items_ : array
        The ids of the items.
    n_ratings_ : int
        Ratings learned from.
    rating_range_ : tuple of float
        The smallest and the largest of them, between which predictions lie.

    Examples
    --------
    >>> import unmiss
    >>> films = unmiss.sample("films")
    >>> model = unmiss.RatingBiases().fit(films)
    >>> best = model.recommend("user-007", n=3)
    >>> list(best.columns), len(best)
    (['user', 'item', 'score'], 3)
    >>> bool(model.predict([("user-007", "film-001"), ("nobody", "film-001")]).min() >= 1)
    True
    >>> model.recommend_for({"film-001": 5, "film-002": 1.5}, n=4).shape
    (4, 2)
    """

    _method = "biases"
    _settings = (
        "damp_items",
        "damp_users",
    )

    def __init__(
        self,
        *,
        damp_items: float = 5.0,
        damp_users: float = 5.0,
        user: str = "user",
        item: str = "item",
        rating: str = "rating",
        time: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.damp_items = damp_items
        self.damp_users = damp_users
        self.user = user
        self.item = item
        self.rating = rating
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


#: Classes by the name of their method.
IMPUTERS: dict[str, type] = {
    "auto": AutoImputer,
    "forest": ForestImputer,
    "gaussian": GaussianImputer,
    "low-rank": LowRankImputer,
    "chained": ChainedImputer,
    "boosted": BoostedImputer,
    "autoencoder": AutoencoderImputer,
    "autoimpute": AutoimputeImputer,
    "dvae": DvaeImputer,
    "neighbours": NeighboursImputer,
    "self-masking": SelfMaskingImputer,
    "mean": MeanImputer,
    "made": MadeImputer,
}

#: Classes by the name of their method.
CLASSIFIERS: dict[str, type] = {
    "ensemble": EnsembleClassifier,
    "network": NetworkClassifier,
    "neumiss": NeumissClassifier,
    "mlp": MlpClassifier,
    "linear": LinearClassifier,
    "additive": AdditiveClassifier,
    "conditional": ConditionalClassifier,
    "trees": TreesClassifier,
    "forest": ForestClassifier,
    "kernel": KernelClassifier,
    "impute-then-predict": ImputeThenPredictClassifier,
}

#: Classes by the name of their method.
REGRESSORS: dict[str, type] = {
    "ensemble": EnsembleRegressor,
    "network": NetworkRegressor,
    "neumiss": NeumissRegressor,
    "mlp": MlpRegressor,
    "linear": LinearRegressor,
    "additive": AdditiveRegressor,
    "conditional": ConditionalRegressor,
    "trees": TreesRegressor,
    "forest": ForestRegressor,
    "kernel": KernelRegressor,
    "impute-then-predict": ImputeThenPredictRegressor,
}

#: Classes by the name of their method.
RECOMMENDERS: dict[str, type] = {
    "autorec": AutoRec,
    "factors": MatrixFactorization,
    "blend": RatingBlend,
    "cf-nade": CFNade,
    "biases": RatingBiases,
}

__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "AutoImputer",
    "AutoRec",
    "AutoencoderImputer",
    "AutoimputeImputer",
    "BoostedImputer",
    "CFNade",
    "ChainedImputer",
    "Classifier",
    "ConditionalClassifier",
    "ConditionalRegressor",
    "DvaeImputer",
    "EnsembleClassifier",
    "EnsembleRegressor",
    "ForestClassifier",
    "ForestImputer",
    "ForestRegressor",
    "GaussianImputer",
    "ImputeThenPredictClassifier",
    "ImputeThenPredictRegressor",
    "Imputer",
    "KernelClassifier",
    "KernelRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "LowRankImputer",
    "MadeImputer",
    "MatrixFactorization",
    "MeanImputer",
    "MlpClassifier",
    "MlpRegressor",
    "NeighboursImputer",
    "NetworkClassifier",
    "NetworkRegressor",
    "NeumissClassifier",
    "NeumissRegressor",
    "RatingBiases",
    "RatingBlend",
    "Recommender",
    "Regressor",
    "SelfMaskingImputer",
    "TreesClassifier",
    "TreesRegressor",
]
