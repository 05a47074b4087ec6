#!/usr/bin/env bash
# Checks that the modules import only what docs/internals/architecture.md lets them: arrows point down. A folder of
# Sources that has no row in the table below is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What of ours the module of a folder may import, each name between blanks.
allowed() {
    case $1 in
    SystemLibrary) echo " " ;;
    StorageProtocol) echo " SetteeSystemLibrary " ;;
    StorageEngineKit) echo " StorageProtocol " ;;
    DocumentValues) echo " StorageProtocol SetteeSystemLibrary CSetteeUnicode CSetteeVectors " ;;
    StorageFiles) echo " StorageProtocol SetteeSystemLibrary CSetteeStorageFiles " ;;
    Encryption) echo " StorageProtocol SetteeStorageFiles " ;;
    SQLiteBackend) echo " StorageProtocol StorageEngineKit SetteeSystemLibrary CSetteeOwnership CSetteeSQLiteAPI " ;;
    SQLCipherBackend) echo " StorageProtocol SetteeSQLite CSetteeSQLiteAPI " ;;
    KVBackend) echo " StorageProtocol StorageEngineKit SetteeSystemLibrary CSetteeOwnership CSetteeLMDB CSetteeLZ4 CSetteeRocksDB CSetteeZlib " ;;
    MemoryBackend) echo " StorageProtocol StorageEngineKit " ;;
    JSONSchema) echo " StorageProtocol SetteeDocumentValues " ;;
    Expressions) echo " StorageProtocol SetteeDocumentValues CSetteeUnicode " ;;
    CouchProtocol) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues CSetteeZlib " ;;
    JavaScript) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues CSetteeJavaScript " ;;
    SetteeJSWorker) echo " SetteeSystemLibrary CSetteeJavaScript " ;;
    DesignDocuments) echo " StorageProtocol SetteeDocumentValues SetteeEngine SetteeViews SetteeJavaScript " ;;
    Listener) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeCouchProtocol SetteeExpressions SetteeEngine SetteeIndexes SetteeViews SetteeQueries SetteeJavaScript SetteeDesignDocuments " ;;
    Replicator) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeCouchProtocol SetteeExpressions SetteeEngine " ;;
    Discovery) echo " StorageProtocol SetteeSystemLibrary CSetteeAvahi " ;;
    StorageConformance) echo " StorageProtocol StorageEngineKit SetteeSystemLibrary " ;;
    BenchmarkResults) echo " " ;;
    Engine) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeStorageFiles SetteeEncryption CSetteeReferences CSetteeZlib " ;;
    Transfer) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeStorageFiles SetteeEncryption SetteeEngine " ;;
    Indexes) echo " StorageProtocol StorageEngineKit SetteeDocumentValues SetteeEngine " ;;
    Views) echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeExpressions SetteeEngine SetteeIndexes " ;;
    Queries) echo " StorageProtocol SetteeDocumentValues SetteeEngine SetteeExpressions SetteeIndexes " ;;
    Models) echo " StorageProtocol SetteeDocumentValues SetteeEngine SetteeViews SetteeQueries " ;;
    CouchbaseLiteImport)
        echo " StorageProtocol SetteeDocumentValues SetteeStorageFiles SetteeEncryption SetteeEngine SetteeTransfer SetteeSystemLibrary SetteeSQLite SetteeSQLCipher CSetteeSQLiteAPI "
        ;;
    Settee)
        echo " StorageProtocol SetteeDocumentValues SetteeStorageFiles SetteeSQLite SetteeSQLCipher SetteeKV SetteeMemory SetteeEngine SetteeTransfer SetteeIndexes SetteeViews SetteeQueries SetteeModels SetteeJSONSchema SetteeCouchbaseLiteImport "
        ;;
    Benchmarking)
        echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeEngine SetteeViews Settee SetteeBenchmarkResults "
        ;;
    SetteeCommand)
        echo " StorageProtocol SetteeSystemLibrary SetteeDocumentValues SetteeEngine Settee SetteeListener SetteeReplicator SetteeDiscovery SetteeDesignDocuments SetteeJavaScript SetteeBenchmarking SetteeBenchmarkResults "
        ;;
    *) return 1 ;;
    esac
}

# What a folder's module is called where it has another name: what one imports is what the product is called.
name() {
    case $1 in
    SystemLibrary | DocumentValues | Engine | Transfer | Indexes | Views | Queries | Models | JSONSchema | StorageFiles | Encryption | CouchbaseLiteImport | Expressions | CouchProtocol | JavaScript | DesignDocuments | Listener | Replicator | Discovery | BenchmarkResults | Benchmarking) echo "Settee$1" ;;
    SQLiteBackend | SQLCipherBackend | KVBackend | MemoryBackend) echo "Settee${1%Backend}" ;;
    *) echo "$1" ;;
    esac
}

modules=" "
for folder in Sources/*/; do
    modules+="$(name "$(basename "$folder")") "
done

failed=0
for folder in Sources/*/; do
    module=$(basename "$folder")
    case $module in
    CSettee*) continue ;; # C shims; they hold no Swift
    esac
    if ! permitted=$(allowed "$module"); then
        echo "Sources/$module: no row for it in Scripts/check-layers.sh" >&2
        failed=1
        continue
    fi
    # file:line:module for every import, also of a single declaration (`import struct Module.Name`).
    while IFS=: read -r file line imported; do
        if [[ $modules == *" $imported "* && $permitted != *" $imported "* ]]; then
            echo "$file:$line: error: $module must not import $imported (docs/internals/architecture.md)" >&2
            failed=1
        fi
    done < <(
        grep -rnE --include='*.swift' '^[[:space:]]*(@[[:alnum:]_()]+[[:space:]]+|(public|package|internal|fileprivate|private)[[:space:]]+)*import[[:space:]]' \
            "Sources/$module" |
            sed -E 's/^([^:]*):([0-9]+):.*import[[:space:]]+((struct|class|enum|protocol|func|var|let|typealias|actor)[[:space:]]+)?([[:alnum:]_]+).*/\1:\2:\5/'
    )
done
exit "$failed"
