/// What a view of a design document is called in the database: `design/view`, as in Couchbase Lite 1.x. In the view's
/// own name `/` is `%2F` and `%` is `%25`, so that each name has one meaning.
enum DesignViewName {
    static func text(_ view: String, of design: String) -> String {
        var name = Array(design.utf8) + [UInt8(ascii: "/")]
        for byte in view.utf8 {
            switch byte {
            case UInt8(ascii: "/"): name += "%2F".utf8
            case UInt8(ascii: "%"): name += "%25".utf8
            default: name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The design document and the view; nil if the name is not one of a design document's view.
    static func parts(_ name: String) -> (design: String, view: String)? {
        let bytes = Array(name.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return nil }
        var view: [UInt8] = []
        var rest = bytes[(slash + 1)...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                view.append(byte)
                continue
            }
            switch Array(rest.prefix(2)) {
            case Array("2F".utf8): view.append(UInt8(ascii: "/"))
            case Array("25".utf8): view.append(byte)
            default: return nil
            }
            rest = rest.dropFirst(2)
        }
        return (String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: view, as: UTF8.self))
    }
}
