internal import StorageProtocol
internal import Synchronization

/// Caches an engine's dictionaries for all its transactions. A cached dictionary may come from a transaction that was
/// rolled back, so its identity must be compared with the table.
final class DictionaryCache: Sendable {
    private let dictionaries = Locked<[UInt32: CompressionDictionary]>([:])
    private let withoutDictionary = Atomic<UInt64>(0)

    /// Returns the dictionary if it is cached with that identity.
    func find(_ version: UInt32, _ identity: CompressionDictionary.Identity) -> CompressionDictionary? {
        guard let known = dictionaries.withLock({ $0[version] }), known.identity == identity else { return nil }
        return known
    }

    /// Keeps a dictionary, replacing another one with its version.
    func keep(_ dictionary: CompressionDictionary) {
        dictionaries.withLock { $0[dictionary.version] = dictionary }
    }

    /// Counts a body that was encoded without a dictionary because there is none yet, whether or not its transaction is
    /// committed.
    ///
    /// - Returns: The count, from 1.
    func countBodyWithoutDictionary() -> UInt64 {
        withoutDictionary.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
