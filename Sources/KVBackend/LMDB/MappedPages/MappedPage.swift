internal import SetteeSystemLibrary

/// A branch or leaf page in a map, whose header is valid. Its entries are checked when they are read.
@safe
struct MappedPage {
    static let headerLength = 16
    static let nodeHeaderLength = 8
    static let branchFlag: UInt64 = 0x01
    static let leafFlag: UInt64 = 0x02

    let start: UnsafeRawPointer
    /// The end of the entries' offsets.
    let lower: Int
    let size: Int

    var count: Int { (lower - MappedPage.headerLength) >> 1 }

    var number: UInt64 { unsafe UInt64(littleEndian: start.load(as: UInt64.self)) }

    /// Returns the beginning of entry `index`, whose header is within the page.
    @inline(__always)
    func node(_ index: Int) throws(PageDamage) -> Int {
        let place = MappedPage.headerLength + index &* 2
        let offset = Int(unsafe UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
        guard offset >= lower, offset <= size - MappedPage.nodeHeaderLength else { throw PageDamage(.entry, number) }
        return offset
    }

    /// Returns the length of the key of the entry at `node`. The key is within the page.
    @inline(__always)
    func keyLength(_ node: Int) throws(PageDamage) -> Int {
        let length = Int(unsafe UInt16(littleEndian: start.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self)))
        guard length <= size - MappedPage.nodeHeaderLength - node else { throw PageDamage(.entry, number) }
        return length
    }

    @inline(__always)
    @unsafe
    func key(_ node: Int) throws(PageDamage) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + node + MappedPage.nodeHeaderLength, count: try keyLength(node))
    }

    /// Returns the child of a branch page's entry.
    @inline(__always)
    func child(_ index: Int) throws(PageDamage) -> UInt64 {
        let word = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: try node(index), as: UInt64.self))
        return word & 0xFFFF_FFFF_FFFF
    }

    /// Returns a leaf's entry.
    @inline(__always)
    @unsafe
    func entry(_ index: Int, _ space: PageSpace) throws(PageDamage) -> MappedEntry {
        let node = try node(index)
        let header = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: node, as: UInt64.self))
        let keyLength = Int(truncatingIfNeeded: header >> 48)
        let valueLength = Int(truncatingIfNeeded: header & 0xFFFF_FFFF)
        let flags = UInt16(truncatingIfNeeded: header >> 32)
        let room = size - MappedPage.nodeHeaderLength - node - keyLength
        let key = unsafe start + node + MappedPage.nodeHeaderLength
        guard keyLength > 0, flags == 0 ? valueLength <= room : flags == NodeFlags.overflow && room >= 8 else {
            throw PageDamage(.entry, number)
        }
        let value = unsafe key + keyLength
        if flags == 0 {
            return unsafe MappedEntry(
                key: UnsafeRawBufferPointer(start: key, count: keyLength),
                value: UnsafeRawBufferPointer(start: value, count: valueLength)
            )
        }
        let first = unsafe UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
        return unsafe MappedEntry(
            key: UnsafeRawBufferPointer(start: key, count: keyLength),
            value: try space.overflow(first, length: valueLength)
        )
    }

    /// Returns the first entry from `low` on whose key is not below `key`, and whether the keys are equal. If the keys
    /// of the page are out of order, this may be any entry. But if the result is below `count`, the key of that entry
    /// is not below `key`; and if it is above `low` and the keys are not equal, the key of the previous entry is.
    @inline(__always)
    func lowerBound(
        _ key: UnsafeRawBufferPointer,
        from low: Int
    ) throws(PageDamage) -> (index: Int, isEqual: Bool) {
        var low = low
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            let node = try node(middle)
            let order = unsafe compare(key, try self.key(node))
            if order == 0 { return (middle, true) }
            if order > 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Returns the entry of a branch page that leads to `key`, if it exists. The key of the first entry is ignored.
    @inline(__always)
    func branch(to key: UnsafeRawBufferPointer) throws(PageDamage) -> Int {
        let (index, isEqual) = unsafe try lowerBound(key, from: 1)
        return isEqual ? index : index - 1
    }
}

/// An entry of a leaf page.
@safe
struct MappedEntry {
    var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
}

/// See `compareBytes`.
@inline(__always)
func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard let x = a.baseAddress, let y = b.baseAddress else { return a.count - b.count }
    let order = unsafe memcmp(x, y, min(a.count, b.count))
    return order != 0 ? Int(order) : a.count - b.count
}
