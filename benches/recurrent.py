"""Time of a training step of a recurrent network in PyTorch, to be compared with crates/unmiss/benches/recurrent.rs.

A layer of 108 units over series of 35 variables, a linear answer from the last state, fused Adam. Prints one line for
each task: its name and the least milliseconds of a step. THREADS sets the threads (2); CLOCK=cpu counts processor time,
for a busy machine; ONLY names the tasks to time, by their beginnings, separated by commas.
"""

import os
import time

import torch
from torch import nn

VARIABLES, UNITS, TOGETHER = 35, 108, 3
clock = time.process_time if os.environ.get("CLOCK") == "cpu" else time.perf_counter
torch.set_num_threads(int(os.environ.get("THREADS", "2")))

TASKS = [
    ("lstm-64x48", nn.LSTM, 64, 48, False),
    ("lstm-64x288", nn.LSTM, 64, 288, False),
    ("lstm-512x48", nn.LSTM, 512, 48, False),
    ("lstm-512x288", nn.LSTM, 512, 288, False),
    ("lstm-ragged-512x288", nn.LSTM, 512, 288, True),
    ("gru-64x48", nn.GRU, 64, 48, False),
    ("gru-64x288", nn.GRU, 64, 288, False),
    ("gru-512x48", nn.GRU, 512, 48, False),
    ("gru-512x288", nn.GRU, 512, 288, False),
]


def least(kind, series, most, ragged):
    torch.manual_seed(1)
    layer, answer = kind(VARIABLES, UNITS), nn.Linear(UNITS, 1)
    optimizer = torch.optim.Adam([*layer.parameters(), *answer.parameters()], lr=1e-3, fused=True)
    x, target = torch.randn(most, series, VARIABLES), torch.randn(series)
    if ragged:
        lengths = [1 + (at * 97) % most for at in range(series)]
        x = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)

    def together():
        start = clock()
        for _ in range(TOGETHER):
            optimizer.zero_grad()
            last = layer(x)[1]
            last = (last[0] if isinstance(last, tuple) else last)[0]
            ((answer(last)[:, 0] - target) ** 2).mean().backward()
            optimizer.step()
        return (clock() - start) / TOGETHER

    together()
    return min(together() for _ in range(int(os.environ.get("TIMES", "3"))))


only = os.environ.get("ONLY", "").split(",")
for name, kind, series, most, ragged in TASKS:
    if any(name.startswith(start) for start in only):
        print(f"{name} {1e3 * least(kind, series, most, ragged):.2f}", flush=True)
