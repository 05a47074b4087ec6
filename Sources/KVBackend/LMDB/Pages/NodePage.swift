internal import StorageProtocol

/// A branch or leaf page whose header and nodes are known to be within it.
struct NodePage {
    static let headerLength = 16
    static let nodeHeaderLength = 8
    static let maximumKeyLength = 511
    private static let branchFlag: UInt16 = 0x01
    private static let leafFlag: UInt16 = 0x02

    let number: UInt64
    let isLeaf: Bool
    let count: Int
    /// The fraction of the page after the header that is taken by offsets and nodes.
    let fill: Double
    private let bytes: [UInt8]

    /// Reads page `number`, which must be a page of the file, and checks its structure.
    ///
    /// - Throws: `damage` if any part of it points out of the page, or overlaps.
    init(_ file: PageFile, _ number: UInt64, pageSize: Int) throws(PageFault) {
        let bytes = try file.read(pageSize, at: number &* UInt64(pageSize))
        guard bytes.count == pageSize else { throw .damage("page \(number) lies beyond the end of the file") }
        guard bytes.u64(0) == number else { throw .damage("page \(number) has another page's number") }
        let flags = bytes.u16(10)
        guard flags == Self.branchFlag || flags == Self.leafFlag else {
            throw .damage("page \(number) is neither branch nor leaf (flags \(flags))")
        }
        let lower = Int(bytes.u16(12))
        let upper = Int(bytes.u16(14))
        guard lower > Self.headerLength, lower & 1 == 0, lower <= upper, upper <= pageSize else {
            throw .damage("page \(number) has impossible bounds, \(lower) and \(upper)")
        }
        self.number = number
        self.bytes = bytes
        isLeaf = flags == Self.leafFlag
        count = (lower - Self.headerLength) / 2
        fill = Double(pageSize - Self.headerLength - (upper - lower)) / Double(pageSize - Self.headerLength)
        try checkNodes(upper: upper)
    }

    /// Checks that the nodes fill the page from `upper` to its end, without gaps or overlaps.
    private func checkNodes(upper: Int) throws(PageFault) {
        var places: [(offset: Int, end: Int)] = []
        places.reserveCapacity(count)
        for index in 0..<count {
            let offset = offset(index)
            guard offset >= upper, offset & 1 == 0, offset + Self.nodeHeaderLength <= bytes.count else {
                throw .damage("page \(number) has an entry outside of its bounds")
            }
            let keyLength = Int(bytes.u16(offset + 6))
            guard keyLength <= Self.maximumKeyLength, keyLength > 0 || (!isLeaf && index == 0) else {
                throw .damage("page \(number) has a key of \(keyLength) bytes")
            }
            let end = offset + Self.nodeHeaderLength + keyLength + (isLeaf ? inlineLength(offset) : 0)
            places.append((offset, end + (end & 1)))
        }
        places.sort { $0.offset < $1.offset }
        var expected = upper
        for place in places {
            guard place.offset == expected, place.end <= bytes.count else {
                throw .damage("page \(number) has entries that overlap, or that reach beyond it")
            }
            expected = place.end
        }
        guard expected == bytes.count else { throw .damage("page \(number) has a gap behind its entries") }
    }

    private func offset(_ index: Int) -> Int { Int(bytes.u16(Self.headerLength + 2 * index)) }

    /// Returns how many bytes of a leaf's value are in the page.
    private func inlineLength(_ offset: Int) -> Int {
        bytes.u16(offset + 4) & NodeFlags.overflow != 0 ? 8 : Int(bytes.u32(offset))
    }

    /// Returns the child of a branch page's node.
    func child(_ index: Int) -> UInt64 {
        let offset = offset(index)
        return UInt64(bytes.u32(offset)) | UInt64(bytes.u16(offset + 4)) << 32
    }

    /// Returns a leaf's node flags.
    func flags(_ index: Int) -> UInt16 { bytes.u16(offset(index) + 4) }

    /// Returns the length of a leaf's value, in or outside of the page.
    func valueLength(_ index: Int) -> Int { Int(bytes.u32(offset(index))) }

    func key(_ index: Int) -> ArraySlice<UInt8> {
        let start = offset(index) + Self.nodeHeaderLength
        return bytes[start..<start + Int(bytes.u16(start - 2))]
    }

    /// Returns the bytes of a leaf's value that are in the page: all, or 8 with the number of the first overflow page.
    func value(_ index: Int) -> ArraySlice<UInt8> {
        let offset = offset(index)
        let start = offset + Self.nodeHeaderLength + Int(bytes.u16(offset + 6))
        return bytes[start..<start + inlineLength(offset)]
    }

    /// Whether the key of node `index` is above that of the previous node.
    func isAscending(_ index: Int) -> Bool {
        unsafe compareBytes(key(index - 1).span.bytes, key(index).span.bytes) < 0
    }
}

/// The flags of a leaf's node that describe its value.
enum NodeFlags {
    /// The value is in overflow pages.
    static let overflow: UInt16 = 0x01
    /// The value is the record of a tree.
    static let tree: UInt16 = 0x02
}
