#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

extension RocksDBTransaction {
    /// How many keys are looked up together, at first and later.
    private static let keysAtFirst = 8
    private static let keysAtOnce = 64

    /// Snapshots look several keys up together.
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard isSnapshot, keys.count > 1 else { return try unsafe valuesOneByOne(of: keys, in: table, use) }
        let handles = try live()
        try withExtendedLifetime(handles) { () throws(StorageError) in
            var first = 0
            while first < keys.count {
                let most = first == 0 ? RocksDBTransaction.keysAtFirst : RocksDBTransaction.keysAtOnce
                let numbers = first..<min(first + most, keys.count)
                guard try unsafe look(up: keys, numbers, in: table, handles, use) else { return }
                first = numbers.upperBound
                _ = try live()
            }
        }
    }

    /// Looks up some of the keys.
    ///
    /// - Returns: false if `use` did.
    private func look(
        up keys: some KeyList,
        _ numbers: Range<Int>,
        in table: Table,
        _ handles: RocksDBHandles,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        // The keys are only valid while they are shown.
        var copies = KeyBuffer()
        var lengths: [Int] = []
        lengths.reserveCapacity(numbers.count)
        for number in numbers {
            try unsafe keys.withKey(number) { (key) throws(StorageError) in
                unsafe copies.append(key)
                lengths.append(key.count)
            }
        }
        var starts: [UnsafePointer<CChar>?] = unsafe []
        var offset = 0
        for length in lengths {
            unsafe starts.append(copies.bytes.baseAddress?.assumingMemoryBound(to: CChar.self).advanced(by: offset))
            offset += length
        }
        var slices = unsafe [OpaquePointer?](repeating: nil, count: numbers.count)
        var failures = unsafe [UnsafeMutablePointer<CChar>?](repeating: nil, count: numbers.count)
        unsafe rocks_batched_multi_get_cf(
            handles.db,
            readOptions,
            handles.family(table),
            numbers.count,
            starts,
            lengths,
            &slices,
            &failures,
            true
        )
        defer {
            for place in unsafe slices.indices {
                if let slice = unsafe slices[place] { unsafe rocks_pinnableslice_destroy(slice) }
            }
        }
        var failure: StorageError?
        for place in unsafe failures.indices {
            guard let text = unsafe failures[place] else { continue }
            failure = unsafe fail(text, "Reading the table '\(table.name)'")
        }
        if let failure { throw failure }
        for place in lengths.indices {
            let key = unsafe UnsafeRawBufferPointer(start: starts[place], count: lengths[place])
            let value = unsafe slices[place].map { unsafe RocksDBTransaction.bytes(of: $0) }
            guard try unsafe use(numbers.lowerBound + place, key, value) else { return false }
        }
        return true
    }
}
#endif
