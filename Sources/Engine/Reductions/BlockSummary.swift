internal import StorageProtocol

/// Where a block begins or ends.
enum BlockEdge: Sendable, Equatable {
    /// Before all rows.
    case start
    /// Just before the row at this place.
    case before(RowPlace)
    /// Behind all rows.
    case end

    /// The greatest level whose blocks have an edge here.
    var level: Int {
        switch self {
        case .start, .end: RowPlace.topLevel
        case .before(let place): place.level
        }
    }
}

/// What the rows of one block were reduced to, as it is stored: under its level (one byte) and the place of its first row,
/// nothing for the leftmost one.
struct BlockSummary: Sendable {
    private static let version: UInt8 = 1

    var end: BlockEdge
    var part: ReducedPart

    /// The key of a block that begins at `start`.
    static func key(level: Int, _ start: BlockEdge) -> [UInt8] {
        switch start {
        case .start: [UInt8(level)]
        case .before(let place): [UInt8(level)] + place.bytes
        case .end: [UInt8(level + 1)]
        }
    }

    /// The value stored: version, length of the first row's sort key (0 for the leftmost block), length of the end's place
    /// (0: all rows) with the length of its sort key and its bytes, and the part.
    ///
    /// - Throws: `badJSON` (493) where a function of the application yielded what has no JSON text.
    func value(start: BlockEdge) throws(StorageError) -> [UInt8] {
        var writer = SummaryWriter()
        writer.bytes.append(BlockSummary.version)
        if case .before(let place) = start { writer.append(UInt64(place.keyLength)) } else { writer.append(0) }
        if case .before(let place) = end {
            writer.append(UInt64(place.bytes.count))
            writer.append(UInt64(place.keyLength))
            writer.bytes += place.bytes
        } else {
            writer.append(0)
        }
        try part.write(to: &writer)
        return writer.bytes
    }

    /// Nil: another version, or no summary of this reduction.
    init?(_ value: RawSpan, by reduce: Reduce) {
        var offset = 0
        guard SummaryReader.byte(value, &offset) == BlockSummary.version,
            SummaryReader.number(value, &offset) != nil,
            let end = BlockSummary.end(value, &offset),
            let part = ReducedPart(value, from: &offset, by: reduce)
        else { return nil }
        self.end = end
        self.part = part
    }

    init(end: BlockEdge, part: ReducedPart) {
        self.end = end
        self.part = part
    }

    /// Where a stored block begins and ends. Nil: it is none that this program knows.
    static func edges(key: RawSpan, value: RawSpan) -> (start: BlockEdge, end: BlockEdge)? {
        var offset = 0
        guard SummaryReader.byte(value, &offset) == version,
            let keyLength = SummaryReader.number(value, &offset), keyLength <= UInt64(key.byteCount),
            let end = end(value, &offset)
        else { return nil }
        if key.byteCount == 1, keyLength == 0 { return (.start, end) }
        let bytes = unsafe key.extracting(droppingFirst: 1).withUnsafeBytes { unsafe Array($0) }
        guard let place = RowPlace(bytes: bytes, keyLength: Int(keyLength)) else { return nil }
        return (.before(place), end)
    }

    private static func end(_ value: RawSpan, _ offset: inout Int) -> BlockEdge? {
        guard let length = SummaryReader.length(value, &offset) else { return nil }
        if length == 0 { return .end }
        guard let keyLength = SummaryReader.number(value, &offset), keyLength <= UInt64(length),
            length <= value.byteCount - offset
        else { return nil }
        let bytes = unsafe value.extracting(offset..<(offset + length)).withUnsafeBytes { unsafe Array($0) }
        offset += length
        return RowPlace(bytes: bytes, keyLength: Int(keyLength)).map { .before($0) }
    }
}
