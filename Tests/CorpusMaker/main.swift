// Writes the databases of Tests/FormatTests/Databases: SetteeCorpusMaker FOLDER. For a new format it is run into a new
// folder, since old databases stay as they are.

internal import Foundation
internal import Settee

guard CommandLine.arguments.count == 2 else { exit(2) }
let folder = URL(filePath: CommandLine.arguments[1])

struct Recipe {
    var name: String
    var options: DatabaseOptions
    /// Whether the process ends without closing it, so that what was committed last is only in the engine's log.
    var isLeftOpen = false
}

/// The tests know these two; they protect nothing.
let bytes = (0..<UInt8(StorageKey.rawLength)).map { 0x5E ^ $0 }
let rawKey = try unsafe StorageKey(bytes: bytes.span.bytes)
let passphrase = try StorageKey(passphrase: "correct horse battery staple")
let cheap = KeyDerivation.scrypt(n: 1 << 14, r: 1, p: 1)

let recipes = [
    Recipe(name: "sqlite", options: DatabaseOptions(storageType: .sqlite)),
    Recipe(name: "sqlite-log", options: DatabaseOptions(storageType: .sqlite), isLeftOpen: true),
    Recipe(name: "sqlcipher", options: DatabaseOptions(storageType: .sqlcipher, key: rawKey)),
    Recipe(
        name: "sqlcipher-passphrase",
        options: DatabaseOptions(storageType: .sqlcipher, key: passphrase, keyDerivation: cheap),
        isLeftOpen: true
    ),
    Recipe(name: "lmdb", options: DatabaseOptions(storageType: .lmdb)),
    Recipe(name: "lmdb-lz4", options: DatabaseOptions(storageType: .lmdb, compression: .lz4)),
]

do {
    var left: [Database] = []
    for recipe in recipes {
        var options = recipe.options
        options.compactionThreshold = nil
        let url = folder.appending(path: "\(recipe.name).settee")
        let made = try Database.open(at: url, options: options)
        try Corpus.fill(made)
        try made.close()
        let database = try Database.open(at: url, options: options)
        try Corpus.change(database)
        if recipe.isLeftOpen { left.append(database) } else { try database.close() }
    }
    if let first = left.first {
        var text: [UInt8] = []
        try first.exportAll { text += $0 }
        try Data(text).write(to: folder.appending(path: "export.jsonl"))
    }
    // Not `exit`: nothing more is to be written.
    withExtendedLifetime(left) { _exit(0) }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
