internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// A store in a directory of its own, removed when the test ends.
final class TestStore {
    let directory: String
    var path: String { directory + "/db.sqlite3" }

    init() throws {
        directory = NSTemporaryDirectory() + "settee-sqlite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func open(_ options: StorageOptions = StorageOptions(create: true, durability: .normal)) throws -> any StorageEngine
    {
        try SQLiteEngineFactory().open(directory: directory, options: options)
    }

    /// A store with `count` documents, closed.
    static func filled(_ count: Int = 300) throws -> TestStore {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<count)
        engine.close()
        return store
    }

    var fileBytes: [UInt8] {
        get throws { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    func size(_ suffix: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int
    }
}

/// 25 bytes that are stored as a tree.
let someTree = [UInt8](repeating: 7, count: 25)

func someRevision() throws(StorageError) -> RevisionID { try RevisionID("1-cd809becc169215072fd567eebd8b8de") }

func someBody(_ number: Int) -> [UInt8] {
    Array("{\"number\":\(number),\"text\":\"\(String(repeating: "abcdefgh", count: number % 60))\"}".utf8)
}

func name(_ number: Int) -> String { "doc-" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number)" }

extension WriteTransaction {
    func insert(_ id: String, _ body: [UInt8]) throws(StorageError) {
        try insert(
            RecordDraft(
                documentID: DocumentID(id),
                flags: [],
                sequence: try counters().lastSequence + 1,
                winner: someRevision(),
                tree: someTree,
                body: .replace(body)
            )
        )
    }

    func purge(_ id: String) throws(StorageError) {
        try purge(try DocumentID(id), sequence: try counters().lastSequence + 1)
    }
}

extension ReadTransaction {
    func body(_ id: String) throws(StorageError) -> [UInt8]? {
        var found: [UInt8]?
        _ = try record(DocumentID(id), fields: .body) { (record) throws(StorageError) in found = record.bodyCopy() }
        return found
    }

    func ids() throws(StorageError) -> [String] {
        var all: [String] = []
        try records(in: .all, descending: false, fields: .metadata) { (record) throws(StorageError) in
            all.append(try record.documentID().string)
            return true
        }
        return all
    }

    /// Reads everything, for the errors.
    func readEverything() throws(StorageError) {
        _ = try counters()
        try records(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            _ = try record.documentID()
            _ = record.bodyCopy()
            return true
        }
        try records(sequences: 0...UInt64.max, descending: true, fields: .all) { (_) throws(StorageError) in true }
        try revisionBodies { (_, _, _) throws(StorageError) in true }
        try hiddenEntries(sequences: 0...UInt64.max) { (_, _) throws(StorageError) in true }
        try localDocuments { (_, _, _) throws(StorageError) in true }
        try expirations(through: .max) { (_, _) throws(StorageError) in true }
        _ = try allInfo()
        try blobReferences { (_) throws(StorageError) in true }
        for name in try indexNames() {
            // Its name may be the only damage: looking it up then finds nothing, although it is listed.
            guard try indexState(name) != nil else { throw .corrupt("An index is listed and not there") }
            try indexRows(name, in: .all, descending: false) { (_) throws(StorageError) in true }
            try indexEntries(name, in: .all, descending: false) { (_, _) throws(StorageError) in true }
        }
        for number in 0..<50 { _ = try body(name(number)) }
    }
}

extension StorageEngine {
    func insert(_ numbers: Range<Int>) throws(StorageError) {
        try write { (transaction) throws(StorageError) in
            for number in numbers { try transaction.insert(name(number), someBody(number)) }
        }
    }

    func problems() throws(StorageError) -> [String] {
        var problems: [String] = []
        try verify { problems.append($0.description) }
        return problems
    }
}

/// The code of the error that `body` throws; nil: it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}
