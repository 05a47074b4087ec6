import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// One of the databases in Databases/1, copied into a folder of its own. Tests/CorpusMaker says what is in them;
/// `sqlite-text` and `lmdb-records` have layouts from before 0.1.0: the IDs of the winners as text in the column
/// `documents.revision`, and indexes with a record for each of their documents.
struct Corpus {
    let folder: TemporaryFolder
    let name: String

    static let names = [
        "sqlite", "sqlite-text", "sqlite-log", "sqlcipher", "sqlcipher-passphrase", "lmdb", "lmdb-lz4",
        "lmdb-records",
    ]

    init(_ name: String) throws {
        folder = try TemporaryFolder()
        self.name = name
        try FileManager.default.copyItem(at: Corpus.home().appending(path: name + ".settee"), to: url)
    }

    var url: URL { folder.url.appending(path: name + ".settee") }

    /// The folder that holds the databases, and `export.jsonl` with the content that each of them has.
    static func home() throws -> URL {
        try #require(Bundle.module.url(forResource: "Databases", withExtension: nil)).appending(path: "1")
    }

    func open(readOnly: Bool = false) throws -> Database {
        try Database.open(
            at: url,
            options: DatabaseOptions(create: false, readOnly: readOnly, key: key(), compactionThreshold: nil)
        )
    }

    func key() throws -> StorageKey? {
        switch name {
        case "sqlcipher": try Storage.key(.sqlcipher)
        case "sqlcipher-passphrase": try StorageKey(passphrase: "correct horse battery staple")
        default: nil
        }
    }

    /// The lines of content that all of them have.
    static func content() throws -> [String] {
        let text = try String(contentsOf: home().appending(path: "export.jsonl"), encoding: .utf8)
        return ExportText(text.split(separator: "\n").map(String.init)).content
    }
}
