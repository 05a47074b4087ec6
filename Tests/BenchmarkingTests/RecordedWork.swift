import Foundation
import Settee
import SetteeBenchmarking
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// Random work on a database that is recorded.
final class RecordedWork {
    let folder: TemporaryFolder
    let manager: Manager
    let database: Database
    private let file: URL
    private var random: SeededGenerator
    private var documents = 0
    private var foreign = 0

    /// - Parameter documents: how many documents there are before the trace begins.
    init(_ type: StorageType, seed: UInt64, documents: Int = 0) throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "work.trace")
        random = SeededGenerator(seed: seed)
        let directory = folder.url.appending(path: "databases")
        let options = try TestDatabase.options(type)
        if documents > 0 {
            let before = try Manager(directory: directory, options: .init(storageType: type))
            let database = try before.database(named: "test", options: options)
            for number in 0..<documents { try database["d\(number)"].put(["before": "\(number)"]) }
            try before.close()
        }
        self.documents = documents
        manager = try Manager(directory: directory, options: .init(storageType: type, traceFile: file))
        database = try manager.database(named: "test", options: options)
    }

    /// Ends the work; returns its trace.
    func trace() throws -> Trace {
        try manager.close()
        return try Trace(contentsOf: file)
    }

    func text() throws -> [UInt8] {
        try manager.close()
        return Array(try Data(contentsOf: file))
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private func properties() -> JSONObject {
        ["k": .string("k\(number(0..<5))"), "text": .string(String(repeating: "x", count: number(0..<300)))]
    }

    private func anyDocument() -> Document {
        if documents == 0 || number(0..<4) == 0 { documents += 1 }
        return database["d\(number(0..<documents))"]
    }

    struct GivenUp: Error {}

    func work(_ steps: Int) throws {
        try database.view("v").define(ViewDefinition(keys: [JSONPointer("/k")], reduce: "_count"))
        for _ in 0..<steps {
            switch number(0..<24) {
            case 0:
                do {
                    try database.inTransaction {
                        for _ in 0..<number(1..<20) { try change() }
                        if number(0..<4) == 0 { throw GivenUp() }
                    }
                } catch is GivenUp {}
            case 1:
                try database.read { snapshot in
                    for _ in 0..<number(1..<5) { _ = try snapshot.revision(of: anyDocument().id) }
                }
            case 2: _ = try database.allDocumentsQuery(limit: number(1..<50), includeDocs: true).run()
            case 3: _ = try database.changes(since: 0, limit: number(1..<50)).rows()
            case 4:
                var query = database.view("v").query(limit: number(1..<20))
                if number(0..<2) == 0 { query.group = true } else { query.mapOnly = true }
                _ = try query.run()
            case 5: _ = try database["nobody"].revision()
            case 6 where number(0..<8) == 0: try database.compact()
            case 7..<12: _ = try anyDocument().revision()
            default: try change()
            }
        }
    }

    private func change() throws {
        let document = anyDocument()
        switch number(0..<20) {
        case 0: try refusing { try document.delete() }
        case 1: try document.purge()
        case 2: try database["_local/l\(number(0..<3))"].put(properties())
        case 3: try refusing { try database["_local/l\(number(0..<3))"].delete() }
        case 4:
            let content = [UInt8](repeating: UInt8(number(0..<10)), count: number(1..<5000))
            try document.setAttachment(named: "a\(number(0..<2))", content: content)
        case 5: try document.removeAttachment(named: "a0")
        case 6:
            guard let attachment = try document.revision()?.attachments.first else { return }
            _ = try attachment.content()
        case 7:
            foreign += 1
            let history = try document.history().map(\.id)
            let place = history.isEmpty ? 0 : number(0..<history.count)
            let parent = history.isEmpty ? nil : history[place]
            let base = parent?.generation ?? 0
            let gap = UInt64(number(0..<3))
            var line: [RevisionID] = []
            for step in 0...gap {
                line.append(try RevisionID("\(base + gap + 1 - step)-f\(foreign)x\(step)"))
            }
            try document.forceInsert(properties(), history: line + history.dropFirst(place))
        case 8:
            let leaves = try document.leafRevisions()
            guard leaves.count > 1, let last = leaves.last else { return }
            try document.purge(revisions: [last.id])
        case 9: try refusing { try document.setExpiration(Date(timeIntervalSinceNow: 1e6)) }
        case 10: _ = try document.conflictingRevisions()
        case 11: try refusing { try document.deleteAllBranches() }
        default: try document.update { $0 = properties() }
        }
    }

    private func refusing(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StorageError {
            guard error.code == .notFound else { throw error }
        }
    }
}
