"""Draws python-audit.svg, the picture of the README's Python minute."""

import pathlib

import matplotlib
import unmiss

matplotlib.use("svg")
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["svg.hashsalt"] = "unmiss"

horses = unmiss.sample("horse-colic").dropna(subset="surgical_lesion")
X, y = horses.drop(columns="surgical_lesion"), horses["surgical_lesion"]
model = unmiss.Classifier().fit(X, y)
axes = unmiss.audit(model, X, y).plot()
path = pathlib.Path(__file__).with_name("python-audit.svg")
axes.figure.savefig(path, metadata={"Date": None})
print(model.method_, path.stat().st_size, "bytes")
