#!/bin/sh
# Times a training step of unmiss and of PyTorch in turn and prints the medians and their ratio.
#
#   benches/mlp_step.sh [ROUNDS]
#
# PYTHON names an interpreter that has PyTorch; without it a virtual environment is made in target/.
# THREADS (2) is what both sides get; CLOCK=cpu THREADS=1 counts processor time, for a busy machine.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5}
export THREADS="${THREADS:-2}"

if [ -z "${PYTHON:-}" ]; then
    PYTHON=target/torch/bin/python
    if [ ! -x "$PYTHON" ]; then
        python3 -m venv target/torch
        target/torch/bin/pip install --quiet torch numpy
    fi
fi

cargo bench --quiet -p unmiss --bench mlp_step --no-run
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for round in $(seq "$rounds"); do
    cargo bench --quiet -p unmiss --bench mlp_step | sed 's/^/unmiss /' >> "$times"
    "$PYTHON" benches/mlp_step.py | sed 's/^/torch /' >> "$times"
    FUSED=0 "$PYTHON" benches/mlp_step.py | sed 's/^/torch-default /' >> "$times"
    echo "round $round of $rounds done" >&2
done

"$PYTHON" - "$times" <<'PYTHON'
import collections, statistics, sys
times = collections.defaultdict(list)
for line in open(sys.argv[1]):
    side, task, value = line.split()
    times[task, side].append(float(value))
for task in ("small", "large"):
    ours = statistics.median(times[task, "unmiss"])
    print(f"{task}: unmiss {ours:.0f} us", end="")
    for side, name in (("torch", "PyTorch, fused Adam"), ("torch-default", "PyTorch, default Adam")):
        theirs = statistics.median(times[task, side])
        print(f"; {name} {theirs:.0f} us, ratio {ours / theirs:.2f}", end="")
    print()
PYTHON
