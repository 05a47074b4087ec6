package import StorageProtocol

/// Changes the stored blocks of an index's documents. Documents are visited in the order of their IDs, so a block is
/// read and written once for all that change in it.
package struct DocumentBlockEditor: ~Copyable {
    /// The record that follows the block at hand.
    private enum Next {
        case unknown
        case none
        case key([UInt8])
    }

    private let store: any DocumentBlockStore
    private let keepsSequences: Bool
    private var block = DocumentBlock()
    private var isLoaded = false
    /// The key of the record that the block at hand was read from; nil: it has none yet.
    private var key: [UInt8]?
    private var next = Next.unknown
    private var isChanged = false
    /// Where the document at hand is in the block, or has to go.
    private var place = 0
    private var isThere = false

    /// A block is not allowed to grow further in memory: that many bytes are many records.
    private static let mostBytes = 64 << 10

    /// - Parameter keepsSequences: Whether the index keeps the sequences of its documents; they are 0 otherwise.
    package init(_ store: any DocumentBlockStore, keepsSequences: Bool) {
        self.store = store
        self.keepsSequences = keepsSequences
    }

    /// Adds documents that are not in the index, in the order of their IDs, and writes them.
    package mutating func add(
        _ order: borrowing BatchOrder,
        _ range: Range<Int>,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        for place in range {
            let document = batches.document(order[place])
            try unsafe move(to: document.id)
            try put(document, of: batches)
        }
        try finish()
    }

    /// Goes to a document. `finish` must be called after the last one.
    ///
    /// - Parameter id: Above those of earlier calls.
    /// - Returns: Whether it is in the index.
    @discardableResult
    package mutating func move(to id: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        var isBehind = unsafe block.isLastBefore(id)
        if isLoaded, isBehind {
            switch next {
            case .unknown: try finish()
            case .none: break
            case .key(let key):
                if unsafe compareBytes(key.span.bytes, id.bytes) <= 0 { try finish() }
            }
        }
        if !isLoaded {
            try unsafe load(id)
            isBehind = unsafe block.isLastBefore(id)
        }
        (place, isThere) = unsafe isBehind ? (block.count, false) : block.find(id)
        if isThere { block.select(place) } else { block.selectNone() }
        return isThere
    }

    private mutating func load(_ id: UnsafeRawBufferPointer) throws(StorageError) {
        block.removeAll()
        key = try unsafe store.read(atOrBefore: id, into: &block)
        if let key, unsafe compareBytes(block.id(0).bytes, key.span.bytes) < 0 { throw .damagedBlock }
        next = .unknown
        isChanged = false
        isLoaded = true
    }

    // MARK: The document at hand

    /// How many keys it has in the store.
    package var keyCount: Int { block.keyCount }

    /// Whether it has the sequence in the store that the index keeps of `document`.
    package func hasSequence(of document: PinnedDocument) -> Bool { block.sequence == sequence(of: document) }

    private func sequence(of document: PinnedDocument) -> UInt64 { keepsSequences ? document.sequence : 0 }

    /// Returns a key that it has in the store. Valid until something is changed.
    package func key(_ emit: Int) -> UnsafeRawBufferPointer { unsafe block.key(emit) }

    /// Adds or replaces it.
    package mutating func put(
        _ document: PinnedDocument,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        if !isThere, place == block.count, case .unknown = next {
            let after =
                if let key {
                    try unsafe key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
                        try unsafe store.key(after: key)
                    }
                } else {
                    try unsafe store.key(after: document.id)
                }
            next = after.map { .key($0) } ?? .none
        }
        block.replace(place..<place + (isThere ? 1 : 0), by: document, sequence(of: document), of: batches)
        isThere = true
        isChanged = true
        if block.byteCount > DocumentBlockEditor.mostBytes { try finish() }
    }

    /// Removes it. It must be there.
    package mutating func remove() {
        block.remove(place)
        isThere = false
        isChanged = true
    }

    // MARK: Writing

    /// Writes what was changed.
    package mutating func finish() throws(StorageError) {
        defer { isLoaded = false }
        guard isLoaded, isChanged else { return }
        if block.count == 0 {
            guard let key else { return }
            return try unsafe key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
                try unsafe store.remove(key)
            }
        }
        // Nothing comes between documents in ascending order, but behind the last one more may follow.
        let isEven = if case .none = next { false } else { true }
        var first = 0
        while first < block.count {
            let end = block.endOfPart(from: first, isEven: isEven)
            let entries = unsafe block.stored(first..<end)
            if first == 0, let key {
                try unsafe key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
                    try unsafe store.write(key, entries, isNew: false)
                }
            } else {
                try unsafe store.write(block.id(first), entries, isNew: true)
            }
            first = end
        }
    }
}
