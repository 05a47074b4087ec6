/// The pages whose entries have all been checked and are valid for LMDB: a bit for each page of the file.
///
/// A page that is rewritten keeps its bit, because its content was made by LMDB.
@safe
struct SoundPages: ~Copyable {
    private var words: [UInt64] = []

    func contains(_ page: UInt64) -> Bool {
        let word = Int(page >> 6)
        return word < words.count && words[word] & (1 << (page & 63)) != 0
    }

    /// - Parameter page: A page of the file.
    mutating func insert(_ page: UInt64) {
        let word = Int(page >> 6)
        if word >= words.count { words += [UInt64](repeating: 0, count: word + 1 + words.count - words.count / 2) }
        words[word] |= 1 << (page & 63)
    }
}

extension MappedPage {
    /// The trees that pages belong to. LMDB treats the content of their entries differently.
    enum Tree {
        /// Contains the records of the tables.
        case main
        case table
    }

    /// Checks a whole page. LMDB moves entries by their lengths, so they must fill the page without gaps or overlaps.
    /// Children and overflow pages must exist.
    func checkEntries(_ space: PageSpace, of tree: Tree, isLeaf: Bool) throws(PageDamage) {
        let damage = PageDamage(.entry, number)
        let count = count
        let upper = Int(unsafe UInt16(littleEndian: start.load(fromByteOffset: 14, as: UInt16.self)))
        // Bit n: an entry begins at byte 2n.
        try unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 128) { (starts) throws(PageDamage) in
            unsafe starts.initialize(repeating: 0)
            for index in 0..<count {
                let node = try node(index)
                guard node >= upper, node & 1 == 0, unsafe starts[node >> 7] & (1 << (node >> 1 & 63)) == 0 else {
                    throw damage
                }
                unsafe starts[node >> 7] |= 1 << (node >> 1 & 63)
                if index > (isLeaf ? 0 : 1) {
                    let previous = unsafe try key(self.node(index - 1))
                    guard unsafe compare(previous, try key(node)) < 0 else { throw PageDamage(.order, number) }
                }
            }
            var place = upper
            for _ in 0..<count {
                guard place < size, unsafe starts[place >> 7] & (1 << (place >> 1 & 63)) != 0 else { throw damage }
                place += try entryLength(place, space, tree, isLeaf: isLeaf)
            }
            guard place == size else { throw damage }
        }
        if !isLeaf { _ = try keyLength(node(0)) }
    }

    /// Returns how many bytes the entry at `node` takes.
    private func entryLength(
        _ node: Int,
        _ space: PageSpace,
        _ tree: Tree,
        isLeaf: Bool
    ) throws(PageDamage) -> Int {
        let damage = PageDamage(.entry, number)
        let keyLength = try keyLength(node)
        guard keyLength <= NodePage.maximumKeyLength, keyLength > 0 || !isLeaf else { throw damage }
        var length = MappedPage.nodeHeaderLength + keyLength
        let header = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: node, as: UInt64.self))
        if isLeaf {
            let flags = UInt16(truncatingIfNeeded: header >> 32)
            let valueLength = Int(truncatingIfNeeded: header & 0xFFFF_FFFF)
            switch (tree, flags) {
            case (.table, 0): length += valueLength
            case (.table, NodeFlags.overflow):
                guard length + 8 <= size - node else { throw damage }
                let first = unsafe start.loadUnaligned(fromByteOffset: node + length, as: UInt64.self)
                unsafe _ = try space.start(UInt64(littleEndian: first))
                length += 8
            case (.main, NodeFlags.tree):
                guard valueLength == TreeRecord.length else { throw damage }
                length += valueLength
            default: throw damage
            }
        } else {
            unsafe _ = try space.start(header & 0xFFFF_FFFF_FFFF)
        }
        guard length <= size - node else { throw damage }
        return length + length & 1
    }
}
