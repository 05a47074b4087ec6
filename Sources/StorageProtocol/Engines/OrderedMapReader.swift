/// A transaction over one ordered map of bytes: whoever has such a map gets every call of `ReadTransaction` but `end`
/// from `value` and `values`, right and not slow. What an engine can do better it implements itself: records before
/// all.
///
/// Every key of these begins with a small letter (`a`...`z`). Keys that begin with any other byte are the engine's own.
/// The values are packed by `ByteCoding`; one that cannot be is `corrupt` (591). The keys of an engine that implements
/// a call itself are its own matter: then all calls for the same thing, reading and writing, are.
///
/// The keys are as long as what they are made of: IDs of 64 KiB, sort keys of 1 MiB, and twice that where bytes are
/// escaped. An engine whose keys end early takes `ShortKeyMapReader` and `ShortKeyMapWriter` instead.
public protocol OrderedMapReader: ReadTransaction {
    /// Asked at the top of every call.
    var transactionGuard: TransactionGuard { get }

    /// The value of a key; nil where there is none. Called inside `TransactionGuard.noting`.
    func value(_ key: [UInt8]) throws(StorageError) -> [UInt8]?

    /// Hands the keys in `range` with their values to `body`, in the order of the keys' bytes (backwards if
    /// `descending`), until it returns false. `body` may read through the transaction. Called inside
    /// `TransactionGuard.noting`.
    func values(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// For engines, in `verify`: reports which parts of the content do not belong together. It knows the keys of this
    /// protocol: an engine that implements calls for records or indexes itself checks those itself.
    ///
    /// - Complexity: O(n log n).
    func check(_ report: (StorageProblem) -> Void) throws(StorageError)
}

extension OrderedMapReader {
    /// As `values`, for a listing of the contract: checks first, and lends each to a caller's closure.
    func list(
        _ range: ByteRange,
        behind prefix: [UInt8],
        descending: Bool = false,
        _ body: (_ key: ArraySlice<UInt8>, _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try transactionGuard.check()
        try transactionGuard.noting { () throws(StorageError) in
            try values(in: range.behind(prefix), descending: descending) { (key, value) throws(StorageError) in
                try body(key.dropFirst(prefix.count), value)
            }
        }
    }

    /// As `value`, after the check.
    func checkedValue(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try transactionGuard.check()
        return try transactionGuard.noting { () throws(StorageError) in try value(key) }
    }
}

extension OrderedMapReader {
    /// What a call that reads does: check, then note what fails.
    func reading<R>(_ work: () throws(StorageError) -> R) throws(StorageError) -> R {
        try transactionGuard.check()
        return try transactionGuard.noting(work)
    }
}
