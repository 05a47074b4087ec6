package import StorageProtocol

/// The records with `DocumentBlock`s of one index, as an engine stores them, each under the key with which its range of
/// IDs begins: the record of a document is the last one whose key is not above its ID.
package protocol DocumentBlockStore {
    /// Reads the last record whose key is `id` or below into `block`.
    ///
    /// - Returns: Its key; nil if there is none.
    func read(atOrBefore id: UnsafeRawBufferPointer, into block: inout DocumentBlock) throws(StorageError) -> [UInt8]?

    /// Returns the key of the first record whose key is above `key`.
    func key(after key: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8]?

    /// Writes a record.
    ///
    /// - Parameter isNew: Whether there is none with this key.
    func write(_ key: UnsafeRawBufferPointer, _ entries: UnsafeRawBufferPointer, isNew: Bool) throws(StorageError)

    /// Removes an existing record.
    func remove(_ key: UnsafeRawBufferPointer) throws(StorageError)
}
