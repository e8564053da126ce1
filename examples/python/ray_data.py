# %% [markdown]
# # Predicting on a Ray cluster
# `unmiss.arrow` is a function from Arrow batch to Arrow batch. It travels to the workers as a path, and each reads the
# model once. Here the cluster is two local workers.

# %%
import numpy as np
import pyarrow as pa
import ray
import unmiss

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
X, y = horses.drop(columns="surgical_lesion"), horses["surgical_lesion"]
unmiss.Classifier("linear").fit(X, y).save("colic.unmiss")

# %%
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
model = unmiss.arrow("colic.unmiss")
rows = ray.data.from_arrow(pa.Table.from_pandas(X, preserve_index=False)).repartition(4)
answers = rows.map_batches(model, batch_format="pyarrow", batch_size=40).to_pandas()
ray.shutdown()

# %% [markdown]
# The same rows give the same answers, bit for bit, however they were cut into batches.

# %%
whole = model(X)
name = whole.columns[1]
print(len(answers), "rows;", "the same:", np.array_equal(np.sort(answers[name]), np.sort(whole[name])))
