#!/usr/bin/env bash
# Runs the long forms of the tests, one test target after the other, and prints how long each took. It goes on behind a
# target that fails, and fails at the end. Arguments are names of targets; without any, all are run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SWIFT=${SWIFT:-swift}
flags=(-c release -Xswiftc -enable-testing --scratch-path .build-stress)
# Suites that measure the process's memory, or have a time limit: beside the long ones they would measure those.
alone='AttachmentVolumeTests|LargeDatabaseTests|KeywordTests|FailureTests|ClosingTests|DroppedIndexTests'
alone+='|CancelledTaskTests|LiveViewChangeTests'

targets=("$@")
if [ $# = 0 ]; then
    for folder in Tests/*Tests; do targets+=("${folder#Tests/}"); done
fi
for target in "${targets[@]}"; do
    [ -d "Tests/$target" ] || { echo "stress: there is no Tests/$target" >&2; exit 64; }
done

export SETTEE_STRESS=1
begin=$SECONDS
$SWIFT build "${flags[@]}" --build-tests || exit 1
echo "stress: built in $((SECONDS - begin)) s"

failed=()
# run NAME ARGUMENT...: the tests that the arguments choose.
run() {
    local name=$1 start=$SECONDS outcome=passed
    shift
    $SWIFT test "${flags[@]}" --skip-build "$@" || { outcome=failed; failed+=("$name"); }
    echo "stress: $name $outcome in $((SECONDS - start)) s"
}
for target in "${targets[@]}"; do
    run "$target" --filter "^$target\." --skip "$alone"
done
if [ $# = 0 ]; then
    run "suites that run alone" --no-parallel --filter "$alone"
fi

if [ ${#failed[@]} != 0 ]; then
    echo "stress: failed after $((SECONDS - begin)) s: ${failed[*]}" >&2
    exit 1
fi
echo "stress: passed in $((SECONDS - begin)) s"
