internal import StorageProtocol
internal import Synchronization

/// What an engine knows of its dictionaries, for all its transactions. A dictionary that is found here may come from a
/// transaction that was rolled back, so that a finder compares identities with what stands in the table.
final class DictionaryCache: Sendable {
    private let dictionaries = Locked<[UInt32: CompressionDictionary]>([:])
    private let withoutDictionary = Atomic<UInt64>(0)

    /// The dictionary, if it is here with that identity.
    func find(_ version: UInt32, _ identity: CompressionDictionary.Identity) -> CompressionDictionary? {
        guard let known = dictionaries.withLock({ $0[version] }), known.identity == identity else { return nil }
        return known
    }

    /// Keeps a dictionary in the place of another one of its version.
    func keep(_ dictionary: CompressionDictionary) {
        dictionaries.withLock { $0[dictionary.version] = dictionary }
    }

    /// Counts a body that was encoded because there is no dictionary yet, in a transaction of whatever end.
    ///
    /// - Returns: the count, from 1.
    func countBodyWithoutDictionary() -> UInt64 {
        withoutDictionary.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
