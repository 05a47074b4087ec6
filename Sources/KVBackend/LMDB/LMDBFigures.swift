internal import CSetteeLMDB
internal import StorageProtocol

/// What LMDB tells about a file.
struct LMDBFigures {
    var pageSize: UInt64
    var mapSize: UInt64
    /// The number of the last page that was ever used.
    var lastPage: UInt64
    /// Pages that are free for writers to come.
    var freePages: UInt64
    /// The number of the last commit.
    var lastTransaction: UInt64
    var readerPlaces: UInt64
    /// The size of the data file.
    var dataBytes: UInt64

    /// Bytes of the data file that hold nothing.
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

/// A snapshot in the table of readers.
struct LMDBReaderEntry: Equatable {
    var process: Int
    var isOwn: Bool
    /// How many commits it does not see.
    var behind: UInt64
}
