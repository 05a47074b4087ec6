internal import CSetteeJavaScript

/// Numbers of the wire format, which CSetteeJavaScript.h has for both sides.
enum JavaScriptWire {
    static let version = Int(SETTEE_JS_VERSION)
    static let slots = Int(SETTEE_JS_SLOTS)
    static let requestLimit = Int(SETTEE_JS_REQUEST_LIMIT)
    static let sourceLimit = Int(SETTEE_JS_SOURCE_LIMIT)

    /// What a function is called as.
    enum Form: UInt8 {
        case map = 0
        case filter = 1
        case reduce = 2
        case validate = 3
    }

    static let modulesLimit = Int(SETTEE_JS_MODULES_LIMIT)

    static func define(_ expression: [UInt8], modules: String?, slot: Int) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: expression.count >> (8 * $0)) }
        return [UInt8(SETTEE_JS_DEFINE), UInt8(slot)] + length + expression + Array((modules ?? "").utf8)
    }

    /// The head of a call; the arguments follow, the text of a JSON array.
    static func call(_ form: Form, slots: [Int]) -> [UInt8] {
        [UInt8(SETTEE_JS_CALL), form.rawValue, UInt8(slots.count)] + slots.map { UInt8($0) }
    }
}
