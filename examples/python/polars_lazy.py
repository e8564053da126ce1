# %% [markdown]
# # Predicting in a lazy Polars query
# `import unmiss.polars` gives expressions the namespace `unmiss`. A query with it stays lazy and can stream: what a row
# gets depends on that row alone.

# %%
import numpy as np
import polars as pl
import unmiss
import unmiss.polars

horses = pl.from_pandas(unmiss.sample("horse-colic")).drop_nulls("surgical_lesion")
X, y = horses.drop("surgical_lesion"), horses["surgical_lesion"]
model = unmiss.Classifier("linear").fit(X, y)
model.save("colic.unmiss")

# %%
asked = pl.struct(pl.exclude("surgical_lesion"))
query = horses.lazy().with_columns(
    asked.unmiss.predict("colic.unmiss"),
    asked.unmiss.predict_proba("colic.unmiss").alias("chances"),
)
at_once = query.collect()
streamed = query.collect(engine="streaming")
print(at_once.select("surgical_lesion", "prediction").head(3))
chances = at_once["chances"].struct.unnest().to_numpy()
print("the same:", np.array_equal(chances, model.predict_proba(X)), at_once.equals(streamed))
