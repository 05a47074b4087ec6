internal import StorageProtocol

/// Documents that a dictionary is made of, at most as long as it: the documents themselves, one after another. That
/// measures as well as a selection of frequent parts; see docs/reference/performance.md.
struct DictionarySamples {
    /// The most that is taken of one document, so that a dictionary has at least four.
    private static let partLength = CompressionDictionary.maximumLength / 4
    /// From where on more samples help little.
    private static let enough = CompressionDictionary.maximumLength / 2
    /// What makes a dictionary worth its place when there will not be more.
    private static let leastLength = 4096

    private(set) var bytes: [UInt8] = []

    /// Whether another sample would change nothing.
    var isFull: Bool { bytes.count >= CompressionDictionary.maximumLength }

    /// Whether they give a useful dictionary: when there is enough of them, or documents enough to see that more will
    /// not come.
    func suffice(liveDocuments: UInt64) -> Bool {
        bytes.count > Self.enough || liveDocuments >= DictionarySchedule.patience && bytes.count >= Self.leastLength
    }

    /// Adds the beginning of a document's JSON as far as there is room.
    mutating func add(_ json: UnsafeRawBufferPointer) {
        let room = CompressionDictionary.maximumLength - bytes.count
        unsafe bytes.append(contentsOf: json.prefix(min(room, Self.partLength)))
    }

    /// The dictionary. The same samples give the same bytes.
    func dictionary(version: UInt32) -> CompressionDictionary {
        unsafe bytes.withUnsafeBytes { unsafe CompressionDictionary(version: version, contents: $0) }
    }
}
