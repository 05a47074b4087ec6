internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Where a block begins or ends.
enum BlockEdge: Sendable, Equatable {
    /// Before all rows.
    case start
    /// Just before this row.
    case before(RowOrderKey)
    /// After all rows.
    case end

    /// Returns whether this edge is before another one.
    func isBefore(_ other: BlockEdge) -> Bool {
        switch (self, other) {
        case (.end, _), (_, .start): false
        case (.start, _), (_, .end): true
        case (.before(let a), .before(let b)): compareBytes(a.bytes, b.bytes) < 0
        }
    }

    /// The highest level whose blocks have an edge here.
    var level: Int {
        switch self {
        case .start, .end: RowOrderKey.topLevel
        case .before(let place): place.level
        }
    }
}

/// The stored reduction of the rows of one block. Its key is the block's level (one byte) and the order key of its
/// first row, or nothing after the level for the leftmost block.
struct BlockSummary: Sendable {
    private static let version: UInt8 = 1

    var end: BlockEdge
    var part: ReducedPart

    /// Returns the key of a block that begins at `start`.
    static func key(level: Int, _ start: BlockEdge) -> [UInt8] {
        switch start {
        case .start: [UInt8(level)]
        case .before(let place): [UInt8(level)] + place.bytes
        case .end: [UInt8(level + 1)]
        }
    }

    /// Returns the stored value: version, length of the first row's sort key (0 for the leftmost block), length of the
    /// end's order key (0: after all rows) with the length of its sort key and its bytes, and the part.
    ///
    /// - Throws: `badJSON` (493) if a function of the application returned something without a JSON text.
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

    /// Nil: it has another version, or is not a summary of this reduction.
    init?(_ value: RawSpan, by reduce: Reduce) {
        var offset = 0
        guard BlockSummary.startKeyLength(value, &offset) != nil,
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

    /// Returns where a stored block begins and ends; nil if this program does not know its form.
    static func edges(key: RawSpan, value: RawSpan) -> (start: BlockEdge, end: BlockEdge)? {
        var offset = 0
        guard let keyLength = startKeyLength(value, &offset), let end = end(value, &offset),
            let start = start(key, keyLength)
        else { return nil }
        return (start, end)
    }

    private static func startKeyLength(_ value: RawSpan, _ offset: inout Int) -> Int? {
        guard SummaryReader.byte(value, &offset) == version,
            let length = SummaryReader.number(value, &offset), length <= UInt64(Collator.maximumKeyLength)
        else { return nil }
        return Int(length)
    }

    private static func start(_ key: RawSpan, _ keyLength: Int) -> BlockEdge? {
        if key.byteCount == 1, keyLength == 0 { return .start }
        guard key.byteCount > 1 else { return nil }
        let bytes = unsafe key.extracting(droppingFirst: 1).withUnsafeBytes { unsafe Array($0) }
        return RowOrderKey(bytes: bytes, keyLength: keyLength).map { .before($0) }
    }

    private static func end(_ value: RawSpan, _ offset: inout Int) -> BlockEdge? {
        guard let length = SummaryReader.length(value, &offset) else { return nil }
        if length == 0 { return .end }
        guard let keyLength = SummaryReader.number(value, &offset), keyLength <= UInt64(length),
            length <= value.byteCount - offset
        else { return nil }
        let bytes = unsafe value.extracting(offset..<(offset + length)).withUnsafeBytes { unsafe Array($0) }
        offset += length
        return RowOrderKey(bytes: bytes, keyLength: Int(keyLength)).map { .before($0) }
    }
}

extension BlockSummary {
    /// Returns the other edge of a stored block that begins at `edge` or, if `endsThere`, ends there; nil if it does
    /// not. Sets `offset` to where the part begins in the value.
    static func otherEdge(
        key: RawSpan,
        value: RawSpan,
        from edge: BlockEdge,
        endsThere: Bool,
        _ offset: inout Int
    ) -> BlockEdge? {
        guard let keyLength = startKeyLength(value, &offset) else { return nil }
        guard endsThere else {
            guard isSame(edge, key.extracting(droppingFirst: min(1, key.byteCount)), .start) else { return nil }
            return end(value, &offset)
        }
        guard let length = SummaryReader.length(value, &offset) else { return nil }
        if length > 0, SummaryReader.number(value, &offset) == nil { return nil }
        guard length <= value.byteCount - offset,
            isSame(edge, value.extracting(offset..<(offset + length)), .end)
        else { return nil }
        offset += length
        return start(key, keyLength)
    }

    /// Returns whether these bytes are the stored form of an edge. The edge `outermost` is stored as no bytes.
    private static func isSame(_ edge: BlockEdge, _ bytes: RawSpan, _ outermost: BlockEdge) -> Bool {
        guard case .before(let place) = edge else { return bytes.byteCount == 0 && edge == outermost }
        return unsafe compareBytes(place.bytes.span.bytes, bytes) == 0
    }
}
