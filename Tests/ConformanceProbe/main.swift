// The other process of the conformance tests: ConformanceProbe ROW PART DIRECTORY.

internal import Foundation
internal import SetteeKV
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageConformance
internal import StorageProtocol

var rows = [
    EngineCase(name: "sqlite", factory: SQLiteEngineFactory()),
    EngineCase(
        name: "sqlcipher",
        factory: SQLCipherEngineFactory(),
        key: try unsafe StorageKey(bytes: [UInt8](repeating: 0x5E, count: StorageKey.rawLength).span.bytes)
    ),
    EngineCase(name: "lmdb", factory: LMDBEngineFactory()),
]
#if RocksDB
rows.append(EngineCase(name: "rocksdb", factory: RocksDBEngineFactory()))
#endif
let arguments = CommandLine.arguments
guard arguments.count == 4, let row = rows.first(where: { $0.name == arguments[1] }) else { exit(2) }
do {
    try Conformance.runPart(arguments[2], directory: arguments[3], on: row)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
