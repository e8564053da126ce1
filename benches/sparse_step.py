"""Time of one epoch of AutoRec in PyTorch, to be compared with crates/unmiss/benches/sparse_step.rs.

    sparse_step.py SHAPE [FILE]

Rows are users, 500 hidden units, 512 rows in a batch, fused Adam on all weights; SHAPE is 1m (or the ratings of FILE,
in the form user::item::rating::time) or 10m, of which 6 batches are timed. Prints the median seconds of five epochs
of the dense form (rows made dense batch by batch) and of the sparse one (CSR: sparse.mm, sampled_addmm, gradients by
hand). THREADS sets the threads (2). CLOCK=cpu THREADS=1 counts processor time, for a busy machine.
"""

import gzip
import os
import statistics
import sys
import time

import numpy as np
import torch

torch.set_num_threads(int(os.environ.get("THREADS", "2")))
HIDDEN, ROWS = 500, 512
clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter


def made(users, items, ratings):
    """Few items are rated by many, few users rate much."""
    rng = np.random.default_rng(1)
    chance = 1 / (np.arange(items) + 50.0)
    chance /= chance.sum()
    zeal = np.exp(1.1 * rng.standard_normal(users))
    counts = np.clip(np.round(zeal / zeal.sum() * ratings), 10, items // 2).astype(int)
    rows = [np.unique(rng.choice(items, count, p=chance)) for count in counts]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.concatenate(rows)
    return items, starts, columns, rng.integers(1, 6, len(columns)).astype(np.float32)


def from_file(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    cells = np.array([line.split("::")[:3] for line in opened], dtype=np.float64)
    users, rows = np.unique(cells[:, 0], return_inverse=True)
    items, columns = np.unique(cells[:, 1], return_inverse=True)
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(users)))])
    return len(items), starts, columns[order], cells[order, 2].astype(np.float32)


shape = sys.argv[1] if len(sys.argv) > 1 else "1m"
if len(sys.argv) > 2:
    items, starts, columns, values = from_file(sys.argv[2])
else:
    items, starts, columns, values = made(6040, 3706, 10**6) if shape == "1m" else made(69878, 10677, 10**7)
batches = None if shape == "1m" else 6
users = len(starts) - 1


def csr(rows):
    places = np.concatenate([np.arange(starts[row], starts[row + 1]) for row in rows])
    ends = np.concatenate([[0], np.cumsum(starts[rows + 1] - starts[rows])])
    return torch.sparse_csr_tensor(
        torch.from_numpy(ends), torch.from_numpy(columns[places]), torch.from_numpy(values[places]),
        size=(len(rows), items))


def weights():
    torch.manual_seed(1)
    v, w = 0.03 * torch.randn(items, HIDDEN), 0.03 * torch.randn(items, HIDDEN)
    return [v.requires_grad_(), torch.zeros(HIDDEN, requires_grad=True), w.requires_grad_(),
            torch.zeros(items, requires_grad=True)]


def dense_step(parameters, rows):
    v, c, w, b = parameters
    x = csr(rows).to_dense()
    scores = torch.sigmoid(x @ v + c) @ w.t() + b
    loss = (((scores - x) * (x != 0)) ** 2).sum()
    loss.backward()
    return loss.item()


def sparse_step(parameters, rows):
    with torch.no_grad():
        v, c, w, b = parameters
        x = csr(rows)
        h = torch.sigmoid(torch.sparse.mm(x, v) + c)
        index = x.col_indices()
        scores = torch.sparse.sampled_addmm(x, h, w.t(), beta=0.0).values() + b[index]
        error = scores - x.values()
        e = torch.sparse_csr_tensor(x.crow_indices(), index, 2 * error, size=x.shape)
        before = torch.sparse.mm(e, w) * h * (1 - h)
        w.grad = torch.sparse.mm(e.t().to_sparse_csr(), h)
        v.grad = torch.sparse.mm(x.t().to_sparse_csr(), before)
        c.grad = before.sum(0)
        b.grad = torch.zeros(items).index_add_(0, index, 2 * error)
        return float((error ** 2).sum())


for name, step in (("torch-dense", dense_step), ("torch-csr", sparse_step)):
    parameters = weights()
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True)
    rng = np.random.default_rng(2)
    seconds = []
    for epoch in range(6):
        order = rng.permutation(users)
        start = clock()
        loss = 0.0
        for first in list(range(0, users, ROWS))[:batches]:
            optimizer.zero_grad()
            loss += step(parameters, order[first:first + ROWS])
            optimizer.step()
        if epoch:
            seconds.append(clock() - start)
    print(f"{name}-{shape} {statistics.median(seconds):.4f}", flush=True)
    if batches is None:
        print(f"{len(values)} ratings; mean squared error {loss / len(values):.4f}", file=sys.stderr)
