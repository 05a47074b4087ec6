#!/usr/bin/env bash
# Runs the tests that were built, in two processes at once: the tests of the commands wait for programs most of the time,
# and in one process they would keep its few threads from the other tests. Arguments: those of `swift test`; with
# `--filter` there is one process. SWIFT names the program.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The lock of a build folder is for builds.
tests=("${SWIFT:-swift}" test --skip-build --ignore-lock "$@")
if [[ " $* " == *' --filter '* ]]; then exec "${tests[@]}"; fi

output=$(mktemp)
trap 'rm -f "$output"' EXIT
"${tests[@]}" --filter '^CommandTests\.' >"$output" 2>&1 &
"${tests[@]}" --skip '^CommandTests\.'
status=$?
wait $! || status=$?
cat "$output"
exit "$status"
