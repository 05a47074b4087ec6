internal import StorageProtocol

/// Looks whether the chains of long keys are whole: each node is reached by exactly one continuation, no continuation
/// leads to nothing, and every entry has a possible form.
///
/// A child's number is above its parent's, so one pass over `chunks` in its own order meets every node after all
/// continuations to it. Memory: 16 bytes or so for each continuation whose node has not come yet.
struct LongKeyCheck {
    /// Whether no node was met that two continuations lead to.
    private var isTree = true
    /// Every node number is below this one.
    private let nextNode: UInt64
    /// The nodes that continuations lead to and that have not come yet, and how many bytes of a key stand above each.
    private var awaited: [UInt64: Int] = [:]

    /// - Parameter nextNode: the counter of nodes.
    /// - Returns: false where two continuations lead to one node: then a walk over all keys may not end in any good time.
    /// - Throws: errors of the store; what is wrong with the chains goes to `report`.
    static func run<Transaction: OrderedTransaction>(
        in transaction: Transaction,
        nextNode: UInt64,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) -> Bool {
        var check = LongKeyCheck(nextNode: nextNode)
        for table in LongKey.tables { try check.readRoots(transaction.cursor(table), table, report) }
        try check.readChunks(transaction.cursor(.chunks), report)
        for node in check.awaited.keys.sorted() { report(.chains("node \(node) has no entries")) }
        return check.isTree
    }

    private init(nextNode: UInt64) { self.nextNode = nextNode }

    private mutating func readRoots(
        _ cursor: some OrderedCursor,
        _ table: Table,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        defer { cursor.close() }
        var isThere = try cursor.seek(.first)
        var order = KeyOrder()
        while isThere {
            try unsafe order.pass(cursor.key)
            if unsafe cursor.key.count > LongKey.cut {
                unsafe follow(cursor.key, cursor.value, in: "the table '\(table.name)'", under: 0, LongKey.cut, report)
            }
            isThere = try cursor.next()
        }
    }

    private mutating func readChunks(
        _ cursor: some OrderedCursor,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        defer { cursor.close() }
        var isThere = try cursor.seek(.first)
        var order = KeyOrder()
        var present: UInt64?
        var length = 0
        while isThere {
            let key = unsafe cursor.key
            try unsafe order.pass(key)
            if key.count > LongKey.nodeLength {
                let node = unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
                if node != present { length = begin(node, report) }
                present = node
                if key.count > LongKey.cut {
                    unsafe follow(key, cursor.value, in: "node \(node)", under: node, length + LongKey.chunk, report)
                }
            } else {
                report(.chains("a key of 'chunks' is too short"))
            }
            isThere = try cursor.next()
        }
    }

    /// Takes the first entry of a node. Returns how many bytes of a key stand above it.
    private mutating func begin(_ node: UInt64, _ report: (StorageProblem) -> Void) -> Int {
        if node == 0 || node >= nextNode { report(.chains("node \(node) was never given out")) }
        guard let length = awaited.removeValue(forKey: node) else {
            report(.chains("no continuation leads to node \(node)"))
            return 0
        }
        return length
    }

    /// Takes a store key that only a continuation can have.
    private mutating func follow(
        _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        in home: @autoclosure () -> String,
        under parent: UInt64,
        _ length: Int,
        _ report: (StorageProblem) -> Void
    ) {
        guard unsafe key.count == LongKey.continuation && key[LongKey.cut] == LongKey.marker else {
            return report(.chains("a key in \(home()) has an impossible form"))
        }
        do throws(StorageError) {
            let node = try unsafe LongKey.node(value, under: parent)
            if awaited.updateValue(length, forKey: node) != nil {
                isTree = false
                report(.chains("two continuations lead to node \(node)"))
            }
            if length > LongKey.maximumLength { report(.chains("a key in \(home()) has no end")) }
        } catch {
            report(.chains("a continuation in \(home()) leads nowhere"))
        }
    }
}

extension StorageProblem {
    fileprivate static func chains(_ message: String) -> StorageProblem {
        StorageProblem(area: "long keys", message: "Of the chains of long keys: \(message)")
    }
}
