"""Time until item AutoRec with Sparsity Normalization errs no more than a target: unmiss beside PyTorch.

    benches/time_to_error.py --data DIR [--target 0.8294] [--seed 0]

DIR holds MovieLens 1M (`ratings.dat`, gzipped or not); 10 % of the ratings are held out as in ratings.py. Of unmiss the
whole `AutoRec().fit` is timed, with what it sets aside and the epochs it waits before it stops. PyTorch does the same
steps (CSR: sparse.mm, sampled_addmm, gradients by hand, fused Adam; first weights, decay, rate and batches the same) on
all ratings but the held-out ones, and stops as soon as the held-out error is down to the target, which nobody could
know; looking at the error is not timed. So the comparison leans to PyTorch. Both use THREADS (2) threads.
"""

import argparse
import os
import pathlib
import time
import warnings

import numpy as np
import torch
import unmiss
from ratings import ratings

THREADS = int(os.environ.get("THREADS", "2"))
HIDDEN, K, DECAY, ROWS, RATE = 500, 500.0, 200.0, 512, 1e-3


class AutoRec:
    """Rows are items: `x = K r / known`, `s = W sigmoid(V x + c) + b`."""

    def __init__(self, train, users, items, seed):
        torch.manual_seed(seed)
        self.users, self.items = users, items
        order = np.lexsort((train["user"], train["item"]))
        self.columns = train["user"].to_numpy()[order]
        self.values = train["rating"].to_numpy(dtype=np.float32)[order]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(train["item"], minlength=items))])
        self.v = (0.01 * torch.randn(users, HIDDEN)).requires_grad_()
        self.w = (0.01 * torch.randn(users, HIDDEN)).requires_grad_()
        self.c, self.b = torch.zeros(HIDDEN, requires_grad=True), torch.zeros(users, requires_grad=True)
        groups = [{"params": [self.v, self.w]}, {"params": [self.c, self.b]}]
        self.optimizer = torch.optim.Adam(groups, lr=RATE, fused=True)
        self.rng = np.random.default_rng(seed)

    def matrices(self, rows):
        """Inputs and ratings of some rows."""
        places = np.concatenate([np.arange(self.starts[row], self.starts[row + 1]) for row in rows])
        known = self.starts[rows + 1] - self.starts[rows]
        ends = torch.from_numpy(np.concatenate([[0], np.cumsum(known)]))
        columns, values = torch.from_numpy(self.columns[places]), self.values[places]
        inputs = torch.from_numpy(values * np.repeat(K / np.maximum(known, 1), known).astype(np.float32))
        size = (len(rows), self.users)
        return (torch.sparse_csr_tensor(ends, columns, inputs, size=size), torch.from_numpy(values))

    def step(self, rows):
        x, r = self.matrices(rows)
        index = x.col_indices()
        h = torch.sigmoid(torch.sparse.mm(x, self.v) + self.c)
        error = torch.sparse.sampled_addmm(x, h, self.w.t(), beta=0.0).values() + self.b[index] - r
        e = torch.sparse_csr_tensor(x.crow_indices(), index, 2 * error, size=x.shape)
        before = torch.sparse.mm(e, self.w) * h * (1 - h)
        self.w.grad = torch.sparse.mm(e.t().to_sparse_csr(), h)
        self.v.grad = torch.sparse.mm(x.t().to_sparse_csr(), before)
        self.c.grad = before.sum(0)
        self.b.grad = torch.zeros(self.users).index_add_(0, index, 2 * error)
        self.optimizer.param_groups[0]["weight_decay"] = DECAY * len(rows) / self.items
        self.optimizer.step()

    def epoch(self):
        order = self.rng.permutation(self.items)
        for first in range(0, self.items, ROWS):
            self.step(order[first:first + ROWS])

    def predict(self, test):
        x, _ = self.matrices(np.arange(self.items))
        h = torch.sigmoid(torch.sparse.mm(x, self.v) + self.c)
        user, item = torch.from_numpy(test["user"].to_numpy()), torch.from_numpy(test["item"].to_numpy())
        parts = [self.b[u] + (h[i] * self.w[u]).sum(1) for u, i in zip(user.split(8192), item.split(8192))]
        return torch.cat(parts).clamp(1, 5).numpy()


def error(predicted, test):
    return float(np.sqrt(np.mean((predicted - test["rating"].to_numpy()) ** 2)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--target", type=float, default=0.8294, help="the published error by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=300, help="of PyTorch, at most")
    arguments = parser.parse_args()
    torch.set_num_threads(THREADS)
    warnings.filterwarnings("ignore", message="Sparse|.*not writable")
    table = ratings(arguments.data)
    for name in ("user", "item"):
        table[name] = np.unique(table[name], return_inverse=True)[1]
    held = np.zeros(len(table), dtype=bool)
    held[np.random.default_rng(arguments.seed).permutation(len(table))[: round(0.1 * len(table))]] = True
    train, test = table[~held], table[held]

    began = time.perf_counter()
    ours = unmiss.AutoRec(n_jobs=THREADS, random_state=arguments.seed).fit(train)
    seconds = time.perf_counter() - began
    print(f"unmiss: {seconds:.1f} s to the end, error {error(ours.predict(test), test):.4f}", flush=True)

    with torch.no_grad():
        theirs = AutoRec(train, table["user"].max() + 1, table["item"].max() + 1, arguments.seed)
        seconds, least = 0.0, np.inf
        for epoch in range(1, arguments.epochs + 1):
            began = time.perf_counter()
            theirs.epoch()
            seconds += time.perf_counter() - began
            now = error(theirs.predict(test), test)
            least = min(least, now)
            if now <= arguments.target:
                break
            if epoch % 10 == 0:
                print(f"PyTorch: epoch {epoch}, {seconds:.1f} s, error {now:.4f}", flush=True)
    reached = "reached" if least <= arguments.target else "not reached"
    print(f"PyTorch: {arguments.target} {reached} after {epoch} epochs, {seconds:.1f} s; least error {least:.4f}")


if __name__ == "__main__":
    main()
