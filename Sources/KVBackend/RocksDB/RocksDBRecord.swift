#if RocksDB
internal import CSetteeRocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A record of a log or of a manifest.
///
/// Format (RocksDB's wiki, "Write Ahead Log File Format"): blocks of 32 KiB. A record is a checksum (CRC-32C of all
/// behind the length, masked), its length (2 bytes, lowest first), its kind and the content; kinds 5 to 8 have 4 more
/// bytes in the header. A block's last bytes are zeros if they are too few for a header. What is too long for a block
/// is in several records.
struct RocksDBRecord {
    static let headerLength = 7
    private static let longHeaderLength = 11
    private static let blockLength = 32 << 10

    private var kind: UInt8
    let content: Range<Int>
    /// Whether it is the first piece of what is in several records, or all of it.
    var isFirst: Bool { kind == 1 || kind == 2 }
    /// Whether it is the last piece, or all.
    var isLast: Bool { kind == 1 || kind == 4 }

    /// Reads the record at a place of a block that has room for a header. Nil if there is none with a right checksum.
    init?(in block: ArraySlice<UInt8>, at place: Int) {
        kind = block[place + 6]
        guard (1...8).contains(kind) else { return nil }
        let start = place + (kind > 4 ? RocksDBRecord.longHeaderLength : RocksDBRecord.headerLength)
        let end = start + (Int(block[place + 4]) | Int(block[place + 5]) << 8)
        guard end <= block.count else { return nil }
        let stored = block[place..<place + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let crc = unsafe block[(place + 6)..<end].withUnsafeBytes { unsafe rocks_crc32c($0.baseAddress, $0.count) }
        guard (crc >> 15 | crc << 17) &+ 0xA282_EAD8 == stored else { return nil }
        if kind > 4 { kind -= 4 }
        content = start..<end
    }

    /// Passes the blocks of a file to `use`, until it returns false. Links are not followed.
    ///
    /// - Returns: The end of the last block that was read.
    @discardableResult
    static func blocks(
        of path: String,
        _ use: (_ block: ArraySlice<UInt8>, _ offset: Int64) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int64 {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw StoreFiles.failure("open", path) }
        defer { _ = close(file) }
        var block = [UInt8](repeating: 0, count: blockLength)
        var offset: Int64 = 0
        while true {
            let length = try read(file, &block, offset, path)
            if length == 0 { return offset }
            let goesOn = try use(block[..<length], offset)
            offset += Int64(length)
            if length < blockLength || !goesOn { return offset }
        }
    }

    private static func read(
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
}
#endif
