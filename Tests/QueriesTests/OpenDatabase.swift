import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Runs `body` with a new, empty database, which must be healthy afterwards.
func withOpenDatabase(_ type: StorageType, _ body: (Database) throws -> Void) throws {
    try withDatabase(type) { (bed) throws in try body(bed.database) }
}

func withOpenDatabase(_ type: StorageType, _ body: (Database) async throws -> Void) async throws {
    try await withDatabase(type) { (bed) async throws in try await body(bed.database) }
}
