import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// What tests read from a database that was imported from an old one.
extension Database {
    func leaves(_ id: String) throws -> [String] { try self[id].leafRevisions().map(\.id.string) }

    func body(_ id: String, _ revision: String? = nil) throws -> String {
        let found =
            try revision.map { try self[id].revision(RevisionID($0)) } ?? self[id].revision()
        var properties = try #require(found).properties
        for name in properties.keys where name == "_id" || name == "_rev" || name == "_deleted" {
            properties[name] = nil
        }
        return properties.description
    }

    func content(_ id: String, _ name: String) throws -> [UInt8]? {
        try self[id].revision()?.attachment(named: name)?.content()
    }
}

/// Runs an import, and checks that the old files stay as they are, that nothing is left beside the new ones, and that
/// these are sound.
func imported(
    _ source: URL,
    watching path: String? = nil,
    in folder: Folder,
    key: StorageKey? = nil,
    options: DatabaseOptions = DatabaseOptions(),
    decrypt: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> (database: Database, report: CouchbaseLiteReport) {
    let before = try states(of: path ?? source.path)
    let target = folder.url("new-\(UUID().uuidString).settee")
    let report = try CouchbaseLiteImport(of: source, key: key).run(to: target, options: options, decrypt: decrypt)
    #expect(try states(of: path ?? source.path) == before, sourceLocation: sourceLocation)
    #expect(try folder.leftovers == [], sourceLocation: sourceLocation)
    let database = try Database.open(at: target, options: DatabaseOptions(create: false, key: options.key))
    #expect(try database.check().map(\.description) == [], sourceLocation: sourceLocation)
    return (database, report)
}

/// The engines that old databases are imported into.
let targets: [DatabaseOptions] = [
    DatabaseOptions(storageType: .sqlite), DatabaseOptions(storageType: .lmdb),
]

func encryptedTarget() throws -> DatabaseOptions {
    let bytes: [UInt8] = (0..<32).map { 7 + $0 }
    return DatabaseOptions(storageType: .sqlcipher, key: try StorageKey(bytes: bytes.span.bytes))
}
