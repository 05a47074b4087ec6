/// Walks through a collation key value by value and checks its structure.
struct KeyCheck {
    private var offset = 0
    /// The kinds of the open containers, and whether the next value in an object is a name.
    private var containers = ContainerStack()
    private var expectsName = false

    /// Whether the bytes are exactly one key.
    mutating func run(_ key: RawSpan) -> Bool {
        repeat {
            guard step(key) != nil else { return false }
        } while containers.depth > 0
        return offset == key.byteCount
    }

    /// Returns the end of the first `count` elements of the array at the beginning of the key, or of all of them if it
    /// has fewer. Nil if it does not begin with an array, or is damaged in this part.
    mutating func end(ofElements count: Int, in key: RawSpan) -> Int? {
        guard let tag = step(key), tag == KeyTags.unicode.array || tag == KeyTags.raw.array else { return nil }
        for _ in 0..<max(0, count) {
            let start = offset
            repeat {
                guard step(key) != nil else { return nil }
                if containers.depth == 0 { return start }
            } while containers.depth > 1
        }
        return offset
    }

    /// Moves past a value up to its first part, or past the end of a container. - Returns: The byte there; nil:
    /// damaged.
    private mutating func step(_ key: RawSpan) -> UInt8? {
        guard let tag = take(key) else { return nil }
        if tag == KeyTags.end {
            // An object ends where a name is expected.
            guard containers.depth > 0, containers.top == expectsName else { return nil }
            containers.pop()
        } else {
            guard value(tag, key) else { return nil }
            if KeyTags.opensContainer(tag) { return tag }
            if expectsName {
                expectsName = false
                return tag
            }
        }
        expectsName = containers.depth > 0 && containers.top
        return tag
    }

    private mutating func value(_ tag: UInt8, _ key: RawSpan) -> Bool {
        switch tag {
        case KeyTags.unicode.string: return string(key)
        case _ where expectsName: return false
        case 0x02...0x04, 0xA1...0xA3: return true
        case KeyTags.numbers: return number(tag, key)
        case KeyTags.unicode.array, KeyTags.raw.array, KeyTags.unicode.object, KeyTags.raw.object:
            guard containers.depth < Collator.maximumDepth else { return false }
            expectsName = tag == KeyTags.unicode.object || tag == KeyTags.raw.object
            containers.push(expectsName)
            return true
        default: return false
        }
    }

    private mutating func string(_ key: RawSpan) -> Bool {
        let end = unsafe key.extracting(droppingFirst: offset).withUnsafeBytes { unsafe indexOfByte(0, in: $0) }
        guard let end else { return false }
        offset += end + 1
        return true
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
            // If there are several groups, the last one is not empty.
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
