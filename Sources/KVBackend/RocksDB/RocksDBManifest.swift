#if RocksDB
internal import StorageEngineKit
internal import StorageProtocol

/// What is read of RocksDB's manifest before the opening: which logs it will replay.
///
/// Format (`db/version_edit.cc` of RocksDB): the records are changes. Each is a list of numbered parts, of which the
/// leading ones are known here: a varint for the part, and a varint or a string with its length.
enum RocksDBManifest {
    /// The most bytes of a change that are kept: more than its leading parts have.
    private static let headLength = 256

    /// Returns the number of the first log that RocksDB replays; 0 if the manifest does not say. Damage ends the
    /// reading: RocksDB tells of it.
    static func leastLog(_ path: String) throws(StorageError) -> UInt64 {
        var (least, change) = (UInt64(0), [UInt8]())
        try RocksDBRecord.blocks(of: path) { (block, _) throws(StorageError) in
            var place = 0
            while block.count - place >= RocksDBRecord.headerLength {
                guard let record = RocksDBRecord(in: block, at: place) else {
                    return block[place...].allSatisfy { $0 == 0 }
                }
                if record.isFirst { change = [] }
                change += block[record.content].prefix(headLength - min(headLength, change.count))
                if record.isLast, let log = leastLog(change: change) { least = max(least, log) }
                place = record.content.upperBound
            }
            return true
        }
        return least
    }

    private static func leastLog(change: [UInt8]) -> UInt64? {
        unsafe change.withUnsafeBytes { (bytes) -> UInt64? in
            var offset = 0
            while let part = unsafe Varint.read(bytes, &offset) {
                switch part {
                // The log of a family, the one before, the next file, the greatest family, the last sequence.
                case 2, 9, 3, 203, 4: if unsafe Varint.read(bytes, &offset) == nil { return nil }
                // The database's identity, the comparator.
                case 8193, 1: if unsafe Varint.readRange(bytes, &offset) == nil { return nil }
                case 10: return unsafe Varint.read(bytes, &offset)
                default: return nil
                }
            }
            return nil
        }
    }
}
#endif
