/// One emitted row as a value. `key` only serves for sorting (`memcmp`) and cannot be decoded; the JSON texts are what
/// was emitted.
///
/// For engines that keep rows as values, and for tests. To pass many rows, use an `IndexBatch`.
public struct IndexRow: Sendable, Equatable {
    /// The sort key, up to 1 MiB.
    public var key: [UInt8]
    /// The emitted key as JSON text.
    public var keyJSON: [UInt8]
    /// The emitted value as JSON text; nil: no value was emitted (not the same as JSON null).
    public var valueJSON: [UInt8]?

    public init(key: [UInt8], keyJSON: [UInt8], valueJSON: [UInt8]?) {
        self.key = key
        self.keyJSON = keyJSON
        self.valueJSON = valueJSON
    }
}

extension IndexBatch {
    /// Begins a document like `begin(_:sequence:)`, given its `DocumentID`.
    public mutating func begin(_ id: DocumentID, sequence: UInt64) {
        unsafe begin(id.string.utf8.span.bytes, sequence: sequence)
    }

    /// Adds a row to the document begun last.
    public mutating func add(_ row: IndexRow) {
        unsafe add(key: row.key.span.bytes, keyJSON: row.keyJSON.span.bytes, valueJSON: row.valueJSON?.span.bytes)
    }

    /// Returns a copy of a row.
    public func row(_ number: Int) -> IndexRow {
        withRow(number) { key, keyJSON, valueJSON in
            var row = IndexRow(key: copy(key), keyJSON: copy(keyJSON), valueJSON: nil)
            if let valueJSON { row.valueJSON = copy(valueJSON) }
            return row
        }
    }

    private func copy(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
}
