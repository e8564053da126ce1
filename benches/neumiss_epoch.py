"""Time of a NeuMiss epoch in PyTorch, to be compared with crates/unmiss/benches/neumiss_epoch.rs.

The block of 2020 with residuals, depth 10, before a linear answer; 100,000 rows of 20 columns, batches of 100, Adam.
Prints the median seconds of an epoch. THREADS sets the threads (2), EPOCHS how many are timed (3); FUSED=0 takes
PyTorch's default Adam in place of its fused one, its fastest. CLOCK=cpu counts processor time, for a busy machine.
"""

import os
import statistics
import time

import torch
from torch import nn

ROWS, COLUMNS, DEPTH, BATCH = 100_000, 20, 10, 100
clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter
torch.set_num_threads(int(os.environ.get("THREADS", "2")))


class NeuMiss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(COLUMNS))
        self.layers = nn.ParameterList(nn.Parameter(torch.empty(COLUMNS, COLUMNS)) for _ in range(DEPTH))
        self.mix = nn.Parameter(torch.empty(COLUMNS, COLUMNS))
        self.answer = nn.Linear(COLUMNS, 1)
        for matrix in [*self.layers, self.mix]:
            nn.init.xavier_normal_(matrix, 0.5)

    def forward(self, x, missing):
        known = 1 - missing
        v = x - known * self.mu
        h = (v @ self.layers[0]) * known
        for matrix in self.layers[1:]:
            h = (h @ matrix) * known + v
        z = (h @ self.mix) * missing + x + missing * self.mu
        return self.answer(z)[:, 0]


torch.manual_seed(1)
missing = (torch.rand(ROWS, COLUMNS) < 0.5).float()
x = torch.randn(ROWS, COLUMNS) * (1 - missing)
target = torch.randn(ROWS)
net = NeuMiss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=os.environ.get("FUSED", "1") == "1")


def epoch(batches):
    start = clock()
    for rows in torch.randperm(ROWS).split(BATCH)[:batches]:
        optimizer.zero_grad()
        loss = ((net(x[rows], missing[rows]) - target[rows]) ** 2).mean()
        loss.backward()
        optimizer.step()
    return clock() - start


epoch(50)
print(f"{statistics.median(epoch(ROWS // BATCH) for _ in range(int(os.environ.get('EPOCHS', '3')))):.3f}", flush=True)
