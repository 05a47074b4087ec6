public import StorageProtocol

/// A write transaction over one ordered map of bytes. It gets every call of `WriteTransaction` except `commit` and
/// `rollback` from `setValue`, in addition to those of `OrderedMapReader`. `commit` must call `countChange` before it
/// makes the map the current content of the store.
public protocol OrderedMapWriter: OrderedMapReader, WriteTransaction {
    /// The value of `StorageOptions.isBeingBuilt` of the engine.
    var isBeingBuilt: Bool { get }

    /// Sets or removes (nil) the value of a key. Removing a missing key is not a write: the change counter does not
    /// grow. Called inside `TransactionGuard.noting`.
    func setValue(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError)

    /// The maximum length in bytes of a key passed to `setValue`; unlimited by default. A call that writes several keys
    /// and needs a longer one throws `tooLarge` (413) before anything is written. (For a single key, `setValue` itself
    /// must refuse it.)
    var maximumKeyLength: Int { get }
}

extension OrderedMapWriter {
    public var maximumKeyLength: Int { .max }
}

extension OrderedMapWriter {
    /// Calls `setValue` after the check.
    func checkedSet(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting { () throws(StorageError) in try setValue(value, of: key) }
    }

    /// Runs a call that writes: checks first, then records a failure.
    func writing(_ work: () throws(StorageError) -> Void) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting(work)
    }

    /// Removes all keys in a range. Called inside `TransactionGuard.noting`.
    ///
    /// - Complexity: Linear in the number of keys.
    func removeValues(in range: ByteRange) throws(StorageError) {
        var keys: [[UInt8]] = []
        try values(in: range, descending: false) { (key, _) throws(StorageError) in
            keys.append(key)
            return true
        }
        for key in keys { try setValue(nil, of: key) }
    }
}
