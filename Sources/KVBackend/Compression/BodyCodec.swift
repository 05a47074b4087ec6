internal import StorageProtocol

/// Bodies between their JSON and their stored form, for one transaction and on its thread.
final class BodyCodec<Transaction: OrderedTransaction> {
    /// How new bodies are stored. Stored ones are read whatever it says.
    let compression: Compression
    /// Whether bodies enough were encoded without a dictionary.
    var bodiesAskForTraining = false
    private let dictionaries: TransactionDictionaries<Transaction>
    private lazy var encoder = BodyEncoder()
    private lazy var buffers = BodyBuffers()

    /// - Parameter cache: the engine's.
    init(transaction: Transaction, cache: DictionaryCache, compression: Compression) {
        self.compression = compression
        dictionaries = TransactionDictionaries(transaction: transaction, cache: cache)
    }

    /// What is to be stored for a body, with the newest dictionary. Valid until the next `encode`, and as long as
    /// `json`.
    ///
    /// - Throws: `corrupt` (591) for a damaged dictionary, and what the store throws.
    func encode(_ json: UnsafeRawBufferPointer) throws(StorageError) -> StoredBody {
        guard compression == .lz4 else { return unsafe .plain(json) }
        let dictionary = try dictionaries.newest()
        if dictionary == nil {
            let count = dictionaries.cache.countBodyWithoutDictionary()
            if DictionarySchedule.isDue(from: count - 1, to: count) { bodiesAskForTraining = true }
        }
        return unsafe encoder.encode(json, with: dictionary)
    }

    /// Hands the JSON of a stored body to `use`: the stored bytes themselves where they are not compressed. Valid until
    /// `use` returns, which may use the codec in its turn.
    ///
    /// - Throws: `corrupt` (591), and what `use` and the store throw.
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

    /// The dictionary that new bodies are compressed with.
    func newestDictionary() throws(StorageError) -> CompressionDictionary? { try dictionaries.newest() }

    /// Stores a dictionary, which is the newest from then on. Needs a write transaction.
    func add(_ dictionary: CompressionDictionary) throws(StorageError) { try dictionaries.add(dictionary) }
}
