internal import CSetteeLMDB
internal import StorageProtocol

/// LMDB's figures about a file.
struct LMDBFigures {
    var pageSize: UInt64
    var mapSize: UInt64
    /// The number of the last page that was ever used.
    var lastPage: UInt64
    /// The number of pages that future writers can use.
    var freePages: UInt64
    /// The number of the last commit.
    var lastTransaction: UInt64
    var readerPlaces: UInt64
    /// The size of the data file.
    var dataBytes: UInt64

    /// The number of bytes of the data file that hold nothing.
    var freeBytes: UInt64 {
        let tail = dataBytes.subtractingReportingOverflow((lastPage &+ 1) &* pageSize)
        return freePages &* pageSize &+ (tail.overflow ? 0 : tail.partialValue)
    }

    static let version: String = {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        unsafe mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }()
}

/// A snapshot in the reader table.
struct LMDBReaderEntry: Equatable {
    var process: Int
    var isOwn: Bool
    /// The number of commits after it.
    var behind: UInt64
}
