/// The write transaction over one ordered map of bytes: gets every call of `WriteTransaction` but `commit` and
/// `rollback` from `setValue`, besides those of `OrderedMapReader`. `commit` calls `countChange` before it makes the
/// map the store's.
public protocol OrderedMapWriter: OrderedMapReader, WriteTransaction {
    /// `StorageOptions.isBeingBuilt` of the engine.
    var isBeingBuilt: Bool { get }

    /// Sets or removes (nil) the value of a key. Removing one that is not there is no write: the change counter does
    /// not grow for it. Called inside `TransactionGuard.noting`.
    func setValue(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError)

    /// How many bytes a key may have that `setValue` is given; by default any number. Calls of several keys that would
    /// need a longer one are `tooLarge` (413) before anything was written. (That of a single key is for `setValue` to
    /// refuse.)
    var maximumKeyLength: Int { get }
}

extension OrderedMapWriter {
    public var maximumKeyLength: Int { .max }
}

extension OrderedMapWriter {
    /// As `setValue`, after the check.
    func checkedSet(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting { () throws(StorageError) in try setValue(value, of: key) }
    }

    /// What a call that writes does: check, then note what fails.
    func writing(_ work: () throws(StorageError) -> Void) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting(work)
    }

    /// Removes all keys in a range. Called inside `TransactionGuard.noting`.
    ///
    /// - Complexity: linear in their number.
    func removeValues(in range: ByteRange) throws(StorageError) {
        var keys: [[UInt8]] = []
        try values(in: range, descending: false) { (key, _) throws(StorageError) in
            keys.append(key)
            return true
        }
        for key in keys { try setValue(nil, of: key) }
    }
}
