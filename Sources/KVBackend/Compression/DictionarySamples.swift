internal import StorageProtocol

/// The documents that make up a dictionary, up to its length: the documents themselves, one after another. In
/// measurements this is as good as a selection of frequent parts; see docs/reference/performance.md.
struct DictionarySamples {
    /// The maximum length taken from one document, so that a dictionary has at least four.
    private static let partLength = CompressionDictionary.maximumLength / 4
    /// From this length on, more samples help little.
    private static let enough = CompressionDictionary.maximumLength / 2
    /// The minimum length that makes a dictionary worthwhile if no more samples are expected.
    private static let leastLength = 4096

    private(set) var bytes: [UInt8] = []

    /// Whether another sample would change nothing.
    var isFull: Bool { bytes.count >= CompressionDictionary.maximumLength }

    /// Whether they make a useful dictionary: there are enough of them, or so many documents that more are not
    /// expected.
    func suffice(liveDocuments: UInt64) -> Bool {
        bytes.count > Self.enough || liveDocuments >= DictionarySchedule.patience && bytes.count >= Self.leastLength
    }

    /// Appends the beginning of a document's JSON, as far as there is room.
    mutating func add(_ json: UnsafeRawBufferPointer) {
        let room = CompressionDictionary.maximumLength - bytes.count
        unsafe bytes.append(contentsOf: json.prefix(min(room, Self.partLength)))
    }

    /// Returns the dictionary. The same samples give the same bytes.
    func dictionary(version: UInt32) -> CompressionDictionary {
        unsafe bytes.withUnsafeBytes { unsafe CompressionDictionary(version: version, contents: $0) }
    }
}
