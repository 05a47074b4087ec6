internal import SetteeEngine

/// Counts what mappers emitted that the index could not take.
package struct EmitFaults: Sendable, Equatable {
    /// Documents without rows, because the mapper failed.
    package var failed = 0
    /// Rows left out because they had no key.
    package var nilKeys = 0
    /// Rows left out because their key or value cannot be stored: too long, nested too deeply, not a number.
    package var badRows = 0

    var isEmpty: Bool { self == EmitFaults() }
    package var refused: Int { nilKeys + badRows }

    mutating func add(_ other: EmitFaults) {
        failed += other.failed
        nilKeys += other.nilKeys
        badRows += other.badRows
    }
}
