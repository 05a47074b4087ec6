internal import StorageEngineKit
internal import StorageProtocol

/// A value of the column `keys` of `index_N_documents`: a marker and the entries of a `DocumentBlock`. Once, it had the
/// keys of one document, each behind its length as four bytes, whose first one is not the marker: no key is that long.
enum StoredBlock {
    static let marker: UInt8 = 1

    /// Reads the keys of one document.
    ///
    /// - Throws: `corrupt` (591) if the bytes are truncated.
    fileprivate static func keys(_ stored: UnsafeRawBufferPointer) throws(StorageError) -> [UnsafeRawBufferPointer] {
        var keys = unsafe [UnsafeRawBufferPointer]()
        var offset = 0
        while offset < stored.count {
            guard stored.count - offset >= 4 else { throw .damagedBlock }
            let length = unsafe Int(UInt32(bigEndian: stored.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset += 4
            guard stored.count - offset >= length else { throw .damagedBlock }
            unsafe keys.append(UnsafeRawBufferPointer(rebasing: stored[offset..<offset + length]))
            offset += length
        }
        return unsafe keys
    }
}

extension Statement {
    /// Reads the documents of a row of ID, sequence and keys.
    func readBlock(into block: inout DocumentBlock) throws(StorageError) {
        let stored = try unsafe bytes(2, type: .blob)
        if let first = unsafe stored.first, first == StoredBlock.marker {
            return try unsafe block.read(UnsafeRawBufferPointer(rebasing: stored.dropFirst()))
        }
        block.removeAll()
        try unsafe block.append(bytes(0, type: .text), sequence: count(1), keys: StoredBlock.keys(stored))
    }
}
