/// What can be told of a collation key without the JSON it was made from.
public enum CollationKey {
    /// Whether the bytes have the structure of one key, of either order: each value's parts are complete and in their
    /// shortest form, arrays and objects end, nothing follows. What ICU put into a string is not looked at.
    ///
    /// - Complexity: O(key's length).
    public static func isWellFormed(_ key: RawSpan) -> Bool {
        guard key.byteCount <= Collator.maximumKeyLength else { return false }
        var check = KeyCheck()
        return check.run(key)
    }
}

private struct KeyCheck {
    private var offset = 0
    /// Which of the open containers are objects, and of which one the next value is a name.
    private var containers = ContainerStack()
    private var expectsName = false

    mutating func run(_ key: RawSpan) -> Bool {
        repeat {
            guard let tag = take(key) else { return false }
            if tag == KeyTags.end {
                // An object ends where a name could stand.
                guard containers.depth > 0, containers.top == expectsName else { return false }
                containers.pop()
            } else {
                guard value(tag, key) else { return false }
                if KeyTags.opensContainer(tag) { continue }
                if expectsName {
                    expectsName = false
                    continue
                }
            }
            expectsName = containers.depth > 0 && containers.top
        } while containers.depth > 0
        return offset == key.byteCount
    }

    private mutating func value(_ tag: UInt8, _ key: RawSpan) -> Bool {
        switch tag {
        case KeyTags.unicode.string: return string(key)
        case _ where expectsName: return false
        case 0x02...0x04, 0xA1...0xA3: return true
        case 0x0E...0x92: return number(tag, key)
        case KeyTags.unicode.array, KeyTags.raw.array, KeyTags.unicode.object, KeyTags.raw.object:
            guard containers.depth < Collator.maximumDepth else { return false }
            expectsName = tag == KeyTags.unicode.object || tag == KeyTags.raw.object
            containers.push(expectsName)
            return true
        default: return false
        }
    }

    private mutating func string(_ key: RawSpan) -> Bool {
        while let byte = take(key) {
            if byte == 0 { return true }
        }
        return false
    }

    private mutating func number(_ lead: UInt8, _ key: RawSpan) -> Bool {
        if lead == 0x50 { return true }
        let inversion: UInt8 = lead < 0x50 ? 0xFF : 0
        let size = lead < 0x50 ? 0xA0 - lead : lead
        if size == 0x51 || size == 0x92 {
            guard let high = take(key), let low = take(key) else { return false }
            let exponent = Int(high ^ inversion) << 8 | Int(low ^ inversion)
            guard size == 0x51 ? exponent < 1074 : 64...1023 ~= exponent else { return false }
        }
        for position in 0..<9 {
            guard let byte = take(key) else { return false }
            let group = byte ^ inversion
            // The last of several groups is not empty.
            if group & 1 == 0 { return position == 0 || group != 0 }
        }
        return false
    }

    private mutating func take(_ key: RawSpan) -> UInt8? {
        guard offset < key.byteCount else { return nil }
        defer { offset += 1 }
        return unsafe key.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
