#!/bin/sh
# Times a training step of recurrent networks of unmiss and of PyTorch in turn, and prints the least of all rounds and
# their ratio.
#
#   benches/recurrent.sh [ROUNDS]
#
# PYTHON names an interpreter that has PyTorch; without it a virtual environment is made in target/. OURS names the
# program to time, if it is built already. THREADS (2) is what both sides get; CLOCK=cpu counts processor time, for a
# busy machine. ONLY picks tasks by their beginnings, such as ONLY=lstm-64,gru.
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

ours="${OURS:-cargo bench --quiet -p unmiss --bench recurrent}"
[ -n "${OURS:-}" ] || cargo bench --quiet -p unmiss --bench recurrent --no-run
times=$(mktemp)
trap 'rm -f "$times"' EXIT
for round in $(seq "$rounds"); do
    $ours | sed 's/^/unmiss /' >> "$times"
    "$PYTHON" benches/recurrent.py | sed 's/^/torch /' >> "$times"
    echo "round $round of $rounds done" >&2
done

"$PYTHON" - "$times" <<'PYTHON'
import collections, sys
times = collections.defaultdict(dict)
for line in open(sys.argv[1]):
    side, task, value = line.split()
    times[task][side] = min(float(value), times[task].get(side, float("inf")))
print("| task | unmiss ms | PyTorch ms | ratio |")
print("|---|---|---|---|")
for task, own in times.items():
    print(f"| {task} | {own['unmiss']:.1f} | {own['torch']:.1f} | {own['unmiss'] / own['torch']:.2f} |")
PYTHON
