internal import StorageEngineKit
internal import StorageProtocol

/// A cursor in a table with long keys. It is in the table itself or, below a continuation, in a node of `chunks`. It
/// stores the way down to the node, so a step between neighbours with a long common prefix costs as much as any other.
///
/// A key below a continuation is assembled in memory of the cursor when it is read.
final class LongKeyCursor<Transaction: OrderedTransaction>: OrderedCursor {
    private let transaction: Transaction
    let root: Transaction.Cursor
    private let fillsCaches: Bool
    /// The cursor in `chunks`, created at the first continuation.
    private var lower: Transaction.Cursor?
    /// The nodes from the table's continuation down to the cursor's position. Empty: in the table itself.
    var nodes: [UInt64] = []
    /// The bytes of the key above the last node.
    var path = KeyBuffer()
    /// Memory in which store keys are made for look-ups.
    var place = KeyBuffer()
    var stand = CursorStand.nowhere

    @inline(__always)
    var layout: LongKeyLayout { Transaction.keyLayout }

    init(_ transaction: Transaction, root: Transaction.Cursor, fillsCaches: Bool = true) {
        self.transaction = transaction
        self.root = root
        self.fillsCaches = fillsCaches
    }

    var key: UnsafeRawBufferPointer {
        guard stand == .entry else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        guard !nodes.isEmpty, let lower else { return unsafe LongKey.shown(root.key) }
        let tail = unsafe UnsafeRawBufferPointer(rebasing: lower.key.dropFirst(LongKeyLayout.nodeLength))
        return unsafe LongKey.shown(path.bytes(followedBy: tail))
    }

    var value: UnsafeRawBufferPointer {
        guard stand == .entry else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        guard !nodes.isEmpty, let lower else { return unsafe root.value }
        return unsafe lower.value
    }

    func next() throws(StorageError) -> Bool {
        guard nodes.isEmpty && stand == .entry else { return try step(.forward) }
        guard try root.next() else { return leaveTable() }
        if unsafe root.key.count <= layout.cut { return true }
        return try settle(.forward)
    }

    func previous() throws(StorageError) -> Bool {
        guard nodes.isEmpty && stand == .entry else { return try step(.backward) }
        guard try root.previous() else { return leaveTable() }
        if unsafe root.key.count <= layout.cut { return true }
        return try settle(.backward)
    }

    func close() {
        stand = .nowhere
        root.close()
        lower?.close()
        lower = nil
    }

    /// Returns the cursor in `chunks`.
    func chunks() throws(StorageError) -> Transaction.Cursor {
        if let lower { return lower }
        let cursor = try transaction.cursor(.chunks, for: CursorUse(fillsCaches: fillsCaches))
        lower = cursor
        return cursor
    }

    /// Removes the cursor's position.
    func leaveTable() -> Bool {
        stand = .nowhere
        return false
    }
}

/// The position of a `LongKeyCursor`.
enum CursorStand {
    case nowhere
    /// On an entry; after a removal in the table itself, at its former position.
    case entry
    /// The entry was removed; the cursor is on the one that followed in the same node.
    case following
    /// The entry was removed and was the last one of its node; the cursor is on the one before.
    case preceding
}

/// The direction in which a cursor moves.
enum CursorDirection {
    case forward
    case backward
}

extension OrderedCursor {
    /// Moves to the neighbour.
    func step(_ direction: CursorDirection) throws(StorageError) -> Bool {
        switch direction {
        case .forward: try next()
        case .backward: try previous()
        }
    }
}
