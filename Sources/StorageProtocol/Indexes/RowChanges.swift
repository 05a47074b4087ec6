/// The accumulated changes made by replacements of rows.
public struct RowChanges: Sendable {
    private struct Place: Sendable {
        var keyEnd: Int
        var idEnd: Int
        var emit: UInt32
    }

    /// Whether the positions of rows are recorded too.
    public let recordsPositions: Bool
    /// How many documents have different rows than before.
    public var documents = 0
    private var bytes: [UInt8] = []
    private var places: [Place] = []

    /// - Parameter recordsPositions: Whether to record the positions of the rows that change.
    public init(recordsPositions: Bool) { self.recordsPositions = recordsPositions }

    /// How many positions were recorded.
    public var positionCount: Int { places.count }

    /// For engines: records that a row was added or removed, or got another text or value. Does nothing if positions
    /// are not recorded.
    public mutating func record(key: RawSpan, id: RawSpan, emit: UInt32) {
        guard recordsPositions else { return }
        append(key)
        let keyEnd = bytes.count
        append(id)
        places.append(Place(keyEnd: keyEnd, idEnd: bytes.count, emit: emit))
    }

    /// Passes the positions of the rows that were added or removed, or got another text or value, to `body`, in no
    /// particular order. A row whose key changed was removed from one position and added at another.
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

    /// Removes all changes. The memory is kept.
    public mutating func removeAll() {
        documents = 0
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ more: RawSpan) {
        unsafe more.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
