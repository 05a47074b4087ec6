public import StorageProtocol

/// Merges loads into parts, whose rows or documents lie one behind another in memory. Looking them up costs about as
/// much as writing them, and this can be done on another thread.
///
/// Each load is sorted, and each document occurs in only one of them. Sorting some at a time, as they are made, and
/// merging them takes no longer than sorting all of them at the end, when nothing else is left to do meanwhile.
public struct LoadMerge: ~Copyable {
    /// The next row or document of a load.
    private struct Head {
        /// Eight bytes of its key or ID, behind those that all loads share.
        var prefix: UInt64
        var load: Int
        var place: Int
    }

    private let loads: [IndexLoad]
    private let kind: BatchOrder.Kind
    /// A heap, the lowest first: each comes before those at twice its place, and 1 or 2 more.
    private var heads: [Head] = []
    /// How many bytes all keys or IDs share.
    private var shared = 0

    /// Merges rows.
    public init(rowsOf loads: [IndexLoad]) { self.init(loads, .rows) }

    /// Merges documents, with the keys of their rows.
    public init(documentsOf loads: [IndexLoad]) { self.init(loads, .documents) }

    private init(_ loads: [IndexLoad], _ kind: BatchOrder.Kind) {
        self.loads = loads
        self.kind = kind
        for load in loads.indices where count(load) > 0 { heads.append(Head(prefix: 0, load: load, place: 0)) }
        shared = sharedCount()
        for number in heads.indices { heads[number].prefix = prefix(heads[number]) }
        for number in stride(from: heads.count / 2 - 1, through: 0, by: -1) { settle(number) }
    }

    /// Returns the next ones as a load of their own; nil if all were returned.
    ///
    /// - Parameter most: How many it has at the most.
    public mutating func next(_ most: Int) -> IndexLoad? {
        var part = IndexBatch()
        var count = 0
        while count < most, let head = heads.first {
            add(head, to: &part)
            count += 1
            if head.place + 1 < self.count(head.load) {
                heads[0].place += 1
                heads[0].prefix = prefix(heads[0])
            } else {
                heads[0] = heads[heads.count - 1]
                heads.removeLast()
            }
            settle(0)
        }
        if count == 0 { return nil }
        if kind == .rows { return IndexLoad(sorted: part) }
        var parts = [part]
        return IndexLoad(taking: &parts, hasRows: false)
    }

    private func count(_ load: Int) -> Int { kind == .rows ? loads[load].rowCount : loads[load].documentCount }

    private func add(_ head: Head, to part: inout IndexBatch) {
        let load = loads[head.load]
        if kind == .rows {
            let row = load.batches.row(load.rows[head.place])
            unsafe part.begin(row.id.bytes, onlyRow: row.emit)
            unsafe part.add(key: row.key.bytes, keyJSON: row.keyJSON.bytes, valueJSON: row.valueJSON?.bytes)
        } else {
            let document = load.batches.document(load.documents[head.place])
            unsafe part.begin(document.id.bytes, sequence: document.sequence)
            for emit in 0..<document.rowCount {
                unsafe part.add(
                    key: load.batches.key(document.row(emit)).bytes,
                    keyJSON: RawSpan(),
                    valueJSON: nil
                )
            }
        }
    }

    // MARK: Comparing

    /// Moves a head down until it comes before those below it.
    private mutating func settle(_ start: Int) {
        guard start < heads.count else { return }
        let head = heads[start]
        var place = start
        while 2 * place + 1 < heads.count {
            var next = 2 * place + 1
            if next + 1 < heads.count, isBefore(heads[next + 1], heads[next]) { next += 1 }
            guard isBefore(heads[next], head) else { break }
            heads[place] = heads[next]
            place = next
        }
        heads[place] = head
    }

    private func isBefore(_ a: Head, _ b: Head) -> Bool {
        a.prefix != b.prefix ? a.prefix < b.prefix : isWholeBefore(a, b)
    }

    private func isWholeBefore(_ a: Head, _ b: Head) -> Bool {
        var order = unsafe compareBytes(string(a).bytes, string(b).bytes)
        if order == 0, kind == .rows { order = unsafe compareBytes(row(a).id.bytes, row(b).id.bytes) }
        return order != 0 ? order < 0 : a.load < b.load
    }

    private func row(_ head: Head) -> PinnedRow { loads[head.load].batches.row(loads[head.load].rows[head.place]) }

    /// The key of a row, or the ID of a document.
    private func string(_ head: Head) -> UnsafeRawBufferPointer {
        let load = loads[head.load]
        if kind == .rows { return unsafe load.batches.key(load.rows[head.place]) }
        return unsafe load.batches.document(load.documents[head.place]).id
    }

    private func prefix(_ head: Head) -> UInt64 {
        let bytes = unsafe string(head)
        if bytes.count >= shared + 8 {
            return unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: shared, as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for offset in shared..<max(shared, bytes.count) {
            prefix |= unsafe UInt64(bytes[offset]) << UInt64(56 - 8 * (offset - shared))
        }
        return prefix
    }

    /// Returns how many bytes the first and the last string of all loads share, and with them all in between.
    private func sharedCount() -> Int {
        guard let first = heads.first else { return 0 }
        let one = unsafe string(first)
        var shared = one.count
        for head in heads {
            for place in [0, count(head.load) - 1] {
                let other = unsafe string(Head(prefix: 0, load: head.load, place: place))
                var offset = 0
                while offset < min(shared, other.count), unsafe one[offset] == other[offset] { offset += 1 }
                shared = offset
            }
        }
        return shared
    }
}
