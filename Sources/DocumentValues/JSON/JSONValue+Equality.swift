extension JSONValue: Hashable {
    /// Whether the canonical texts are the same. Works without recursion, so that nesting uses no stack.
    public static func == (a: JSONValue, b: JSONValue) -> Bool {
        var pending = [(a, b)]
        while let (x, y) = pending.popLast() {
            switch (x, y) {
            case (.null, .null): continue
            case (.bool(let p), .bool(let q)): if p != q { return false }
            case (.string(let p), .string(let q)): if !p.hasSameBytes(as: q) { return false }
            case (.array(let p), .array(let q)):
                if p.count != q.count { return false }
                pending.append(contentsOf: zip(p, q))
            case (.object(let p), .object(let q)):
                if p.count != q.count { return false }
                for (left, right) in zip(p, q) {
                    if !left.key.hasSameBytes(as: right.key) { return false }
                    pending.append((left.value, right.value))
                }
            default:
                guard let p = x.number, let q = y.number, p == q else { return false }
            }
        }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        var pending = [self]
        while let value = pending.popLast() {
            switch value {
            case .null: hasher.combine(0)
            case .bool(let flag): hasher.combine(flag ? 1 : 2)
            case .int, .uint, .longInteger, .double:
                hasher.combine(3)
                hasher.combine(value.number)
            case .string(let text):
                hasher.combine(4)
                text.combineBytes(into: &hasher)
            case .array(let elements):
                hasher.combine(5)
                hasher.combine(elements.count)
                pending.append(contentsOf: elements)
            case .object(let members):
                hasher.combine(6)
                hasher.combine(members.count)
                for (key, value) in members {
                    key.combineBytes(into: &hasher)
                    pending.append(value)
                }
            }
        }
    }

    /// A number as it is in its canonical text.
    private enum Number: Hashable {
        case int(Int64)
        case uint(UInt64)
        case long(JSONLongInteger)
        /// Not whole, or of magnitude 2^53 and more. All NaN are the same.
        case double(UInt64)
    }

    private var number: Number? {
        switch self {
        case .int(let value): .int(value)
        case .uint(let value): Int64(exactly: value).map { .int($0) } ?? .uint(value)
        case .longInteger(let value): .long(value)
        case .double(let value):
            if value.magnitude < JSONNumber.exactLimit, let whole = Int64(exactly: value) {
                .int(whole)
            } else {
                .double(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
            }
        default: nil
        }
    }
}

extension JSONObject: Hashable {
    public static func == (a: JSONObject, b: JSONObject) -> Bool { JSONValue.object(a) == JSONValue.object(b) }
    public func hash(into hasher: inout Hasher) { JSONValue.object(self).hash(into: &hasher) }
}

extension String {
    fileprivate func combineBytes(into hasher: inout Hasher) {
        withUTF8Bytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
        hasher.combine(0xFF as UInt8)
    }
}
