internal import StorageEngineKit
internal import StorageProtocol

/// The part of the table `emitted` that belongs to an index.
final class KVDocumentBlocks<Store: OrderedStore>: DocumentBlockStore {
    private let transaction: KVWriteTransaction<Store>
    private let index: UInt32
    /// A cursor in `emitted`, and the same for long keys.
    private let emitted: Store.Transaction.Cursor
    private let cursor: LongKeyCursor<Store.Transaction>
    /// The key at hand, in reusable memory.
    private var place = KeyBuffer()
    /// Where the table ended before the first new block.
    private var end: AppendPosition

    init(_ transaction: KVWriteTransaction<Store>, _ index: UInt32) throws(StorageError) {
        self.transaction = transaction
        self.index = index
        emitted = try transaction.base.cursor(.emitted)
        cursor = LongKeyCursor(transaction.base, root: emitted)
        end = try AppendPosition(emitted, Store.Transaction.keyLayout)
    }

    deinit { cursor.close() }

    func read(
        atOrBefore id: UnsafeRawBufferPointer,
        into block: inout DocumentBlock
    ) throws(StorageError) -> [UInt8]? {
        unsafe setPlace(id)
        guard try unsafe StoredBlock.seek(place.bytes, cursor) else { return nil }
        let key = unsafe Array(StoredBlock.id(cursor.key))
        try unsafe StoredBlock.read(cursor.key, cursor.value, into: &block)
        return key
    }

    func key(after key: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8]? {
        unsafe setPlace(key)
        guard try unsafe cursor.seek(.atOrAfter(place.bytes)) else { return nil }
        if unsafe cursor.key.equals(place.bytes), try !cursor.next() { return nil }
        guard unsafe cursor.key.starts(with: place.bytes.prefix(RowKey.numberLength)) else { return nil }
        return unsafe Array(StoredBlock.id(cursor.key))
    }

    func write(
        _ key: UnsafeRawBufferPointer,
        _ entries: UnsafeRawBufferPointer,
        isNew: Bool
    ) throws(StorageError) {
        unsafe setPlace(key)
        let mode: PutMode = !isNew ? .upsert : unsafe end.isAbove(place.bytes) ? .append : .new
        let length = StoredBlock.marker.count + entries.count
        let isWritten = try unsafe transaction.putLong(place.bytes, by: emitted, in: .emitted, length, mode) { target in
            unsafe target.copyBytes(from: StoredBlock.marker)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[StoredBlock.marker.count...])
                .copyMemory(from: entries)
        }
        guard isWritten else { throw .damagedBlock }
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(StorageError) {
        unsafe setPlace(key)
        guard try unsafe transaction.removeLong(place.bytes, in: .emitted, mode: .known) else {
            throw .damagedBlock
        }
    }

    private func setPlace(_ id: UnsafeRawBufferPointer) {
        place.removeAll()
        place.append(bigEndian: index)
        unsafe place.append(id)
    }
}
