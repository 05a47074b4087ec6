#!/usr/bin/env bash
# Builds the documentation of the library modules from their comments and the articles of Settee.docc, with warnings (a
# link to a symbol that does not exist, a parameter that is not there) as errors. Argument: the scratch folder of a debug
# build that has just run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$1
docc=$(command -v docc || true)
if [[ -z $docc ]]; then
    docc=$(xcrun --find docc 2>/dev/null || true)
fi
if [[ -z $docc ]]; then
    echo "The toolchain has no docc: the documentation is not checked." >&2
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# With the settings of that build: others would build everything again.
if ! SETTEE_STRICT=1 SETTEE_OPTIMIZED=1 swift package --scratch-path "$scratch" -debug-info-format none dump-symbol-graph \
    --minimum-access-level public --skip-synthesized-members >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi
graphs=$(sed -n 's/^Files written to //p' "$work/log")

mkdir "$work/graphs"
for module in StorageProtocol StorageEngineKit SetteeDocumentValues StorageConformance Settee SetteeEngine SetteeTransfer SetteeViews SetteeModels SetteeJSONSchema SetteeSQLite SetteeSQLCipher SetteeKV \
    SetteeMemory SetteeStorageFiles SetteeCouchbaseLiteImport SetteeBenchmarkResults SetteeBenchmarking; do
    # Also the graphs of a module's extensions of others: Module@Other.symbols.json.
    cp "$graphs/$module".symbols.json "$work/graphs/"
    find "$graphs" -name "$module@*.symbols.json" -exec cp {} "$work/graphs/" \;
done
if ! "$docc" convert Sources/Settee/Settee.docc --additional-symbol-graph-dir "$work/graphs" --output-path "$work/archive" \
    --fallback-display-name Settee --fallback-bundle-identifier settee \
    --disable-parameters-and-returns-validation --warnings-as-errors >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi
