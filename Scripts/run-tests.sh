#!/usr/bin/env bash
# Runs the tests that were built, in four processes at once: many of them wait for other programs, for locks and for disks,
# and a process has only as many threads for tests as there are processors. Those that speak over a network have one of
# their own: their steps have limits of time, and would wait for all others between two steps. Arguments: those of
# `swift test`; with `--filter` there is one process. SWIFT names the program.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift=${SWIFT:-swift}
program=
if [[ " $* " != *' --filter '* ]]; then
    program=$("$swift" build "$@" --show-bin-path)/setteePackageTests.xctest
fi
# On a Mac it is a bundle, which `swift test` loads.
if [[ ! -f $program ]]; then exec "$swift" test --skip-build "$@"; fi

# Not by `swift test`: of several at once only one gets the database of the build. What bash starts in the background
# ignores SIGINT (and SIGHUP under nohup), and so would the programs that the tests start and interrupt.
tests=(env --default-signal=HUP,INT,QUIT "$program" --testing-library swift-testing)
# A test that waits lets the next begin: without a bound, a hundred databases are open at once.
tests+=(--experimental-maximum-parallelization-width 16)
# What Debian gives a user. And Foundation's Process reads beyond its memory, which may end the process, when it lists
# more than 1,350 open files.
ulimit -Sn 1024
commands='^CommandTests\.'
# These wait for programs that they kill.
kills='^CommandTests\.[A-Za-z]*(Crash|Failed|Resumed)'
engine='^(EngineTests|TransferTests)\.'
network='^(ListenerTests|ReplicatorTests|DiscoveryTests|CouchProtocolTests)\.'
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
"${tests[@]}" --filter "$commands" --skip "$kills" >"$outputs/commands" 2>&1 &
first=$!
{
    outcome=0
    "${tests[@]}" --filter "$engine" || outcome=$?
    "${tests[@]}" --filter "$kills" || outcome=$?
    exit "$outcome"
} >"$outputs/engine" 2>&1 &
second=$!
"${tests[@]}" --filter "$network" >"$outputs/network" 2>&1 &
third=$!
"${tests[@]}" --skip "$commands" --skip "$engine" --skip "$network"
status=$?
wait "$first" || status=$?
wait "$second" || status=$?
wait "$third" || status=$?
cat "$outputs/commands" "$outputs/engine" "$outputs/network"
exit "$status"
