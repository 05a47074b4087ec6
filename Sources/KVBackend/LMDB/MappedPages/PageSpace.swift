/// The pages of one snapshot in a map, accessed with checks: no number in the file leads out of its page, or to a page
/// that the file does not have. Each access costs a few instructions.
@safe
struct PageSpace {
    let base: UnsafeRawPointer
    let pageSize: Int
    private let shift: Int
    let lastPage: UInt64
    /// Pages from 2 up to this one are known to be in the file.
    private let limit: UInt64
    private let map: Unmanaged<PageMap>
    /// Whether a cursor must say what it is about to read.
    let needsReadAhead: Bool

    private static let overflowFlag: UInt64 = 0x04

    /// - Parameter lastPage: The snapshot's last page, for which `map` has room. The caller keeps `map` alive.
    init(_ map: PageMap, lastPage: UInt64) {
        unsafe base = map.base
        pageSize = map.pageSize
        shift = map.pageSize.trailingZeroBitCount
        self.lastPage = lastPage
        limit = max(2, min(lastPage &+ 1, map.filePages))
        unsafe self.map = .passUnretained(map)
        needsReadAhead = !map.readsAhead
    }

    /// Returns the beginning of page `number`.
    @inline(__always)
    @unsafe
    func start(_ number: UInt64) throws(PageDamage) -> UnsafeRawPointer {
        if number &- 2 >= limit &- 2 { try checkExists(number) }
        return unsafe base + Int(truncatingIfNeeded: number) << shift
    }

    @inline(never)
    private func checkExists(_ number: UInt64) throws(PageDamage) {
        guard number >= 2, number <= lastPage, unsafe map._withUnsafeGuaranteedRef({ $0.hasPage(number) }) else {
            throw PageDamage(.missing, number)
        }
    }

    /// Begins to read pages of the file, without waiting for them.
    func willRead(_ pages: Range<UInt64>) { unsafe map._withUnsafeGuaranteedRef { $0.willRead(pages) } }

    /// Returns page `number`, which must be a leaf or a branch page.
    @inline(__always)
    func page(_ number: UInt64, isLeaf: Bool) throws(PageDamage) -> MappedPage {
        let start = unsafe try start(number)
        // 2 bytes unused, flags, lower and upper bound.
        let header = unsafe UInt64(littleEndian: start.load(fromByteOffset: 8, as: UInt64.self))
        let lower = Int(truncatingIfNeeded: header >> 32 & 0xFFFF)
        let upper = Int(truncatingIfNeeded: header >> 48)
        guard unsafe UInt64(littleEndian: start.load(as: UInt64.self)) == number,
            header >> 16 & 0xFFFF == (isLeaf ? MappedPage.leafFlag : MappedPage.branchFlag),
            lower > MappedPage.headerLength, lower & 1 == 0, lower <= upper, upper <= pageSize
        else { throw PageDamage(.header, number) }
        return unsafe MappedPage(start: start, lower: lower, size: pageSize)
    }

    /// Returns a value of `length` bytes that begins on overflow page `number`.
    @inline(never)
    @unsafe
    func overflow(_ number: UInt64, length: Int) throws(PageDamage) -> UnsafeRawBufferPointer {
        let start = unsafe try start(number)
        let header = unsafe UInt64(littleEndian: start.load(fromByteOffset: 8, as: UInt64.self))
        let pages = header >> 32
        let needed = UInt64((MappedPage.headerLength - 1 + length) >> shift + 1)
        guard unsafe UInt64(littleEndian: start.load(as: UInt64.self)) == number,
            header >> 16 & 0xFFFF == Self.overflowFlag, needed <= pages, pages <= lastPage &+ 1 &- number
        else { throw PageDamage(.overflow, number) }
        _ = unsafe try self.start(number + needed - 1)
        return unsafe UnsafeRawBufferPointer(start: start + MappedPage.headerLength, count: length)
    }
}
