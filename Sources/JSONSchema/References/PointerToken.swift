internal import SetteeDocumentValues
internal import StorageProtocol

/// Steps of a JSON pointer (RFC 6901).
enum PointerToken {
    /// Returns a name as it is written in a pointer.
    static func escape(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes += "~0".utf8
            case UInt8(ascii: "/"): bytes += "~1".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the name that a step means; nil if a `~` is followed by anything but 0 or 1.
    static func unescape(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the member or element with a name.
    static func step(_ name: String, in value: JSONValue) -> JSONValue? {
        switch value {
        case .object(let members): return members[name]
        case .array(let elements):
            // Indexes have no sign and no leading zeros here.
            guard let index = Int(name), String(index).utf8.elementsEqual(name.utf8), elements.indices.contains(index)
            else { return nil }
            return elements[index]
        default: return nil
        }
    }
}
