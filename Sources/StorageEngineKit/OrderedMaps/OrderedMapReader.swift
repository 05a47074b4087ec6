public import StorageProtocol

/// A read transaction over one ordered map of bytes. An engine that has such a map implements `value` and `values`, and
/// gets every call of `ReadTransaction` except `end` from them, correct and reasonably fast. It implements a call
/// itself if it can do better, above all the calls for records.
///
/// All keys used here begin with a lower-case letter (`a`...`z`). Keys that begin with any other byte are free for the
/// engine. Values are packed by `ByteCoding`; a value that cannot be unpacked is `corrupt` (591). An engine that
/// implements a call itself chooses its own keys for it, and must then implement all calls for the same thing, reading
/// and writing.
///
/// The keys are as long as their parts: IDs of 64 KiB, sort keys of 1 MiB, and twice that if bytes are escaped. An
/// engine whose keys are limited to less uses `ShortKeyMapReader` and `ShortKeyMapWriter` instead.
public protocol OrderedMapReader: ReadTransaction {
    /// Checked at the start of every call.
    var transactionGuard: TransactionGuard { get }

    /// Returns the value of a key, or nil if there is none. Called inside `TransactionGuard.noting`.
    func value(_ key: [UInt8]) throws(StorageError) -> [UInt8]?

    /// Passes the keys in `range` with their values to `body`, ordered by the bytes of the keys, or in reverse if
    /// `descending`, until it returns false. `body` may read through the transaction. Called inside
    /// `TransactionGuard.noting`.
    func values(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// For engines, in `verify`: reports parts of the content that contradict each other. It assumes the keys of this
    /// protocol: an engine that implements calls for records or indexes itself must check those itself.
    ///
    /// - Complexity: O(n log n).
    func check(_ report: (StorageProblem) -> Void) throws(StorageError)
}

extension OrderedMapReader {
    /// Calls `values` for a listing of the contract: checks first, and passes each key and value to a caller's closure.
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

    /// Calls `value` after the check.
    func checkedValue(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try transactionGuard.check()
        return try transactionGuard.noting { () throws(StorageError) in try value(key) }
    }
}

extension OrderedMapReader {
    /// Runs a call that reads: checks first, then records a failure.
    func reading<R>(_ work: () throws(StorageError) -> R) throws(StorageError) -> R {
        try transactionGuard.check()
        return try transactionGuard.noting(work)
    }
}
