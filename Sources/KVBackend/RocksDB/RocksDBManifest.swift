#if RocksDB
internal import StorageEngineKit
internal import StorageProtocol

/// What is read of RocksDB's manifest before the opening: what it says about the logs.
///
/// Format (`db/version_edit.cc` of RocksDB): the records are changes. Each is a list of numbered parts, of which the
/// leading ones are known here: a varint for the part, and a varint or a string with its length.
struct RocksDBManifest {
    /// The first log that RocksDB replays; 0 if the manifest does not say.
    private(set) var leastLog: UInt64 = 0
    /// The highest log that was there at some change: what was written since is in it, or in later ones.
    private(set) var newestLog: UInt64 = 0
    /// The last number of a commit that was in table files or logs at the last change.
    private(set) var lastNumber: UInt64 = 0

    /// The most bytes of a change that are kept: more than its leading parts have.
    private static let headLength = 256

    /// Reads the manifest at `path`. Damage ends the reading: RocksDB tells of it.
    init(_ path: String) throws(StorageError) {
        var change = [UInt8]()
        try RocksDBRecord.blocks(of: path) { (block, _) throws(StorageError) in
            var place = 0
            while block.count - place >= RocksDBRecord.headerLength {
                guard let record = RocksDBRecord(in: block, at: place) else {
                    return block[place...].allSatisfy { $0 == 0 }
                }
                if record.isFirst { change = [] }
                let rest = RocksDBManifest.headLength - min(RocksDBManifest.headLength, change.count)
                change += block[record.content].prefix(rest)
                if record.isLast { note(change) }
                place = record.content.upperBound
            }
            return true
        }
    }

    private mutating func note(_ change: [UInt8]) {
        unsafe change.withUnsafeBytes { bytes in
            var offset = 0
            while let part = unsafe Varint.read(bytes, &offset) {
                switch part {
                // The database's identity, the comparator.
                case 8193, 1: if unsafe Varint.readRange(bytes, &offset) == nil { return }
                // The log before, the next file, the greatest family; the log of a family, the least one, the last
                // number.
                case 9, 3, 203, 2, 10, 4:
                    guard let value = unsafe Varint.read(bytes, &offset) else { return }
                    if part == 2 { newestLog = max(newestLog, value) }
                    if part == 10 { leastLog = max(leastLog, value) }
                    if part == 4 { lastNumber = max(lastNumber, value) }
                default: return
                }
            }
        }
    }
}
#endif
