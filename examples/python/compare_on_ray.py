# %% [markdown]
# # Comparing methods on a Ray cluster
# Every fit of a comparison (a method on one part of the rows, its tuning included) is a task of its own. Here the
# cluster is two local workers.

# %%
import ray
import unmiss

penguins = unmiss.sample("penguins").dropna(subset="body_mass_g")
asked = {"methods": ["linear", "trees"], "folds": 2, "repeats": 1}

# %%
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
comparison = unmiss.compare(penguins, "body_mass_g", engine="ray", **asked)
ray.shutdown()
print(comparison)

# %% [markdown]
# Here, one after the other, it comes to the same.

# %%
print("the same:", comparison.words == unmiss.compare(penguins, "body_mass_g", **asked).words)
