internal import SetteeDocumentValues
internal import StorageProtocol

/// A JSON value with the equality of JSON Schema: numbers are compared by value (`1` equals `1.0`, and integers and
/// doubles of any size are comparable), members in any order, strings by their bytes. Works without recursion, so that
/// depth does not use up the stack.
struct ExactValue: Hashable {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    static func == (a: ExactValue, b: ExactValue) -> Bool {
        var pending = [(a.value, b.value)]
        while let (x, y) = pending.popLast() {
            switch (x, y) {
            case (.null, .null): continue
            case (.bool(let p), .bool(let q)): if p != q { return false }
            case (.string(let p), .string(let q)): if !p.utf8.elementsEqual(q.utf8) { return false }
            case (.array(let p), .array(let q)):
                if p.count != q.count { return false }
                pending.append(contentsOf: zip(p, q))
            case (.object(let p), .object(let q)):
                if p.count != q.count { return false }
                // Members are in canonical order.
                for (left, right) in zip(p, q) {
                    if !left.key.utf8.elementsEqual(right.key.utf8) { return false }
                    pending.append((left.value, right.value))
                }
            default:
                guard let p = ExactNumber(x), let q = ExactNumber(y), p == q else { return false }
            }
        }
        return true
    }

    func hash(into hasher: inout Hasher) {
        var pending = [value]
        while let value = pending.popLast() {
            switch value {
            case .null: hasher.combine(0)
            case .bool(let flag): hasher.combine(flag ? 1 : 2)
            case .int, .uint, .longInteger, .double:
                hasher.combine(3)
                hasher.combine(ExactNumber(value))
            case .string(let text):
                hasher.combine(4)
                ExactValue.combine(text, into: &hasher)
            case .array(let elements):
                hasher.combine(5)
                hasher.combine(elements.count)
                pending.append(contentsOf: elements)
            case .object(let members):
                hasher.combine(6)
                hasher.combine(members.count)
                for (key, value) in members {
                    ExactValue.combine(key, into: &hasher)
                    pending.append(value)
                }
            }
        }
    }

    private static func combine(_ text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
