internal import StorageEngineKit
internal import StorageProtocol

/// The table `index_N_documents`.
struct SQLiteDocumentBlocks: DocumentBlockStore {
    let statements: SQLiteIndexStatements

    func read(
        atOrBefore id: UnsafeRawBufferPointer,
        into block: inout DocumentBlock
    ) throws(StorageError) -> [UInt8]? {
        let statement = try statements.hold(.documentBlock)
        unsafe statement.bindText(id, 1)
        return try statements.read(statement) { (row) throws(StorageError) in
            if row.isNull(0) { return nil }
            try row.readBlock(into: &block)
            return try unsafe Array(row.bytes(0, type: .text))
        }
    }

    func key(after key: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8]? {
        let statement = try statements.hold(.nextBlock)
        unsafe statement.bindText(key, 1)
        return try statements.read(statement) { (row) throws(StorageError) in
            row.isNull(0) ? nil : try unsafe Array(row.bytes(0, type: .text))
        }
    }

    func write(
        _ key: UnsafeRawBufferPointer,
        _ entries: UnsafeRawBufferPointer,
        isNew: Bool
    ) throws(StorageError) {
        // Replacing is cheaper than an update, except if pages are encrypted.
        let replaces = !statements.transaction.connection.isEncrypted
        let statement = try statements.hold(isNew ? .addBlock : replaces ? .putBlock : .changeBlock)
        let value = unsafe [StoredBlock.marker] + entries
        try unsafe value.withRawBytes { (value) throws(StorageError) in
            unsafe statement.bindText(key, 1)
            unsafe statement.bindBlob(value, 2)
            try statements.run(statement)
        }
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(StorageError) {
        let statement = try statements.hold(.removeBlock)
        unsafe statement.bindText(key, 1)
        try statements.run(statement)
    }
}
