internal import CSetteeJavaScript
internal import SetteeSystemLibrary

/// Answers the host's requests, one after the other.
struct Worker {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Runs one function of every kind, so that what the library loads late is loaded.
    func warmUp() -> Bool {
        let source = """
            (function (doc) {
                emit(new Date(0).toString() + 'a'.localeCompare('b') + 'ä'.normalize('NFD') + (1.5).toLocaleString(),
                    /a+/u.test('aa'));
            })
            """
        guard define(0, Array(source.utf8), modules: []).status == UInt8(SETTEE_JS_DONE) else { return false }
        unsafe settee_js_take_arguments("[[{}]]")
        var outcome = settee_js_outcome()
        unsafe settee_js_call(0, UInt32(SETTEE_JS_MAP), &outcome)
        return outcome.status == UInt8(SETTEE_JS_DONE)
    }

    func run() -> Never {
        while true {
            var request = connection.receive()
            switch Int32(request[0]) {
            case SETTEE_JS_DEFINE where request.count >= 6:
                let length = request[2..<6].reversed().reduce(0) { $0 << 8 | Int($1) }
                guard request.count - 6 >= length else { exit(65) }
                let source = Array(request[6..<6 + length])
                answer(define(UInt32(request[1]), source, modules: Array(request[(6 + length)...])))
            case SETTEE_JS_CALL where request.count >= 3 && request.count >= 3 + Int(request[2]):
                request.append(0)
                call(request)
            default: exit(65)
            }
        }
    }

    private func define(_ slot: UInt32, _ source: [UInt8], modules: [UInt8]) -> settee_js_outcome {
        var outcome = settee_js_outcome()
        unsafe (source + [0]).withUnsafeBytes { source in
            unsafe (modules + [0]).withUnsafeBytes { modules in
                unsafe settee_js_define(
                    slot,
                    Driver.source,
                    source.baseAddress?.assumingMemoryBound(to: CChar.self),
                    modules.baseAddress?.assumingMemoryBound(to: CChar.self),
                    &outcome
                )
            }
        }
        return outcome
    }

    /// The form, the number of functions, their slots, and the arguments for all of them.
    private func call(_ request: [UInt8]) {
        let start = 3 + Int(request[2])
        unsafe request.withUnsafeBytes { bytes in
            let text = unsafe bytes.baseAddress.map { unsafe ($0 + start).assumingMemoryBound(to: CChar.self) }
            unsafe settee_js_take_arguments(text)
        }
        for slot in request[3..<start] {
            var outcome = settee_js_outcome()
            unsafe settee_js_call(UInt32(slot), UInt32(request[1]), &outcome)
            guard outcome.status == UInt8(SETTEE_JS_DONE) else { return answer(outcome) }
        }
        var length = 0
        let output = unsafe settee_js_output(&length)
        let bytes = unsafe UnsafeRawBufferPointer(start: output, count: length).bytes
        connection.send([UInt8(SETTEE_JS_DONE)], bytes)
    }

    /// The status, a number of 4 bytes, little end first, and a text.
    private func answer(_ outcome: settee_js_outcome) {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: outcome.number >> (8 * $0)) }
        let message = unsafe withUnsafeBytes(of: outcome.message) { unsafe Array($0.prefix(outcome.message_length)) }
        connection.send([outcome.status] + number + message)
    }
}
