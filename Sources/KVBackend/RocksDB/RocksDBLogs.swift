#if RocksDB
internal import CSetteeRocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Walks the logs of a database before RocksDB replays them. RocksDB can be told to stop at the first damaged record
/// and to forget what follows, or to refuse a log whose end was not written completely. Neither is right: an end that
/// is cut is what a power failure leaves, and what follows a damaged record was committed.
///
/// Format (RocksDB's wiki, "Write Ahead Log File Format"): blocks of 32 KiB. A record is a checksum (CRC-32C of all
/// behind the length, masked), its length (2 bytes, lowest first), its kind and the content; kinds 5 to 8 have 4 more
/// bytes in the header. A block's last bytes are zeros if they are too few for a header. The content of records is a
/// batch, in one piece or several: 8 bytes of its first number, 4 bytes with how many numbers it takes, and its
/// changes.
struct RocksDBLogs {
    private static let blockLength = 32 << 10
    private static let headerLength = 7
    private static let longHeaderLength = 11

    /// What was found that RocksDB will forget: the end of the last log. Nil if there is nothing.
    private(set) var problem: StorageProblem?
    /// The number that the next batch must have.
    private var next: UInt64?
    /// The first bytes of the batch that is being read.
    private var batch: [UInt8] = []

    /// - Throws: `corrupt` (591) if there is none, if a record is damaged and another one follows it, or if batches are
    ///   missing;
    ///   `fileSystem` (498).
    init(in folder: String) throws(StorageError) {
        let names = try StoreFiles.names(in: folder).filter { $0.hasSuffix(".log") }
        // An open database always has one, and so has one that was closed.
        if names.isEmpty { throw .corrupt("RocksDB's log is missing from '\(folder)'") }
        // Longer numbers are higher.
        for name in names.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) { try walk(folder, name) }
    }

    private mutating func walk(_ folder: String, _ name: String) throws(StorageError) {
        let path = folder + "/" + name
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw StoreFiles.failure("open", path) }
        defer { _ = close(file) }
        var block = [UInt8](repeating: 0, count: RocksDBLogs.blockLength)
        var offset: Int64 = 0
        batch = []
        var isInBatch = false
        while true {
            let length = try read(file, &block, offset, path)
            if length == 0 { break }
            try walk(block[..<length], at: offset, in: name, &isInBatch)
            offset += Int64(length)
            if length < RocksDBLogs.blockLength { break }
        }
        if isInBatch, problem == nil { note("ends in the middle of a record", name, offset) }
    }

    private func read(
        _ file: Int32,
        _ block: inout [UInt8],
        _ offset: Int64,
        _ path: String
    ) throws(StorageError) -> Int {
        var length = 0
        while length < block.count {
            let wanted = block.count - length
            let n = unsafe block.withUnsafeMutableBytes { bytes in
                unsafe pread(file, bytes.baseAddress! + length, wanted, off_t(offset) + off_t(length))
            }
            if n < 0, errno == EINTR { continue }
            guard n >= 0 else { throw StoreFiles.failure("read", path) }
            if n == 0 { break }
            length += n
        }
        return length
    }

    /// One of the records of a block.
    private struct Record {
        var kind: UInt8
        var content: Range<Int>
        /// First, middle and last pieces of a batch, or all of it.
        var isFirst: Bool { kind == 1 || kind == 2 }
        var isLast: Bool { kind == 1 || kind == 4 }
    }

    /// Walks the records of a block. Behind a damaged one it looks for another at each byte.
    private mutating func walk(
        _ block: ArraySlice<UInt8>,
        at offset: Int64,
        in name: String,
        _ isInBatch: inout Bool
    ) throws(StorageError) {
        var place = 0
        while block.count - place >= RocksDBLogs.headerLength {
            guard let record = record(in: block, at: place) else {
                if problem == nil {
                    let isZero = block[place...].allSatisfy { $0 == 0 }
                    // What the file system has not written yet.
                    note(isZero ? "ends with zeros" : "has a damaged record", name, offset + Int64(place))
                    isInBatch = false
                }
                place += 1
                continue
            }
            // A piece of a batch whose beginning is damaged.
            if problem != nil, !isInBatch, !record.isFirst { throw damage(at: offset + Int64(place), name) }
            if record.isFirst { batch = [] }
            isInBatch = !record.isLast
            batch += block[record.content].prefix(12 - min(12, batch.count))
            if record.isLast { try count(offset + Int64(place), name) }
            place = record.content.upperBound
        }
        if problem == nil, !block[place...].allSatisfy({ $0 == 0 }) {
            note("ends in the middle of a record", name, offset + Int64(place))
        }
    }

    private mutating func note(_ what: String, _ name: String, _ offset: Int64) {
        problem = StorageProblem(
            area: "log",
            message:
                "RocksDB's log '\(name)' \(what), at byte \(offset). The commits behind it are lost, which a power "
                + "failure does to commits that were not synced."
        )
    }

    /// Returns the record at a place of a block, nil if there is none with a right checksum.
    private func record(in block: ArraySlice<UInt8>, at place: Int) -> Record? {
        let kind = block[place + 6]
        guard (1...8).contains(kind) else { return nil }
        let header = kind > 4 ? RocksDBLogs.longHeaderLength : RocksDBLogs.headerLength
        let start = place + header
        let end = start + (Int(block[place + 4]) | Int(block[place + 5]) << 8)
        guard end <= block.count else { return nil }
        let stored = block[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let crc = unsafe block[(place + 6)..<end].withUnsafeBytes { unsafe rocks_crc32c($0.baseAddress, $0.count) }
        guard (crc >> 15 | crc << 17) &+ 0xA282_EAD8 == stored else { return nil }
        return Record(kind: kind > 4 ? kind - 4 : kind, content: start..<end)
    }

    /// Checks that a batch follows the one before. Then nothing was lost in between: what is damaged is a write that
    /// failed.
    private mutating func count(_ offset: Int64, _ name: String) throws(StorageError) {
        guard batch.count == 12 else { throw .corrupt("The log '\(name)' of RocksDB has a batch without a number") }
        let number = batch[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let count = batch[8...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard next == nil && problem == nil || next == number else { throw damage(at: offset, name) }
        problem = nil
        next = number &+ count
    }

    private func damage(at offset: Int64, _ name: String) -> StorageError {
        .corrupt(
            "Commits before byte \(offset) of the log '\(name)' of RocksDB are missing or damaged"
                + (problem.map { ": \($0.message)" } ?? "")
        )
    }
}
#endif
