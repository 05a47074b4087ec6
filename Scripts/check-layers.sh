#!/usr/bin/env bash
# Checks that the modules import only what docs/architecture.md lets them: arrows point down. A folder of Sources that has
# no row in the table below is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What of ours a module may import, each name between blanks.
allowed() {
    case $1 in
    StorageProtocol) echo " CCollation " ;;
    StorageFiles) echo " StorageProtocol CStorageFiles " ;;
    SQLiteBackend) echo " StorageProtocol CSQLiteAPI " ;;
    KVBackend) echo " StorageProtocol CLMDB CLZ4 CZlib " ;;
    MemoryBackend) echo " StorageProtocol " ;;
    JSONSchema) echo " StorageProtocol " ;;
    StorageConformance) echo " StorageProtocol " ;;
    Engine) echo " StorageProtocol StorageFiles CZlib " ;;
    Models) echo " StorageProtocol Engine " ;;
    Settee) echo " StorageProtocol StorageFiles SQLiteBackend KVBackend MemoryBackend Engine Models JSONSchema " ;;
    SetteeCommand) echo " StorageProtocol Engine Settee " ;;
    *) return 1 ;;
    esac
}

modules=" "
for folder in Sources/*/; do
    modules+="$(basename "$folder") "
done

failed=0
for module in $modules; do
    case $module in
    C[A-Z]*) continue ;; # C shims; they hold no Swift
    esac
    if ! permitted=$(allowed "$module"); then
        echo "Sources/$module: no row for it in Scripts/check-layers.sh" >&2
        failed=1
        continue
    fi
    # file:line:module for every import, also of a single declaration (`import struct Module.Name`).
    while IFS=: read -r file line imported; do
        if [[ $modules == *" $imported "* && $permitted != *" $imported "* ]]; then
            echo "$file:$line: error: $module must not import $imported (docs/architecture.md)" >&2
            failed=1
        fi
    done < <(
        grep -rnE --include='*.swift' '^[[:space:]]*(@[[:alnum:]_()]+[[:space:]]+|(public|package|internal|fileprivate|private)[[:space:]]+)*import[[:space:]]' \
            "Sources/$module" |
            sed -E 's/^([^:]*):([0-9]+):.*import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias|actor)[[:space:]]+)?([[:alnum:]_]+).*/\1:\2:\5/'
    )
done
exit "$failed"
