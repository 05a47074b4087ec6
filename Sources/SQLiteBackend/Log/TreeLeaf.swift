/// A leaf of a table or index, as far as it shows counters.
struct TreeLeaf {
    enum Content {
        /// The highest sequence in it.
        case sequence(Int64)
        case counters(floor: Int64, extra: Int64)
    }

    private(set) var content: Content?

    private static let (indexLeaf, tableLeaf): (UInt8, UInt8) = (0x0A, 0x0D)

    /// Nil if it is no leaf.
    init?(_ page: ArraySlice<UInt8>, isFirst: Bool) {
        guard !isFirst, page.count >= 512, let kind = page.first,
            kind == TreeLeaf.indexLeaf || kind == TreeLeaf.tableLeaf
        else { return nil }
        let bytes = page[page.startIndex...]
        func short(_ offset: Int) -> Int {
            Int(bytes[bytes.startIndex + offset]) << 8 | Int(bytes[bytes.startIndex + offset + 1])
        }
        let cells = short(3)
        guard cells > 0, 8 + 2 * cells <= bytes.count else { return }
        // The last cell has the highest key.
        var cell = CellReader(bytes.dropFirst(short(8 + 2 * (cells - 1))))
        guard cell.varint() != nil else { return }
        if kind == TreeLeaf.indexLeaf {
            guard let types = cell.columnTypes(), types.count == 2, let sequence = cell.integer(types[0]),
                cell.integer(types[1]) != nil
            else { return }
            content = .sequence(sequence)
            return
        }
        guard let row = cell.varint(), let types = cell.columnTypes(), types.first == 0 else { return }
        if types.count == 3, types[1] >= 13, types[1] % 2 == 1, types[2] < 10, types[2] != 0 {
            content = .sequence(row)
        } else if types.count == 4, cells == 1, row == 1, let floor = cell.integer(types[1]),
            cell.integer(types[2]) != nil, let extra = cell.integer(types[3])
        {
            content = .counters(floor: floor, extra: extra)
        }
    }
}

/// Reads a cell. Nil where the page ends or another type is found.
private struct CellReader {
    private var rest: ArraySlice<UInt8>

    init(_ rest: ArraySlice<UInt8>) { self.rest = rest }

    mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for place in 0..<9 {
            guard let byte = rest.popFirst() else { return nil }
            if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }

    /// Returns the serial types in a record's header, at most 4, and moves to its first value.
    mutating func columnTypes() -> [Int64]? {
        let before = rest.count
        guard let length = varint(), 2...20 ~= length else { return nil }
        var types: [Int64] = []
        while before - rest.count < length {
            guard types.count < 4, let type = varint() else { return nil }
            types.append(type)
        }
        return before - rest.count == length ? types : nil
    }

    /// Returns an integer value and moves behind it.
    mutating func integer(_ type: Int64) -> Int64? {
        if type == 8 || type == 9 { return type - 8 }
        guard 1...6 ~= type else { return nil }
        let length = [1, 2, 3, 4, 6, 8][Int(type) - 1]
        guard rest.count >= length, let first = rest.first else { return nil }
        let value = rest.prefix(length).dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        rest = rest.dropFirst(length)
        return value
    }
}
