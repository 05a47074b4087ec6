internal import CSetteeJavaScript

/// What a child answered.
enum JavaScriptResponse {
    /// A function is compiled.
    case defined
    /// The output of each function: ranges of the frame.
    case done([Range<Int>])
    case refused(message: String, line: Int)
    /// The number of the document in work.
    case timeLimit(Int)
    case outputLimit(Int)
    case failed(Int)
    /// The arguments are not JSON.
    case unreadable
    /// The function ended its view.
    case fatal(name: String, reason: String)

    /// - Parameter functions: how many were called; nil: one was defined.
    /// - Returns: nil for bytes that are no answer.
    init?(_ frame: [UInt8], functions: Int?) {
        guard let status = frame.first else { return nil }
        if status == UInt8(SETTEE_JS_DONE) {
            guard let functions else {
                self = .defined
                return
            }
            guard let outputs = JavaScriptResponse.outputs(frame, functions) else { return nil }
            self = .done(outputs)
            return
        }
        guard frame.count >= 5 else { return nil }
        let number = JavaScriptResponse.number(frame, 1)
        switch Int32(status) {
        case SETTEE_JS_REFUSED:
            self = .refused(message: String(decoding: frame[5...], as: UTF8.self).cut(to: 500), line: number)
        case SETTEE_JS_TIME_LIMIT: self = .timeLimit(number)
        case SETTEE_JS_OUTPUT_LIMIT: self = .outputLimit(number)
        case SETTEE_JS_FAILED: self = .failed(number)
        case SETTEE_JS_UNREADABLE: self = .unreadable
        case SETTEE_JS_FATAL:
            let lines = frame[5...].split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            guard lines.count == 2 else { return nil }
            let texts = lines.map { String(decoding: $0, as: UTF8.self).cut(to: 500) }
            self = .fatal(name: texts[0], reason: texts[1])
        default: return nil
        }
    }

    /// Each output has its length before it, and nothing is left over.
    private static func outputs(_ frame: [UInt8], _ functions: Int) -> [Range<Int>]? {
        var outputs: [Range<Int>] = []
        var position = 1
        for _ in 0..<functions {
            guard frame.count - position >= 4 else { return nil }
            let length = number(frame, position)
            position += 4
            guard frame.count - position >= length else { return nil }
            outputs.append(position..<position + length)
            position += length
        }
        return position == frame.count ? outputs : nil
    }

    private static func number(_ frame: [UInt8], _ position: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(frame[position + $1]) << (8 * $1) }
    }
}
