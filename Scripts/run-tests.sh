#!/usr/bin/env bash
# Runs the tests that were built, in three processes at once: many of them wait for other programs, for locks and for disks,
# and a process has only as many threads for tests as there are processors. Arguments: those of `swift test`; with
# `--filter` there is one process. SWIFT names the program.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The lock of a build folder is for builds.
tests=("${SWIFT:-swift}" test --skip-build --ignore-lock "$@")
if [[ " $* " == *' --filter '* ]]; then exec "${tests[@]}"; fi

commands='^CommandTests\.'
engine='^(EngineTests|TransferTests)\.'
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
"${tests[@]}" --filter "$commands" >"$outputs/commands" 2>&1 &
first=$!
"${tests[@]}" --filter "$engine" >"$outputs/engine" 2>&1 &
second=$!
"${tests[@]}" --skip "$commands" --skip "$engine"
status=$?
wait "$first" || status=$?
wait "$second" || status=$?
cat "$outputs/commands" "$outputs/engine"
exit "$status"
