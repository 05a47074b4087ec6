internal import StorageProtocol

extension KVWriteTransaction {
    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError) {
        try checkWrite()
        try checkBodySequence(sequence)
        try noting { () throws(StorageError) in
            try unsafe owner.withRawBytes { (key) throws(StorageError) in
                _ = try unsafe existing(owner, key)
                try unsafe json.withUnsafeBytes { (json) throws(StorageError) in
                    try unsafe withStored(json) { (body) throws(StorageError) in
                        try unsafe putKept(body, at: sequence, owner: key)
                    }
                }
            }
        }
    }

    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
                _ = try unsafe remove(key, in: .bodies)
            }
        }
    }

    func putKept(_ body: StoredBody, at sequence: UInt64, owner: UnsafeRawBufferPointer) throws(StorageError) {
        try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
            _ = try unsafe put(key, in: .bodies, length: KeptBody.length(owner: owner, body)) {
                unsafe KeptBody.write(to: $0, owner: owner, body)
            }
        }
    }

    /// - Throws: `badParameter` (495) for a sequence that no revision can have.
    func checkBodySequence(_ sequence: UInt64) throws(StorageError) {
        guard sequence <= UInt64(Int64.max) else {
            throw .beyondAllSequences(sequence)
        }
    }

    @inline(__always)
    func withStored<R>(
        _ json: [UInt8],
        _ use: (StoredBody) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe json.withRawBytes { (json) throws(StorageError) in try unsafe withStored(json, use) }
    }

    /// Encodes a body for the store. This is the only function that does so.
    ///
    /// - Throws: `badParameter` (495) for bytes that do not begin like JSON: they would be mistaken for damage when
    ///   they are read.
    @inline(__always)
    func withStored<R>(
        _ json: UnsafeRawBufferPointer,
        _ use: (StoredBody) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if let first = unsafe json.first, first < 0x20 {
            throw StorageError(.badParameter, "A body is canonical JSON, which begins with no control character.")
        }
        if engine.compression == .uncompressed { return try use(unsafe .plain(json)) }
        return try use(unsafe codec.encode(json))
    }
}
