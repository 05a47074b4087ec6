internal import StorageProtocol

/// Converts bodies between their JSON and their stored form, for one transaction and on its thread.
final class BodyCodec<Transaction: OrderedTransaction> {
    /// How new bodies are stored. Stored ones can be read in any case.
    let compression: Compression
    /// Whether enough bodies were encoded without a dictionary.
    var bodiesAskForTraining = false
    private let dictionaries: TransactionDictionaries<Transaction>
    private lazy var encoder = BodyEncoder()
    private lazy var buffers = BodyBuffers()

    /// - Parameter cache: The engine's cache.
    init(transaction: Transaction, cache: DictionaryCache, compression: Compression) {
        self.compression = compression
        dictionaries = TransactionDictionaries(transaction: transaction, cache: cache)
    }

    /// Returns the stored form of a body, made with the newest dictionary. Valid until the next `encode`, and as long
    /// as `json`.
    ///
    /// - Throws: `corrupt` (591) for a damaged dictionary, and errors of the store.
    func encode(_ json: UnsafeRawBufferPointer) throws(StorageError) -> StoredBody {
        guard compression == .lz4 else { return unsafe .plain(json) }
        let dictionary = try dictionaries.newest()
        if dictionary == nil {
            let count = dictionaries.cache.countBodyWithoutDictionary()
            if DictionarySchedule.isDue(from: count - 1, to: count) { bodiesAskForTraining = true }
        }
        return unsafe encoder.encode(json, with: dictionary)
    }

    /// Passes the JSON of a stored body to `use`: the stored bytes themselves if they are not compressed. Valid until
    /// `use` returns. `use` may itself use the codec.
    ///
    /// - Throws: `corrupt` (591), and errors of `use` and the store.
    func withJSON<R>(
        _ stored: UnsafeRawBufferPointer,
        _ use: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch try unsafe BodyParts(stored) {
        case .raw(let json):
            return try unsafe use(json)
        case .compressed(let body):
            let dictionary = try dictionaries.find(body.dictionaryVersion)
            return try unsafe buffers.with(body.length) {
                (buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> R in
                try unsafe body.decompress(with: dictionary, into: buffer)
                return try unsafe use(UnsafeRawBufferPointer(buffer))
            }
        }
    }

    /// Returns the dictionary with which new bodies are compressed.
    func newestDictionary() throws(StorageError) -> CompressionDictionary? { try dictionaries.newest() }

    /// Stores a dictionary, which is then the newest. Needs a write transaction.
    func add(_ dictionary: CompressionDictionary) throws(StorageError) { try dictionaries.add(dictionary) }
}
