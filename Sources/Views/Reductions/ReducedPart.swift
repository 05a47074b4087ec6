internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The reduction of some rows, in a form that can be combined with others.
struct ReducedPart: Sendable {
    enum Content: Sendable {
        /// The number of rows is enough.
        case rows
        case sum(MixedSum)
        case average(ExactSum)
        case stats(MixedStatistics)
        case distinct(DistinctSketch)
        /// The result of a function of the application.
        case value(JSONValue)
    }

    var rowCount: UInt64
    /// Meaningless if there are no rows.
    var content: Content

    /// Returns the value that a query returns.
    ///
    /// - Throws: `badRequest` (400) if a sum is beyond the range of doubles.
    func value() throws(StorageError) -> JSONValue {
        switch content {
        case .rows: return JSONValue(rowCount)
        case .sum(let sum): return try sum.value
        case .average(let sum): return .double((try sum.value.doubleValue ?? 0) / Double(rowCount))
        case .stats(let stats): return try stats.value(count: rowCount)
        case .distinct(let sketch): return .int(sketch.estimate)
        case .value(let value): return value
        }
    }
}

extension ReducedPart {
    /// Appends the number of rows and the content.
    ///
    /// - Throws: `badJSON` (493) if a function of the application returned something without a JSON text.
    func write(to writer: inout SummaryWriter) throws(StorageError) {
        writer.append(rowCount)
        if rowCount == 0 { return }
        switch content {
        case .rows: break
        case .sum(let sum): sum.write(to: &writer)
        case .average(let sum): writer.append(sum)
        case .stats(let stats): stats.write(to: &writer)
        case .distinct(let sketch): sketch.write(to: &writer)
        case .value(let value): writer.bytes += try value.canonicalBytes()
        }
    }

    /// Reads what `write` wrote, up to the end of the bytes. Nil: the bytes do not have this form.
    init?(_ bytes: RawSpan, from offset: inout Int, by reduce: Reduce) {
        guard let rowCount = SummaryReader.number(bytes, &offset) else { return nil }
        self.rowCount = rowCount
        content = .rows
        if rowCount > 0 {
            guard let content = ReducedPart.content(bytes, &offset, reduce) else { return nil }
            self.content = content
        }
        guard offset == bytes.byteCount else { return nil }
    }

    private static func content(_ bytes: RawSpan, _ offset: inout Int, _ reduce: Reduce) -> Content? {
        switch reduce.kind {
        case .count: return .rows
        case .sum: return MixedSum(bytes, &offset).map { .sum($0) }
        case .average: return SummaryReader.sum(bytes, &offset).map { .average($0) }
        case .stats: return MixedStatistics(bytes, &offset).map { .stats($0) }
        case .approxCountDistinct:
            guard let sketch = DistinctSketch(bytes, &offset) else { return nil }
            return .distinct(sketch)
        case .closure, .texts:
            guard let value = try? JSONValue(parsing: bytes.extracting(droppingFirst: offset)) else { return nil }
            offset = bytes.byteCount
            return .value(value)
        }
    }

    /// Returns whether another part has the same content.
    func isSame(as other: ReducedPart) -> Bool {
        guard rowCount == other.rowCount else { return false }
        if rowCount == 0 { return true }
        switch (content, other.content) {
        case (.distinct(let a), .distinct(let b)): return a == b
        case (.sum, .sum), (.average, .average), (.stats, .stats), (.rows, .rows), (.value, .value):
            let a = try? value()
            let b = try? other.value()
            return a == b
        default: return false
        }
    }
}
