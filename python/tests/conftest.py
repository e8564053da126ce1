"""scikit-learn checks array API input only where SciPy was told of it before it is loaded."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")
