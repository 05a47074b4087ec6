/// What replacements of rows have changed, added up.
public struct RowChanges: Sendable {
    private struct Place: Sendable {
        var keyEnd: Int
        var idEnd: Int
        var emit: UInt32
    }

    /// Whether the positions of rows are wanted too.
    public let recordsPositions: Bool
    /// How many documents have other rows than before.
    public var documents = 0
    private var bytes: [UInt8] = []
    private var places: [Place] = []

    /// - Parameter recordsPositions: whether to keep the positions of the rows that change.
    public init(recordsPositions: Bool) { self.recordsPositions = recordsPositions }

    /// How many positions were recorded.
    public var positionCount: Int { places.count }

    /// For engines: notes that a row was added, was removed or got another text or value. Does nothing where positions
    /// are not wanted.
    public mutating func record(key: RawSpan, id: RawSpan, emit: UInt32) {
        guard recordsPositions else { return }
        append(key)
        let keyEnd = bytes.count
        append(id)
        places.append(Place(keyEnd: keyEnd, idEnd: bytes.count, emit: emit))
    }

    /// Hands out the positions of the rows that were added, removed or got another text or value, in no order. A row
    /// whose key changed was removed from one position and added at another.
    public func forEach<E: Error>(
        _ body: (_ key: RawSpan, _ id: RawSpan, _ emit: UInt32) throws(E) -> Void
    ) throws(E) {
        try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(E) in
            var start = 0
            for place in places {
                let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<place.keyEnd])
                let id = unsafe UnsafeRawBufferPointer(rebasing: bytes[place.keyEnd..<place.idEnd])
                try unsafe body(key.bytes, id.bytes, place.emit)
                start = place.idEnd
            }
        }
    }

    /// Forgets all changes; memory is kept.
    public mutating func removeAll() {
        documents = 0
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ more: RawSpan) {
        unsafe more.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
