# %% [markdown]
# # Filling holes
# A table of 300 horses with colic: a quarter of its cells is missing. The cells marked `# %%` open as a notebook in
# most editors.

# %%
import numpy as np
import unmiss

horses = unmiss.sample("horse-colic")
print(unmiss.describe(horses))

# %% [markdown]
# One line fills the table. Known cells, names, whole numbers and categories stay as they are.

# %%
imputer = unmiss.Imputer("gaussian", within={"pulse": (20, None)}).fit(horses)
full = imputer.transform(horses)
print(full.isna().sum().sum(), "cells are missing;", full.shape)

# %% [markdown]
# How good is that? Hide known cells, fill them, and see which imputer comes nearest to the truth.

# %%
found = unmiss.compare(horses, methods=["mean", "gaussian", "chained"], repeats=2)
print(found)

# %% [markdown]
# One filled table pretends to know what it guessed. For an analysis, fill it several plausible ways, analyse each, and
# pool: the standard error then has the holes in it.

# %%
draws = imputer.draw(horses, 10)
means = np.array([draw["pulse"].mean() for draw in draws])
errors = np.array([draw["pulse"].std() / len(draw) ** 0.5 for draw in draws])
pooled = unmiss.pool(means, errors, complete_df=len(horses) - 1)
print(f"mean pulse {pooled.estimate:.1f}, from {pooled.low:.1f} to {pooled.high:.1f}")
print(f"{100 * pooled.share_of_holes:.0f} % of its variance is due to the holes")

# %% [markdown]
# A fitted imputer is a file, for new rows and for the program `unmiss impute --with`.

# %%
imputer.save("colic-imputer.unmiss")
print(unmiss.load("colic-imputer.unmiss").transform(horses.head(1)).iloc[0].to_dict())
