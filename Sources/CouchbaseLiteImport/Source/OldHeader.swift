internal import StorageProtocol

/// The first 100 bytes of a plain SQLite file, and the values they must have.
/// Layout: https://www.sqlite.org/fileformat2.html#the_database_header
struct OldHeader {
    static let length = 100

    /// The header with all bytes corrected that have only one or a few possible values in databases of Couchbase Lite.
    /// Without them SQLite does not open the file, even if everything else is intact.
    let mended: [UInt8]

    /// - Parameter hasLog: whether there is a log beside the file.
    init(_ bytes: [UInt8], hasLog: Bool) {
        var mended = bytes
        if bytes.count == OldHeader.length {
            mended.replaceSubrange(0..<16, with: SourceOpening.magic)
            // The read and write versions: 1 with a journal, 2 with a log.
            for place in [18, 19] where !(1...2).contains(mended[place]) { mended[place] = hasLog ? 2 : 1 }
            mended.replaceSubrange(21...23, with: [64, 32, 32])
            // The schema format and the text encoding; 0 in an empty file.
            if OldHeader.number(mended, 44) > 4 { mended.replaceSubrange(44..<48, with: [0, 0, 0, 4]) }
            if OldHeader.number(mended, 56) > 3 { mended.replaceSubrange(56..<60, with: [0, 0, 0, 1]) }
        }
        self.mended = mended
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
