# %% [markdown]
# # Predicting in Dask
# `map_partitions` takes the adapter as it is; `meta` says what comes out.

# %%
import dask
import dask.dataframe as dd
import numpy as np
import unmiss

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
X, y = horses.drop(columns="surgical_lesion"), horses["surgical_lesion"]
unmiss.Classifier("linear").fit(X, y).save("colic.unmiss")

# %%
model = unmiss.arrow("colic.unmiss")
# New processes read this file again: only the first one gives out work.
if __name__ == "__main__":
    rows = dd.from_pandas(X, npartitions=5)
    with dask.config.set(scheduler="processes", num_workers=2):
        answers = rows.map_partitions(model, meta=model(X.head(0))).compute()
    whole = model(X)
    name = whole.columns[1]
    print(len(answers), "rows;", "the same:", np.array_equal(answers[name].to_numpy(), whole[name].to_numpy()))
