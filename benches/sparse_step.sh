#!/bin/sh
# Times an epoch of AutoRec on ratings in unmiss and in PyTorch (dense and CSR) in turn.
#
#   benches/sparse_step.sh SHAPE [FILE]        SHAPE: 1m or 10m; FILE: a MovieLens ratings.dat, plain or .gz
#
# PYTHON names an interpreter that has PyTorch. THREADS (2) is what both sides get; CLOCK=cpu THREADS=1 counts
# processor time, for a busy machine.
set -eu
cd "$(dirname "$0")/.."
export THREADS="${THREADS:-2}"
cargo bench --quiet -p unmiss --bench sparse_step --no-run
for round in 1 2 3; do
    cargo bench --quiet -p unmiss --bench sparse_step -- "$@"
    "${PYTHON:-python3}" benches/sparse_step.py "$@"
done
