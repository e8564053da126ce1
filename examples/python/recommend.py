# %% [markdown]
# # Ratings
# Who rated what and how: nearly every cell of that table is missing. The sample has made ratings of 200 films by 300
# users. The cells marked `# %%` open as a notebook in most editors.

# %%
import pandas as pd
import scipy.sparse
import unmiss

films = unmiss.sample("films")
print(films.head())

# %% [markdown]
# Set a tenth of the ratings aside and see how well they are predicted: by averages alone, by factors, by a network.

# %%
test = films.sample(frac=0.1, random_state=0)
train = films.drop(test.index)
for model in (unmiss.RatingBiases(), unmiss.MatrixFactorization(), unmiss.AutoRec(hidden=100, decay=10)):
    print(f"{type(model).__name__:20} error {model.fit(train).rmse(test):.3f}")

# %% [markdown]
# What should user 7 see next? Films they rated are not in the list. Whoever the model does not know gets the averages.

# %%
model = unmiss.MatrixFactorization().fit(films)
print(model.recommend("user-007", n=5))
print(model.predict([("user-007", "film-001"), ("nobody", "film-001")]))

# %% [markdown]
# Somebody new rates three films. Nothing is learned again.

# %%
print(model.recommend_for({"film-001": 5, "film-004": 1.5, "film-020": 4}, n=5))

# %% [markdown]
# A sparse matrix goes in as it is and never becomes dense. Its ids are positions.

# %%
users, items = pd.factorize(films["user"]), pd.factorize(films["item"])
cells = scipy.sparse.coo_array((films["rating"], (users[0], items[0]))).tocsr()
print(unmiss.MatrixFactorization().fit(cells).recommend([6], n=3))

# %% [markdown]
# Do predictions drift with how many ratings somebody gave? They should not. And a model is a file that the program
# `unmiss recommend` reads too.

# %%
print(model.audit(pairs=50))
model.save("films.unmiss")
print(unmiss.load("films.unmiss").recommend("user-007", n=1))
