internal import StorageProtocol

/// The keys of `OrderedMapReader`.
enum MapKey {
    static let info: [UInt8] = Array("a".utf8)
    static let localDocument: [UInt8] = Array("b".utf8)
    static let expiration: [UInt8] = Array("c".utf8)
    static let expirationByTime: [UInt8] = Array("d".utf8)
    static let hiddenEntry: [UInt8] = Array("e".utf8)
    static let blobReference: [UInt8] = Array("f".utf8)
    static let index: [UInt8] = Array("g".utf8)
    private static let entry: [UInt8] = Array("h".utf8)
    static let counters: [UInt8] = Array("i".utf8)
    /// Records by document ID, and the IDs by sequence.
    static let record: [UInt8] = Array("j".utf8)
    static let sequence: [UInt8] = Array("k".utf8)
    /// Bodies of other revisions by sequence.
    static let body: [UInt8] = Array("l".utf8)
    private static let row: [UInt8] = Array("m".utf8)
    private static let document: [UInt8] = Array("n".utf8)
    /// The change counter that `restore` leaves for the commit to set. It is never committed itself.
    static let restoredCounter: [UInt8] = Array("o".utf8)

    static func record(_ id: DocumentID) -> [UInt8] { record + id.string.utf8 }
    /// The prefix of the keys of an index's rows and documents.
    static func rows(of index: String) -> [UInt8] { row + ByteCoding.keyPart(index.utf8) }
    static func documents(of index: String) -> [UInt8] { document + ByteCoding.keyPart(index.utf8) }

    /// A row's key after `rows(of:)`. Without `emit` or `id`, the common prefix of several rows.
    static func place(_ key: [UInt8], _ id: [UInt8]?, _ emit: UInt32?) -> [UInt8] {
        guard let id else { return ByteCoding.keyPart(key) }
        let document = ByteCoding.keyPart(key) + ByteCoding.keyPart(id)
        return emit.map { document + ByteCoding.bytes(UInt64($0)) } ?? document
    }

    /// The prefix of the keys of an index's entries.
    static func entries(of name: String) -> [UInt8] { entry + ByteCoding.keyPart(name.utf8) }

    static func expiration(at time: Int64, of id: DocumentID) -> [UInt8] {
        expirationByTime + ByteCoding.bytes(ordered(time)) + Array(id.string.utf8)
    }

    /// Returns a number that sorts as the times do, times before 1970 first.
    static func ordered(_ time: Int64) -> UInt64 { UInt64(bitPattern: time) ^ 1 << 63 }
    static func time(_ ordered: UInt64) -> Int64 { Int64(bitPattern: ordered ^ 1 << 63) }
}
