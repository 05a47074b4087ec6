#!/usr/bin/env bash
# Measures `settee replicate` beside what it is compared with, in the same rounds. Benchmarks/replication/README.md describes
# the figures. Arguments: the program `settee`, the folder of `Local`, the folder of `watch` and `bodies`, a folder for the
# results.
#   FIGURES: which ones (push-pull local attachment many-attachments).  ENGINES: sqlite and lmdb.
#   DOCS: how many documents (100,000).  ROUNDS: 3.  CONTENT: megabytes of the attachment (1,024).
#   CONTENTS: documents with attachments of 10 MiB (100).
set -euo pipefail

settee=$(realpath "$1")
swift_programs=$(realpath "$2")
programs=$(realpath "$3")
mkdir -p "$4"
out=$(realpath "$4")
results=$out/replication.jsonl
benchmarks=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Benchmarks")
here=$benchmarks/replication
figures=${FIGURES:-push-pull local attachment many-attachments}
engines=${ENGINES:-sqlite lmdb}
docs=${DOCS:-100000}
rounds=${ROUNDS:-3}
content=${CONTENT:-1024}
contents=${CONTENTS:-100}

work=$(mktemp -d "${TMPDIR:-/tmp}/settee-replication.XXXXXX")
server=
trap 'stop_server; rm -rf "$work"' EXIT
# shellcheck source=SCRIPTDIR/../Benchmarks/listener/measuring.sh
source "$benchmarks/listener/measuring.sh"
# shellcheck source=SCRIPTDIR/../Benchmarks/replication/figures.sh
source "$here/figures.sh"

for figure in $figures; do
    if ! declare -F "measure_${figure//-/_}" >/dev/null; then
        echo "bench-replication: there is no figure $figure" >&2
        exit 2
    fi
done
for program in jq curl; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-replication: $program is missing (on Debian: apt-get install $program)" >&2
        exit 1
    fi
done
prepare
: >"$results"
for ((round = 1; round <= rounds; round++)); do
    for figure in $figures; do
        echo "round $round: $figure" >&2
        "measure_${figure//-/_}"
    done
done
jq -s --argjson settings "$(settings)" -L "$benchmarks/listener" -f "$here/report.jq" "$results" >"$out/replication.json"
jq -r -f "$benchmarks/listener/table.jq" "$out/replication.json" | tee "$out/replication.md"
