internal import SetteeEngine

/// Counts what map functions emitted that the index could not take.
struct EmitFaults: Sendable, Equatable {
    /// Documents without rows, because the function threw.
    var failed = 0
    /// Rows left out because they had no key.
    var nilKeys = 0
    /// Rows left out because their key or value cannot be stored: too long, nested too deeply, not a number.
    var badRows = 0

    var isEmpty: Bool { self == EmitFaults() }
    var refused: Int { nilKeys + badRows }

    mutating func add(_ other: EmitFaults) {
        failed += other.failed
        nilKeys += other.nilKeys
        badRows += other.badRows
    }
}
