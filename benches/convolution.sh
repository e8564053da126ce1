#!/bin/sh
# Times convolutions and the training step of a small CNN of unmiss and of PyTorch in turn, and prints the least of all
# rounds and their ratio, with PyTorch's default layout and with channels last (and fused Adam).
#
#   benches/convolution.sh [ROUNDS]
#
# PYTHON names an interpreter that has PyTorch; without it a virtual environment is made in target/. OURS names the
# program to time, if it is built already. THREADS (2) is what both sides get; CLOCK=cpu THREADS=1 counts processor
# time, for a busy machine. ONLY picks tasks by their beginnings, such as ONLY=A24,step.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-3}
export THREADS="${THREADS:-2}"

if [ -z "${PYTHON:-}" ]; then
    PYTHON=target/torch/bin/python
    if [ ! -x "$PYTHON" ]; then
        python3 -m venv target/torch
        target/torch/bin/pip install --quiet torch numpy
    fi
fi

ours="${OURS:-cargo bench --quiet -p unmiss --bench convolution}"
[ -n "${OURS:-}" ] || cargo bench --quiet -p unmiss --bench convolution --no-run
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for round in $(seq "$rounds"); do
    $ours | sed 's/^/unmiss /' >> "$times"
    "$PYTHON" benches/convolution.py | sed 's/^/torch /' >> "$times"
    LAYOUT=channels-last "$PYTHON" benches/convolution.py | sed 's/^/best /' >> "$times"
    echo "round $round of $rounds done" >&2
done

"$PYTHON" - "$times" <<'PYTHON'
import collections, sys
times = collections.defaultdict(dict)
for line in open(sys.argv[1]):
    side, task, value = line.split()
    times[task][side] = min(float(value), times[task].get(side, float("inf")))
print("| task | unmiss us | PyTorch us | ratio | channels last us | ratio |")
print("|---|---|---|---|---|---|")
for task, own in times.items():
    ours = own["unmiss"]
    theirs = "".join(
        f" | {own[side]:.0f} | {ours / own[side]:.2f}" if side in own else " | |" for side in ("torch", "best"))
    print(f"| {task} | {ours:.0f}{theirs} |")
PYTHON
