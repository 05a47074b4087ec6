#!/bin/sh
# Fuzzes one target: ./run.sh TARGET [SECONDS]. New inputs go to Fuzz/work/, findings to Fuzz/work/findings-*.
set -eu
cd "$(dirname "$0")"
target=${1:?usage: run.sh json|splitter|tree|collation|schema|multipart|target|selector|gzip|headers|worker [SECONDS]}
seconds=${2:-60}
leaks=1
case $target in
    json) product=FuzzJSON ;;
    splitter) product=FuzzSplitter ;;
    tree) product=FuzzTree ;;
    collation) product=FuzzCollation ;;
    # On Linux, Foundation's regular expressions never free a pattern of more than 256 characters.
    schema) product=FuzzSchema leaks=0 ;;
    multipart) product=FuzzMultipart ;;
    target) product=FuzzTarget ;;
    selector) product=FuzzSelector ;;
    gzip) product=FuzzGzip ;;
    headers) product=FuzzHeaders ;;
    worker) product=FuzzWorker ;;
    *) echo "no such target: $target" >&2; exit 2 ;;
esac
resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
library=$(find "$resources/clang/" "$resources/../clang/" -name "libclang_rt.fuzzer_no_main*$(uname -m)*.a" 2>/dev/null | head -n 1)
[ -n "$library" ] || { echo "this Swift toolchain has no libFuzzer" >&2; exit 1; }
# The package has a product then for what only fuzz targets import, and they see what is internal.
export SETTEE_FUZZ=1
swift build -c release --product "$product" --sanitize=address -Xswiftc -enable-testing \
    -Xswiftc -sanitize-coverage=edge,trace-cmp,inline-8bit-counters,pc-table \
    -Xlinker "$library" -Xlinker -lstdc++
# Swift's own crash report would hide libFuzzer's.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS="detect_leaks=$leaks"
mkdir -p "work/$target"
exec ".build/release/$product" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -artifact_prefix="work/findings-$target-" "work/$target" "Corpus/$target"
