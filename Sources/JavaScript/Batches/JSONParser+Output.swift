internal import SetteeDocumentValues

extension JSONParser {
    /// The element of a map function: keys and values in turn.
    func rows(_ node: JSONNode) -> [JavaScriptRow]? {
        guard kind(of: node) == .array, count(of: node).isMultiple(of: 2) else { return nil }
        var rows: [JavaScriptRow] = []
        rows.reserveCapacity(count(of: node) / 2)
        var key: [UInt8]?
        forEachElement(of: node) { part in
            if let first = key {
                rows.append(JavaScriptRow(key: first, value: canonical(part)))
                key = nil
            } else {
                key = canonical(part)
            }
        }
        return rows
    }

    /// The element of a filter.
    func bool(_ node: JSONNode) -> Bool? {
        switch kind(of: node) {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The element of a reduction: an array of its one value.
    func onlyElement(_ node: JSONNode) -> [UInt8]? {
        guard kind(of: node) == .array, count(of: node) == 1 else { return nil }
        var bytes: [UInt8]?
        forEachElement(of: node) { bytes = canonical($0) }
        return bytes
    }

    /// The element of a validation.
    func validation(_ node: JSONNode) -> JavaScriptValidation? {
        if kind(of: node) == .null { return .ok }
        if let reason = member("forbidden", of: node).flatMap({ string(of: $0) }) {
            return .forbidden(reason.cut(to: 500))
        }
        if let reason = member("unauthorized", of: node).flatMap({ string(of: $0) }) {
            return .unauthorized(reason.cut(to: 500))
        }
        return nil
    }

    private func canonical(_ node: JSONNode) -> [UInt8] {
        var bytes: [UInt8] = []
        writeCanonical(node, into: &bytes)
        return bytes
    }
}
