#!/usr/bin/env bash
# Measures how costs and memory grow with the number of documents, and what happens when the files are larger than memory.
# Arguments: the program `settee`, a folder for the results.
#   SIZES: numbers of documents; those that the disk has no room for are left out. Above 1,000,000 there is one round,
#   without random IDs and without compaction, which take hours.
#   ENGINES: storage types; sqlite, sqlcipher and lmdb if it is not set.
#   MEMORY: megabytes of the memory-limited run; 0: none.  LIMITED_DOCS: its documents, whose files are larger.
set -euo pipefail

settee=$1
out=$2
sizes=${SIZES:-10000 100000 1000000 10000000}
memory=${MEMORY:-256}
limited=${LIMITED_DOCS:-1000000}
mkdir -p "$out"

# A document takes about 650 bytes of a file, a log or a second copy as many again, and there are three engines with files.
free=$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $4 * 1024 }')
few=()
many=()
for size in $sizes; do
    if ((size * 650 * 2 * 3 >= free)); then
        echo "bench-scale: the disk has no room for $size documents" >&2
    elif ((size > 1000000)); then
        many+=(--docs "$size")
    else
        few+=(--docs "$size")
    fi
done
if [[ ${#few[@]} == 0 && ${#many[@]} == 0 ]]; then
    echo "bench-scale: nothing to measure" >&2
    exit 1
fi
engines=()
for name in ${ENGINES:-sqlite sqlcipher lmdb}; do engines+=(--storage-type "$name"); done
workloads=()
for name in insert-batch read-single scan-lent update view-build open; do workloads+=(--workload "$name"); done
if [[ ${#few[@]} != 0 ]]; then
    "$settee" bench run "${few[@]}" "${workloads[@]}" --workload insert-random --workload compact "${engines[@]}" \
        --rounds "${ROUNDS:-1}" --output "$out/scale.json" --html "$out/scale.html"
fi
if [[ ${#many[@]} != 0 ]]; then
    "$settee" bench run "${many[@]}" "${workloads[@]}" "${engines[@]}" --rounds 1 \
        --output "$out/scale-large.json" --html "$out/scale-large.html"
fi

[[ $memory != 0 ]] || exit 0
if ((limited * 650 * 2 * 2 > free)); then
    echo "bench-scale: the disk has no room for the memory-limited run" >&2
    exit 1
fi
reads=(--workload read-single --workload scan-lent)
# Without the plain C programs: theirs on LMDB reads ahead, and is not done within 20 minutes.
run=(env -u SETTEE_BASELINE "$settee" bench run --docs "$limited" "${reads[@]}" --storage-type sqlite --storage-type lmdb --rounds 1
    --output "$out/limited.json" --html "$out/limited.html")
group=settee-bench-$$
if [[ -w /sys/fs/cgroup/memory ]]; then
    place=/sys/fs/cgroup/memory/$group
    mkdir "$place"
    trap 'rmdir "$place" 2>/dev/null || true' EXIT
    echo $((memory * 1024 * 1024)) >"$place/memory.limit_in_bytes"
    (echo "$BASHPID" >"$place/cgroup.procs" && exec "${run[@]}")
elif [[ -w /sys/fs/cgroup && -e /sys/fs/cgroup/cgroup.controllers ]]; then
    place=/sys/fs/cgroup/$group
    mkdir "$place"
    trap 'rmdir "$place" 2>/dev/null || true' EXIT
    echo $((memory * 1024 * 1024)) >"$place/memory.max"
    (echo "$BASHPID" >"$place/cgroup.procs" && exec "${run[@]}")
elif command -v systemd-run >/dev/null; then
    systemd-run --user --scope -p "MemoryMax=${memory}M" "${run[@]}"
else
    echo "bench-scale: memory cannot be limited here: no control group can be made (try as root)" >&2
fi
