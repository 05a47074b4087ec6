internal import NIOCore
internal import SetteeDocumentValues
internal import StorageProtocol

/// JSON that is written from left to right: the shape as it is, values with their escapes, stored text as it is.
struct JSONAnswerText {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

    var count: Int { bytes.count }

    /// Adds text that is JSON already.
    mutating func raw(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Adds bytes that are JSON already.
    mutating func raw(_ json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

    /// Adds bytes that are JSON already.
    mutating func raw(_ json: RawSpan) {
        // A raw buffer would be appended byte by byte.
        unsafe json.withUnsafeBytes { unsafe bytes.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// Adds bytes that stand in it already.
    mutating func again(_ places: Range<Int>) {
        bytes.reserveCapacity(bytes.count + places.count)
        for place in places { bytes.append(bytes[place]) }
    }

    /// Adds a string.
    ///
    /// - Returns: Where it stands, quotes included, until the next `take`.
    @discardableResult
    mutating func string(_ text: String) -> Range<Int> {
        let start = bytes.count
        JSONText.append(text, to: &bytes)
        return start..<bytes.count
    }

    /// Adds a revision's ID as a string.
    mutating func revision(_ id: RevisionID) {
        // Digits have nothing to escape.
        guard id.digest != nil else {
            string(id.string)
            return
        }
        raw("\"")
        id.append(to: &bytes)
        raw("\"")
    }

    mutating func number(_ number: some BinaryInteger) { bytes.append(contentsOf: String(number).utf8) }

    mutating func flag(_ value: Bool) { if value { raw("true") } else { raw("false") } }

    /// Adds a value. One that JSON cannot hold becomes `null`.
    mutating func value(_ value: JSONValue) {
        if let json = try? value.canonicalBytes() { raw(json) } else { raw("null") }
    }

    /// Removes and returns what was written so far.
    mutating func take() -> ByteBuffer {
        defer { bytes.removeAll(keepingCapacity: true) }
        return ByteBuffer(bytes: bytes)
    }
}
