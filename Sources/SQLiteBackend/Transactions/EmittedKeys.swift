internal import StorageProtocol

/// The sort keys that one document emitted, as stored in its reverse record: for each, its length as a 4-byte
/// big-endian number and its bytes.
struct EmittedKeys: ~Copyable {
    private var bytes: [UInt8] = []
    private var keys: [Range<Int>] = []

    /// How many keys there are.
    var count: Int { keys.count }

    /// Reads the keys of a stored record.
    ///
    /// - Throws: `corrupt` (591) if the bytes are truncated.
    mutating func read(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        removeAll()
        unsafe bytes.append(contentsOf: stored)
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else { throw .corrupt("A stored index record is cut short") }
            let length = unsafe Int(UInt32(bigEndian: stored.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset += 4
            guard bytes.count - offset >= length else { throw .corrupt("A stored index record is cut short") }
            keys.append(offset..<offset + length)
            offset += length
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    /// Passes the key of a row to `body`.
    func withKey<R>(
        _ emit: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe bytes.withRawBytes { (bytes) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[keys[emit]]))
        }
    }

    /// Passes the keys of all rows to `body`.
    func withKeys<R>(_ body: ([UnsafeRawBufferPointer]) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe bytes.withRawBytes { (bytes) throws(StorageError) in
            try unsafe body(keys.map { unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// Whether the key of a row is `key`.
    func isKey(_ emit: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.span.bytes.withUnsafeBytes { bytes in
            unsafe compareBytes(UnsafeRawBufferPointer(rebasing: bytes[keys[emit]]).bytes, key.bytes) == 0
        }
    }

    /// Checks that a document's keys can be stored: SQLite's values are limited to 1,000,000,000 bytes.
    ///
    /// - Throws: `tooLarge` (413).
    static func checkLength(_ document: PinnedDocument, of batches: borrowing PinnedBatches) throws(StorageError) {
        var length = 0
        for emit in 0..<document.rowCount { unsafe length += 4 + batches.key(document.row(emit)).count }
        guard length <= 1_000_000_000 else {
            throw StorageError(
                .tooLarge,
                "A document emitted sort keys of more than 1,000,000,000 bytes. Emit fewer or shorter keys."
            )
        }
    }

    /// Appends the stored form of a document's keys to `target`.
    static func append(
        _ document: PinnedDocument,
        of batches: borrowing PinnedBatches,
        to target: inout [UInt8]
    ) {
        for emit in 0..<document.rowCount {
            let key = unsafe batches.key(document.row(emit))
            unsafe withUnsafeBytes(of: UInt32(key.count).bigEndian) { unsafe target.append(contentsOf: $0) }
            unsafe target.append(contentsOf: key)
        }
    }
}
