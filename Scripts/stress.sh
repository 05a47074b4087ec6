#!/usr/bin/env bash
# Runs the long forms of the tests in parts, one after the other, each of which is to end within 60 minutes on two cores.
# It goes on behind a part that fails, and fails at the end. A part that has passed at the commit that is checked out is
# left out, so that a run that was ended goes on where it was: .build-stress/passed holds a line for each. Arguments are
# names of parts, or of test targets for all their parts; without any, all are run.
#   --list: names the parts.  --again: runs those that have passed, too.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SWIFT=${SWIFT:-swift}
flags=(-c release -Xswiftc -enable-testing -debug-info-format none --scratch-path .build-stress)
passed=.build-stress/passed
# Suites that measure the process's memory, or have a time limit: beside the long ones they would measure those.
alone='AttachmentVolumeTests|LargeDatabaseTests|KeywordTests|FailureTests|ClosingTests|DroppedIndexTests'
alone+='|CancelledTaskTests|LiveViewChangeTests|LargeContentTests'

# The suites of a target that have parts of their own: NAME=SUITE|SUITE. The rest of the target is a part, too. Those that
# kill a program many times are cut into shares, NAME*SHARES, of which each takes other calls or instants (SETTEE_SHARE).
split() {
    case $1 in
    CommandTests)
        echo 'crashes=CrashTests|AttachmentCrashTests'
        echo 'crashes-of-views*4=ViewCrashTests'
        echo 'crashes-of-compactions=CompactionCrashTests'
        echo 'crashes-of-keys=KeyCrashTests'
        echo 'failures=FailedCallTests'
        echo 'failed-conversions*3=FailedConversionTests'
        echo 'migrations=MigrationCrashTests|ResumedMigrationTests'
        echo 'damage=DamageTests|HostileFolderTests'
        ;;
    EngineTests)
        echo 'random=RandomOperationTests|RandomTreeTests'
        echo 'compaction=CompactionKillTests|SteadySizeTests'
        echo 'files=FileByteTests|LMDBDiskFullTests|RefusedConversionTests'
        ;;
    CouchbaseLiteImportTests) echo 'interrupted*4=InterruptedImportTests' ;;
    QueriesTests)
        echo 'random*4=RandomFindTests'
        echo 'kills*3=KilledIndexTests'
        ;;
    ViewsTests) echo 'random=RandomViewTests|RandomReductionTests|ConditionComparisonTests' ;;
    esac
}

names=()
declare -A filters skips shares
add() {
    names+=("$1")
    filters[$1]=$2
    skips[$1]=$3
    shares[$1]=${4:-}
}
for folder in Tests/*Tests; do
    target=${folder#Tests/}
    others=$alone
    while IFS='=' read -r part suites; do
        [ -n "$part" ] || continue
        for suite in ${suites//|/ }; do
            grep -rqE "(struct|class|enum) $suite\b" "$folder" || {
                echo "stress: there is no $suite in $folder any more; mend the parts in Scripts/stress.sh" >&2
                exit 1
            }
        done
        name=${part%\**}
        if [ "$name" = "$part" ]; then
            add "$target/$name" "^$target\\.($suites)/" "\\.($alone)/"
        else
            count=${part#*\*}
            for ((share = 1; share <= count; share++)); do
                add "$target/$name-$share" "^$target\\.($suites)/" "\\.($alone)/" "$share/$count"
            done
        fi
        others+="|$suites"
    done <<<"$(split "$target")"
    add "$target" "^$target\\." "\\.($others)/"
done
add alone "\\.($alone)/" ''

again=
wanted=()
for argument in "$@"; do
    case $argument in
    --list) printf '%s\n' "${names[@]}"; exit 0 ;;
    --again) again=yes ;;
    *)
        found=
        for name in "${names[@]}"; do
            if [[ $name == "$argument" || $name == "$argument/"* ]]; then wanted+=("$name"); found=yes; fi
        done
        [ -n "$found" ] || { echo "stress: there is no part '$argument'; --list names them" >&2; exit 64; }
        ;;
    esac
done
[ ${#wanted[@]} != 0 ] || wanted=("${names[@]}")

commit=$(git rev-parse HEAD)
# What is not committed belongs to no commit: nothing is noted then, and nothing left out.
[ -z "$(git status --porcelain)" ] || { commit=; echo "stress: there are changes without a commit; nothing is noted"; }

has_passed() { [ -n "$commit" ] && [ -z "$again" ] && grep -qsF "$commit $1 " "$passed"; }

left=()
for name in "${wanted[@]}"; do
    if has_passed "$name"; then echo "stress: $name has passed at this commit"; else left+=("$name"); fi
done
[ ${#left[@]} != 0 ] || exit 0

export SETTEE_STRESS=1
begin=$SECONDS
$SWIFT build "${flags[@]}" --build-tests || exit 1
echo "stress: built in $((SECONDS - begin)) s"

failed=()
for name in "${left[@]}"; do
    start=$SECONDS
    options=(--filter "${filters[$name]}")
    [ -z "${skips[$name]}" ] || options+=(--skip "${skips[$name]}")
    [ "$name" != alone ] || options+=(--no-parallel)
    outcome=passed
    export SETTEE_SHARE=${shares[$name]}
    $SWIFT test "${flags[@]}" --skip-build "${options[@]}" || { outcome=failed; failed+=("$name"); }
    took=$((SECONDS - start))
    echo "stress: $name $outcome in $took s"
    if [ "$outcome" = passed ] && [ -n "$commit" ]; then
        echo "$commit $name $took s $(date '+%Y-%m-%d %H:%M')" >>"$passed"
    fi
done

if [ ${#failed[@]} != 0 ]; then
    echo "stress: failed after $((SECONDS - begin)) s: ${failed[*]}" >&2
    exit 1
fi
echo "stress: passed in $((SECONDS - begin)) s"
