internal import StorageProtocol

/// New records that have not been passed to SQLite yet: copies of their bytes in one block of memory.
///
/// SQLite inserts many rows in one statement considerably faster than one by one.
@safe
final class PendingInserts {
    struct Row {
        var sequence: Int64
        var flags: Int64
        var live: Int64
        var id: Range<Int>
        /// The number in place of the winner's text.
        var place: Int64?
        var revision: Range<Int>
        var tree: Range<Int>
        var body: Range<Int>
    }

    private static let capacity = 128 << 10
    /// Larger records go to SQLite at once, without a copy.
    static let largest = capacity / Query.rowsAtOnce

    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: PendingInserts.capacity, alignment: 16)
    private let rows = UnsafeMutablePointer<Row>.allocate(capacity: Query.rowsAtOnce)
    private(set) var count = 0
    private var end = 0

    deinit {
        unsafe block.deallocate()
        unsafe rows.deallocate()
    }

    var isFull: Bool { count == Query.rowsAtOnce }

    /// Copies a record of at most `largest` bytes. There must be room: see `isFull`.
    @unsafe
    func append(
        sequence: Int64,
        flags: Int64,
        live: Int64,
        id: UnsafeRawBufferPointer,
        winner: StoredWinner,
        tree: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer
    ) {
        let idStart = end
        unsafe copy(id)
        let revisionStart = end
        var place: Int64?
        switch winner {
        case .inTree(let number): place = number
        case .text(let text): unsafe copy(text)
        }
        let treeStart = end
        unsafe copy(tree)
        let bodyStart = end
        unsafe copy(body)
        let row = Row(
            sequence: sequence,
            flags: flags,
            live: live,
            id: idStart..<revisionStart,
            place: place,
            revision: revisionStart..<treeStart,
            tree: treeStart..<bodyStart,
            body: bodyStart..<end
        )
        unsafe (rows + count).initialize(to: row)
        count += 1
    }

    @inline(__always)
    @unsafe
    private func copy(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress {
            unsafe (block.baseAddress! + end).copyMemory(from: start, byteCount: bytes.count)
        }
        end += bytes.count
    }

    /// Whether a record with this ID is pending here.
    @unsafe
    func contains(_ id: UnsafeRawBufferPointer) -> Bool {
        for row in 0..<count {
            let range = unsafe rows[row].id
            guard range.count == id.count else { continue }
            if unsafe compareBytes(bytes(range).bytes, id.bytes) == 0 { return true }
        }
        return false
    }

    /// Whether a record with this sequence is pending here.
    func contains(sequence: Int64) -> Bool {
        for row in 0..<count where unsafe rows[row].sequence == sequence { return true }
        return false
    }

    /// Binds row number `row` to the seven parameters from `first` on.
    @inline(__always)
    func bind(_ row: Int, to statement: Statement, from first: Int32) {
        let row = unsafe rows[row]
        unsafe statement.bindText(bytes(row.id), first)
        statement.bind(row.sequence, first + 1)
        statement.bind(row.flags, first + 2)
        statement.bind(row.live, first + 3)
        if let place = row.place {
            statement.bind(place, first + 4)
        } else {
            unsafe statement.bindText(bytes(row.revision), first + 4)
        }
        unsafe statement.bindBlob(bytes(row.tree), first + 5)
        unsafe statement.bindText(bytes(row.body), first + 6)
    }

    @inline(__always)
    private func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: block.baseAddress! + range.lowerBound, count: range.count)
    }

    func removeAll() {
        count = 0
        end = 0
    }
}
