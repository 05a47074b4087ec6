internal import StorageProtocol

/// One of the two pages from which a snapshot starts.
struct MetaPage: Equatable {
    /// The page header, then `MDB_meta`.
    static let length = 16 + 136
    static let magic: UInt32 = 0xBEEF_C0DE
    static let version: UInt32 = 1
    /// LMDB 0.9's offsets of 16 bits allow no larger pages.
    static let pageSizes = 512...32_768

    private static let metaFlag: UInt16 = 0x08
    /// The keys of the free list are numbers.
    private static let integerKeys: UInt16 = 0x08
    /// The environment was created with the path of a file instead of a folder.
    private static let noSubfolder: UInt16 = 0x4000

    /// The position of the page: 0 or 1.
    var index: Int
    var pageSize: Int
    var mapSize: UInt64
    var freeList: TreeRecord
    var main: TreeRecord
    var lastPage: UInt64
    var transaction: UInt64

    /// Checks what LMDB itself requires of both meta pages. `problem` checks the rest.
    ///
    /// - Throws: `damage`, or `failure` with `unsupportedFormat` (591) for a file of another kind of LMDB.
    init(_ bytes: [UInt8], index: Int) throws(PageFault) {
        let name = "meta page \(index)"
        guard bytes.count == Self.length else { throw .damage("\(name) is cut off; the file is too short") }
        guard bytes.u32(16) == Self.magic else {
            if bytes.u32(16) == Self.magic.byteSwapped { throw Self.foreign("was written on a big-endian machine") }
            if bytes.u32(12) == Self.magic { throw Self.foreign("was written by a 32-bit LMDB") }
            throw .damage("\(name) does not begin as those of LMDB do")
        }
        let version = bytes.u32(20)
        guard version == Self.version else { throw Self.foreign("has version \(version) of LMDB's format, not 1") }
        guard bytes.u64(0) == UInt64(index), bytes.u16(10) == Self.metaFlag else {
            throw .damage("\(name) has another page's header")
        }
        self.index = index
        freeList = TreeRecord(bytes, at: 40)
        main = TreeRecord(bytes, at: 88)
        mapSize = bytes.u64(32)
        lastPage = bytes.u64(136)
        transaction = bytes.u64(144)
        pageSize = Int(freeList.pad)
        guard Self.pageSizes.contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            throw .damage("\(name) names an impossible page size, \(pageSize)")
        }
    }

    /// What prevents the meta page from being used.
    var problem: String? {
        guard freeList.flags & ~Self.noSubfolder == Self.integerKeys, main.flags == 0, main.pad == 0 else {
            return "has flags that no Settee database has"
        }
        guard lastPage >= 1, lastPage < 1 << 47 else { return "names an impossible last page, \(lastPage)" }
        guard mapSize / UInt64(pageSize) > lastPage, mapSize < 1 << 56 else {
            return "names an impossible map size, \(mapSize)"
        }
        guard transaction < 1 << 62 else { return "names an impossible transaction, \(transaction)" }
        // The first transaction is 1, and its meta page is 1. A new file has 0 in both.
        guard transaction == 0 || transaction & 1 == UInt64(index) else {
            return "holds transaction \(transaction), which belongs into the other"
        }
        if let problem = freeList.problem(lastPage: lastPage, pageSize: pageSize) { return "the free list \(problem)" }
        if let problem = main.problem(lastPage: lastPage, pageSize: pageSize) { return "the main tree \(problem)" }
        guard let pages = checkedSum(freeList.pages ?? .max, main.pages ?? .max), pages <= lastPage - 1 else {
            return "counts more pages than the file has"
        }
        return nil
    }

    private static func foreign(_ what: String) -> PageFault {
        .failure(
            StorageError(
                .unsupportedFormat,
                "The data file \(what); this program cannot read it. Export it where it was written, and import it "
                    + "here."
            )
        )
    }
}
