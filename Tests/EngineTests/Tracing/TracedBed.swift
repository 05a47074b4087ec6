import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// A manager that records what its databases do.
struct TracedBed {
    let type: StorageType
    let folder: TemporaryFolder
    let file: URL
    let manager: Manager
    let database: Database

    init(_ type: StorageType) throws {
        self.type = type
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "work.trace")
        manager = try Manager(
            directory: folder.url.appending(path: "databases"),
            options: .init(storageType: type, traceFile: file)
        )
        database = try manager.database(named: "marker/name", options: TestDatabase.options(type))
    }

    /// Closes the databases; returns the lines of the trace.
    func lines() throws -> [JSONObject] {
        try manager.close()
        return try TracedBed.lines(of: file)
    }

    static func lines(of file: URL) throws -> [JSONObject] {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            try #require(JSONValue(parsing: String(line)).objectValue, "\(line)")
        }
    }
}

extension [JSONObject] {
    /// The kinds of operations, in order.
    var operations: [String] { compactMap { $0["op"]?.stringValue } }

    func first(_ operation: String) throws -> JSONObject {
        try #require(first { $0["op"]?.stringValue == operation }, "no line of \(operation)")
    }
}
