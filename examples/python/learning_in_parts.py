# %% [markdown]
# # Learning from rows in parts
# A fit that is a sum over rows (`mean`, `linear`, `gaussian`) is made where the rows lie: every part answers a few
# questions, and the answers are added up. Here the parts are partitions of Dask, on two local workers.

# %%
import dask
import dask.dataframe as dd
import unmiss

horses = unmiss.sample("horse-colic").drop(columns="surgical_lesion")

# New processes read this file again: only the first one gives out work.
if __name__ == "__main__":
    rows = dd.from_pandas(horses, npartitions=5)
    with dask.config.set(scheduler="processes", num_workers=2):
        filler = unmiss.fit_parts(rows, "gaussian", settings={"rounds": 10})
    filler.save("filler.unmiss")

    # %% [markdown]
    # The model has the same bits as the one of all rows in a single part.

    # %%
    unmiss.fit_parts([horses], "gaussian", settings={"rounds": 10}).save("whole.unmiss")
    same = open("filler.unmiss", "rb").read() == open("whole.unmiss", "rb").read()
    print(filler.transform(horses).isna().sum().sum(), "holes left;", "the same:", same)
