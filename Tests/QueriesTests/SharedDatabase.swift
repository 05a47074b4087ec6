import Foundation
import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// Where the definition of an index is.
enum DefinitionPlace: String, CaseIterable, Sendable {
    case stored, design

    /// The name of the index.
    var name: String { self == .stored ? "i" : "_design/q/i" }

    func define(_ fields: [String], in database: Database) throws {
        switch self {
        case .stored: try database.createIndex("i", on: fields.map { .ascending($0) })
        case .design: try database["_design/q"].update { $0 = DefinitionPlace.design(fields) }
        }
    }

    /// A design document with the index.
    static func design(_ fields: [String]) -> JSONObject {
        let view: JSONObject = [
            "map": ["fields": .object(JSONObject(fields.map { ($0, "asc") }))], "reduce": "_count",
            "options": ["def": ["fields": .array(fields.map { .string($0) })]],
        ]
        return ["language": "query", "views": ["i": .object(view)]]
    }

    func remove(from database: Database) throws {
        switch self {
        case .stored: try database.removeIndex("i")
        case .design:
            if let revision = try database["_design/q"].revision(), !revision.isDeleted {
                try database["_design/q"].delete()
            }
        }
    }
}

/// The documents and the questions of tests in which several processes, kills or full disks disturb indexes.
enum SharedDatabase {
    static func fill(_ database: Database, _ count: Int) throws {
        try database.inTransaction {
            for number in 0..<count { try database["d\(number)"].update { $0 = body(number, turn: 0) } }
        }
    }

    static func body(_ number: Int, turn: Int) -> JSONObject {
        [
            "n": JSONValue((number + turn) % 97), "m": JSONValue((number * 7 + turn) % 89),
            "text": .string(String(repeating: "x", count: 200)),
        ]
    }

    /// How many of the first documents have this `n`.
    static func count(of value: Int, in documents: Int) -> Int { (0..<documents).count { $0 % 97 == value } }

    /// Some that an index on `n` answers, and some that one on `m` does.
    static func questions(_ number: Int = 5) -> [(selector: JSONObject, sort: [FindOrder])] {
        [
            (["n": JSONValue(number)], []), (["m": JSONValue(number)], []),
            (["n": ["$gte": JSONValue(number), "$lt": JSONValue(number + 2)]], [.descending("n")]),
            (["m": ["$lte": 2]], [.ascending("m"), .ascending("n")]),
        ]
    }

    /// The variables with which `settee` opens a test database of this type: its key is `Storage.key`.
    static func environment(_ type: StorageType) -> [String: String] {
        guard Storage.factory(type).capabilities.requiresKey else { return [:] }
        let digits = (0..<UInt8(StorageKey.rawLength)).map { String(format: "%02x", 0x5E ^ $0) }
        return ["SETTEE_KEY": "hex:" + digits.joined()]
    }

    /// How far another process is with its work on the database at a path: it tells by files beside it.
    enum Progress: String {
        case begun, ended

        func tell(_ path: String) { _ = FileManager.default.createFile(atPath: path + "-" + rawValue, contents: nil) }

        func isTold(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "-" + rawValue) }
    }

    /// Whether another process still works on a database. Waits until it has begun, unless `isOver` says that it has
    /// ended; work beside it that goes on for longer takes the processor from other tests.
    static func isAtWork(_ path: String, unless isOver: () -> Bool) -> Bool {
        while !Progress.begun.isTold(path), !isOver() { Thread.sleep(forTimeInterval: 0.01) }
        return !Progress.ended.isTold(path) && !isOver()
    }

    /// The same database in another process.
    static func open(_ path: String, _ type: StorageType) throws -> Database {
        try Database.open(at: URL(filePath: path), options: TestDatabase.options(type))
    }
}

extension TestDatabase {
    var path: String { get throws { try #require(database.path) } }
}
