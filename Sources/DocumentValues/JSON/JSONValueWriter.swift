public import StorageProtocol

/// Writes the canonical text of values, into memory that it reuses. Create one writer for many values.
public struct JSONValueWriter: ~Copyable {
    private var output = RawBlock(capacity: 1024)
    private var length = 0

    public init() {}

    /// Returns the canonical text of a value.
    ///
    /// - Throws: `badJSON` (493) for NaN and infinities, and for nesting deeper than 512.
    public mutating func write(_ value: JSONValue) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try write(value, into: &bytes)
        return bytes
    }

    /// Appends the canonical text of a value to `bytes`, which stay unchanged if this throws.
    ///
    /// - Throws: `badJSON` (493) for NaN and infinities, and for nesting deeper than 512.
    public mutating func write(_ value: JSONValue, into bytes: inout [UInt8]) throws(StorageError) {
        length = 0
        output.trim(to: 1 << 16)
        var outer: [Level] = []
        guard var level = Level(value) else {
            try writeScalar(value)
            return output.view.append(0..<length, to: &bytes)
        }
        put(level.opening)
        while true {
            if let inner = try writeRun(&level) {
                if outer.count + 1 >= JSONLimits.depth { throw JSONValueWriter.tooDeep }
                outer.append(level)
                level = inner
                put(level.opening)
            } else {
                put(level.closing)
                guard let last = outer.popLast() else { break }
                level = last
            }
        }
        output.view.append(0..<length, to: &bytes)
    }

    private static var tooDeep: StorageError {
        StorageError(
            .badJSON,
            "Arrays and objects are nested more than \(JSONLimits.depth) deep. Flatten the document."
        )
    }

    /// A container that is being written, and the position of its next value.
    private struct Level {
        var isObject: Bool
        var elements: [JSONValue] = []
        var members: [JSONObject.Element] = []
        var position = 0

        init?(_ value: JSONValue) {
            switch value {
            case .array(let elements):
                isObject = false
                self.elements = elements
            case .object(let object):
                isObject = true
                members = object.members
            default: return nil
            }
        }

        var opening: UInt8 { isObject ? UInt8(ascii: "{") : UInt8(ascii: "[") }
        var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    /// Writes the container's values up to one that is itself a container, and returns that one. Returns nil at the end
    /// of the container.
    private mutating func writeRun(_ level: inout Level) throws(StorageError) -> Level? {
        var position = level.position
        if level.isObject {
            while position < level.members.count {
                if position > 0 { put(UInt8(ascii: ",")) }
                writeString(level.members[position].key)
                put(UInt8(ascii: ":"))
                position &+= 1
                if try !writeScalar(level.members[position &- 1].value) {
                    level.position = position
                    return Level(level.members[position &- 1].value)
                }
            }
        } else {
            while position < level.elements.count {
                if position > 0 { put(UInt8(ascii: ",")) }
                position &+= 1
                if try !writeScalar(level.elements[position &- 1]) {
                    level.position = position
                    return Level(level.elements[position &- 1])
                }
            }
        }
        return nil
    }

    /// Writes a value that is not a container. Returns false if it is one.
    @discardableResult
    private mutating func writeScalar(_ value: borrowing JSONValue) throws(StorageError) -> Bool {
        output.reserve(length + JSONNumber.longestText, keeping: length)
        switch copy value {
        case .null: put("null")
        case .bool(let flag): put(flag ? "true" : "false")
        case .int(let number): length = JSONNumber.write(number, to: output.view, at: length)
        case .uint(let number): length = JSONNumber.write(number, to: output.view, at: length)
        case .longInteger(let number): put(number.description)
        case .double(let number):
            guard number.isFinite else {
                throw StorageError(
                    .badJSON,
                    JSONMisplacement(number)?.message
                        ?? "JSON has no NaN and no infinity. Leave the member out, or use null or a string."
                )
            }
            length = JSONNumber.write(number, to: output.view, at: length)
        case .string(let text): writeString(text)
        case .array, .object: return false
        }
        return true
    }

    private mutating func writeString(_ text: String) {
        text.withUTF8Bytes { bytes in
            let count = bytes.byteCount
            output.reserve(length + count + 2, keeping: length)
            let view = output.view
            view[length] = UInt8(ascii: "\"")
            view.copy(bytes, to: length + 1)
            // The copy is already in the right place unless something must be escaped.
            let plain = JSONValueWriter.plainPrefix(view, length + 1, count)
            length += 1 + plain
            if plain < count { escape(bytes, from: plain) }
            put(UInt8(ascii: "\""))
        }
    }

    /// Returns how many bytes from `start` can be written in a string unchanged.
    @inline(__always)
    private static func plainPrefix(_ view: RawView, _ start: Int, _ count: Int) -> Int {
        var i = 0
        while i < count {
            let escapes = JSONStringScan.escapes(view.eight(at: start &+ i))
            if escapes != 0 { return min(count, i &+ escapes.trailingZeroBitCount &>> 3) }
            i &+= 8
        }
        return count
    }

    /// Writes the bytes of a string from `first`, which must be escaped.
    private mutating func escape(_ bytes: RawSpan, from first: Int) {
        let rest = unsafe bytes.withUnsafeBytes { unsafe Array($0[first...]) }
        let escapes = rest.count { JSONValueWriter.mustEscape($0) }
        output.reserve(length + rest.count + 5 * escapes, keeping: length)
        let view = output.view
        for byte in rest {
            if JSONValueWriter.mustEscape(byte) {
                length = JSONEscape.write(byte, to: view, at: length)
            } else {
                view[length] = byte
                length &+= 1
            }
        }
    }

    @inline(__always)
    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        output.reserve(length &+ 1, keeping: length)
        output.view[length] = byte
        length &+= 1
    }

    private mutating func put(_ text: String) {
        text.withUTF8Bytes { bytes in
            output.reserve(length &+ bytes.byteCount, keeping: length)
            output.view.copy(bytes, to: length)
            length &+= bytes.byteCount
        }
    }

    private mutating func put(_ text: StaticString) {
        output.reserve(length &+ text.utf8CodeUnitCount, keeping: length)
        let view = output.view
        for i in 0..<text.utf8CodeUnitCount { view[length + i] = unsafe text.utf8Start[i] }
        length &+= text.utf8CodeUnitCount
    }
}
