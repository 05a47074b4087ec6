#!/usr/bin/env bash
# Measures the listener beside what it is compared with, in the same rounds. Benchmarks/listener/README.md describes the
# figures. Arguments: the program `settee`, the folder of `Bare` and `Local`, the folder of `load`, `watch` and `bodies`,
# a folder for the results.
#   FIGURES: which ones (get bulk puts all-docs changes attachment slow feeds view).  ENGINES: sqlite and lmdb.
#   DOCS: how many documents (100,000).  ROUNDS: 3.  DURATION: seconds of each run by time (5).
#   CONNECTIONS: 64.  FEEDS: 5,000.  READERS: 200.  CONTENT: megabytes of the attachment (1,024).
set -euo pipefail

settee=$(realpath "$1")
swift_programs=$(realpath "$2")
programs=$(realpath "$3")
mkdir -p "$4"
out=$(realpath "$4")
results=$out/listener.jsonl
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Benchmarks/listener")
figures=${FIGURES:-get bulk puts all-docs changes attachment slow feeds view}
engines=${ENGINES:-sqlite lmdb}
docs=${DOCS:-100000}
rounds=${ROUNDS:-3}
duration=${DURATION:-5}
connections=${CONNECTIONS:-64}
feeds=${FEEDS:-5000}
readers=${READERS:-200}
content=${CONTENT:-1024}

work=$(mktemp -d "${TMPDIR:-/tmp}/settee-listener.XXXXXX")
server=
trap 'stop_server; rm -rf "$work"' EXIT
# shellcheck source=SCRIPTDIR/../Benchmarks/listener/measuring.sh
source "$here/measuring.sh"
# shellcheck source=SCRIPTDIR/../Benchmarks/listener/figures.sh
source "$here/figures.sh"

for figure in $figures; do
    if ! declare -F "measure_${figure//-/_}" >/dev/null; then
        echo "bench-listener: there is no figure $figure" >&2
        exit 2
    fi
done
# Not every user has the folder of servers on the path.
PATH=$PATH:/usr/sbin:/usr/local/sbin
needed=(wrk jq curl)
if [[ " $figures " == *" attachment "* ]]; then needed+=(nginx); fi
for program in "${needed[@]}"; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-listener: $program is missing (on Debian: apt-get install $program)" >&2
        exit 1
    fi
done
ulimit -n "$(ulimit -Hn)"
prepare
: >"$results"
for ((round = 1; round <= rounds; round++)); do
    for figure in $figures; do
        echo "round $round: $figure" >&2
        "measure_${figure//-/_}"
    done
done
jq -s --argjson settings "$(settings)" -L "$here" -f "$here/report.jq" "$results" >"$out/listener.json"
jq -r -f "$here/table.jq" "$out/listener.json" | tee "$out/listener.md"
