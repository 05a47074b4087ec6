import Foundation
import Settee
import Testing

enum Storage {
    static let all: [StorageType] = [.memory, .sqlite, .lmdb]
}

/// Runs `body` with a new, empty database; afterwards the database must be healthy.
func withDatabase(_ type: StorageType, _ body: (Database) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settee-models-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = try Manager(directory: folder, options: .init(storageType: type))
    let database = try manager.database(named: "test", options: .init(durability: .normal))
    try body(database)
    if database.isOpen { #expect(try database.check().map(\.description) == []) }
    try manager.close()
}

/// The same for asynchronous tests.
func withDatabase(_ type: StorageType, _ body: (Database) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settee-models-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = try Manager(directory: folder, options: .init(storageType: type))
    let database = try manager.database(named: "test", options: .init(durability: .normal))
    try await body(database)
    if database.isOpen { #expect(try database.check().map(\.description) == []) }
    try manager.close()
}

/// Expects `body` to throw a `StorageError` with `code`.
func expectError<R>(
    _ code: StorageError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    do {
        _ = try body()
        Issue.record("Nothing was thrown; expected \(code).", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

/// What an application throws from its own code.
struct ApplicationError: Error, Equatable {
    var number = 0
}

/// Waits until `condition` holds, at most ten seconds.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("The condition did not come to hold.", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension Document {
    /// The body's text, nil if the document is missing or deleted.
    var text: String? {
        get throws { try json().map { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Expects `body` to throw this very `ApplicationError`.
func expectApplicationError<R>(
    _ number: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    #expect(throws: ApplicationError(number: number), sourceLocation: sourceLocation) { _ = try body() }
}

/// Expects `body` to throw an error of a type.
func expectThrows<R, E: Error>(
    _ type: E.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    #expect(throws: type, sourceLocation: sourceLocation) { _ = try body() }
}
