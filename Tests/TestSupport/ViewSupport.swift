internal import Foundation
package import Settee
internal import StorageProtocol
package import Testing

extension QueryRow {
    /// Key, value and document in a line; `-` for what is missing.
    package var line: String { "\(key) \(value.map(\.description) ?? "-") \(documentID?.string ?? "-")" }
}

extension DatabaseQuery {
    /// The rows in lines. They must be the same however they are read.
    package func lines(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let result = try run().map(\.line)
        var handed: [String] = []
        try forEach { row in handed.append(row.line) }
        #expect(handed == result, "`forEach` and `run` differ.", sourceLocation: sourceLocation)
        #expect(try first()?.line == result.first, "`first` and `run` differ.", sourceLocation: sourceLocation)
        return result
    }

    /// The keys of all rows.
    package func keyList() throws -> [JSONValue] { try run().map(\.key) }

    /// The IDs of the documents that emitted the rows.
    package func sources() throws -> [String] { try run().map { $0.sourceDocumentID?.string ?? "-" } }

    /// The query with another option.
    package func with(_ change: (inout DatabaseQuery) -> Void) -> DatabaseQuery {
        var other = self
        change(&other)
        return other
    }
}

extension TestDatabase {
    /// A view of the present database.
    package func view(_ name: String = "view") -> DatabaseView { database.view(name) }
}

extension Database {
    /// Stores documents, all or none.
    package func put(_ documents: [(id: String, body: JSONObject)]) throws {
        try inTransaction {
            for (id, body) in documents { try self[id].put(body) }
        }
    }

    /// A revision of another database, on top of the ancestors in `history`.
    @discardableResult
    package func insert(_ id: String, _ history: [String], _ body: JSONObject, isDeleted: Bool = false) throws -> Bool {
        try self[id].forceInsert(body, history: history.map { try RevisionID($0) }, isDeleted: isDeleted)
    }
}

/// Counts what map functions, on whatever threads, have done.
package final class MapCounter: Sendable {
    private let ids = Locked<[String]>([])

    package init() {}

    package func note(_ document: MapDocument) { ids.withLock { $0.append(document.id.string) } }
    package var count: Int { ids.withLock(\.count) }
    /// The documents that were mapped since the last time, in order.
    package func take() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids.sorted()
        }
    }
}

/// Creates something once, when it is first requested.
package final class OneTime<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let make: @Sendable () -> Value

    package init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    @discardableResult
    package func run() -> Value {
        value.withLock { value in
            if let value { return value }
            let made = make()
            value = made
            return made
        }
    }
}

/// Runs `body` on another thread, which is inside no transaction or closure of this one's, and waits.
package func otherThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
    let outcome = OneTime<Result<R, any Error>> { Result { try body() } }
    try Background { outcome.run() }.join()
    return try outcome.run().get()
}
