internal import SetteeEngine

/// What of map functions' work could not be taken into an index.
struct EmitFaults: Sendable, Equatable {
    /// Documents without rows, since the function threw.
    var failed = 0
    /// Rows left out, since they had no key.
    var nilKeys = 0
    /// Rows left out, since their key or value cannot be stored: too long, too deeply nested, no number.
    var badRows = 0

    var isEmpty: Bool { self == EmitFaults() }
    var refused: Int { nilKeys + badRows }

    mutating func add(_ other: EmitFaults) {
        failed += other.failed
        nilKeys += other.nilKeys
        badRows += other.badRows
    }
}
