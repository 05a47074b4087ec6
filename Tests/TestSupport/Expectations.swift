package import Settee
package import Testing

/// Expects `body` to throw a `StorageError` with `code`.
package func expectError<R>(
    _ code: StorageError.Code,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    do {
        _ = try body()
        Issue.record(comment() ?? "Nothing was thrown; expected \(code).", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        #expect(error.code == code, comment(), sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, comment(), sourceLocation: sourceLocation)
    }
}

/// Expects `body` to throw a `StorageError` with `code`.
package func expectError<R>(
    _ code: StorageError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> R
) async {
    do {
        _ = try await body()
        Issue.record("Nothing was thrown; expected \(code).", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

/// What an application throws from its own closures.
package struct ApplicationError: Error, Equatable {
    package var number = 0

    package init(number: Int = 0) { self.number = number }
}

/// Expects `body` to throw this very `ApplicationError`.
package func expectApplicationError<R>(
    _ number: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    #expect(throws: ApplicationError(number: number), sourceLocation: sourceLocation) { _ = try body() }
}

extension SavedRevision {
    /// The body's text.
    package var text: String { String(decoding: json, as: UTF8.self) }
}

extension DocumentRow {
    /// The body's text, nil if the row has none.
    package var text: String? { json.map { String(decoding: $0, as: UTF8.self) } }
}

extension RowListing {
    /// The IDs of all rows.
    package func ids() throws -> [String] { try rows().map(\.documentID.string) }
}

/// The bytes of a text, which decide the identity and order of IDs.
package func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Database {
    /// A revision from elsewhere, as JSON text.
    package func forceInsert(
        _ id: DocumentID,
        history: [RevisionID],
        json: [UInt8],
        isDeleted: Bool
    ) throws(StorageError) -> Bool {
        var body = try DocumentBody(parsing: unsafe json.span.bytes)
        body.isDeleted = isDeleted
        return try forceInsert(id, history: history, body)
    }
}
