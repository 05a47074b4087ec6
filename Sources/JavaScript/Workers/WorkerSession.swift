internal import Logging

/// A child, which begins at the first call and again after each loss, and what is compiled in it.
struct WorkerSession {
    /// A child's answer: the frame, and in it the output of each function.
    struct Answer {
        var frame: [UInt8]
        var outputs: [Range<Int>]
    }

    let configuration: JavaScriptConfiguration
    private var child: ChildProcess?
    private var slots = FunctionSlots()
    /// Whether the child has answered a call: then its memory also holds what that has left.
    private var isUsed = false
    /// Why no child could be begun last.
    private var toldReason: String?

    init(_ configuration: JavaScriptConfiguration) { self.configuration = configuration }

    /// The child's process ID, if there is a child.
    var identifier: Int32? { child?.identifier }

    /// Calls functions with the same arguments, the text of a JSON array.
    ///
    /// - Parameter functions: at most `FunctionSlots.most`.
    mutating func call(
        _ form: JavaScriptWire.Form,
        _ functions: ArraySlice<JavaScriptFunction>,
        _ arguments: [UInt8]
    ) throws(CallFault) -> Answer {
        let limit = JavaScriptWire.requestLimit - JavaScriptWire.slots - 3
        guard arguments.count <= limit else { throw CallFault(error: .inputLimit(limit)) }
        return try twice { session throws(CallFault) in try session.attempt(form, functions, arguments) }
    }

    /// Compiles functions, unless they are.
    mutating func prepare(_ functions: [JavaScriptFunction]) throws(CallFault) {
        try twice { session throws(CallFault) in
            for function in functions { _ = try session.slot(of: function) }
        }
    }

    /// A child that is lost is tried again once with another one: it may have been ended from outside, or its memory
    /// was full of what earlier calls have left.
    private mutating func twice<R>(
        _ body: (inout WorkerSession) throws(CallFault) -> R
    ) throws(CallFault) -> R {
        let wasUsed = isUsed
        do throws(CallFault) {
            return try body(&self)
        } catch {
            guard error.loss == .crashed || error.loss == .memoryLimit && wasUsed else { throw error }
        }
        return try body(&self)
    }

    private mutating func attempt(
        _ form: JavaScriptWire.Form,
        _ functions: ArraySlice<JavaScriptFunction>,
        _ arguments: [UInt8]
    ) throws(CallFault) -> Answer {
        var numbers: [Int] = []
        for function in functions { numbers.append(try slot(of: function)) }
        let head = JavaScriptWire.call(form, slots: numbers)
        let (response, frame) = try exchange([head, arguments], functions: functions.count)
        isUsed = true
        guard case .done(let outputs) = response else {
            var fault = fault(response)
            // A module is at fault, or the function wants no more.
            switch fault.error {
            case .compilation, .fatal: fault.isFinal = true
            default: break
            }
            throw fault
        }
        return Answer(frame: frame, outputs: outputs)
    }

    /// Compiles a function, unless it is. Returns its slot.
    private mutating func slot(of function: JavaScriptFunction) throws(CallFault) -> Int {
        if child == nil { try begin() }
        if let number = slots.use(function) { return number }
        guard let expression = function.expression else {
            let message = "It is longer than \(JavaScriptWire.sourceLimit) bytes, or contains U+0000."
            throw CallFault(error: .compilation(message: message, line: 0), isFinal: true)
        }
        guard (function.modules?.utf8.count ?? 0) <= JavaScriptWire.modulesLimit else {
            let message = "Its design document is longer than \(JavaScriptWire.modulesLimit) bytes."
            throw CallFault(error: .compilation(message: message, line: 0), isFinal: true)
        }
        let number = slots.free()
        let response: JavaScriptResponse
        do throws(CallFault) {
            let request = JavaScriptWire.define(expression, modules: function.modules, slot: number)
            response = try exchange([request], functions: nil).response
        } catch {
            var error = error
            error.isFinal = true
            throw error
        }
        guard case .defined = response else {
            var fault = fault(response)
            // The compiler counts the line that ends the expression, too.
            if case .compilation(let message, let line) = fault.error, line > function.lineCount {
                fault.error = .compilation(message: message, line: function.lineCount)
            }
            fault.isFinal = true
            throw fault
        }
        slots.insert(function, at: number)
        return number
    }

    private mutating func begin() throws(CallFault) {
        do throws(JavaScriptError) {
            child = try ChildProcess(configuration)
            toldReason = nil
        } catch {
            if case .unavailable(let reason) = error { tell(reason) }
            throw CallFault(error: error, isFinal: true)
        }
    }

    /// Notes why functions cannot run, once and not at every call, with the paths, which no client learns.
    private mutating func tell(_ reason: String) {
        guard reason != toldReason else { return }
        toldReason = reason
        configuration.logger?.error(
            "Functions of design documents cannot run.",
            metadata: [
                "reason": "\(reason)",
                "paths": "\(ExecutablePath.candidates(configuration.executable).joined(separator: ", "))",
            ]
        )
    }

    /// - Parameter functions: how many are called; nil: one is defined.
    private mutating func exchange(
        _ parts: [[UInt8]],
        functions: Int?
    ) throws(CallFault) -> (response: JavaScriptResponse, frame: [UInt8]) {
        do throws(ChildFailure) {
            guard let child else { throw .crashed }
            // Each function has the limit for itself.
            let frame = try child.exchange(parts, within: configuration.timeLimit * max(1, functions ?? 1))
            guard let response = JavaScriptResponse(frame, functions: functions) else { throw .crashed }
            return (response, frame)
        } catch {
            throw lose(error)
        }
    }

    /// Ends the child: it failed, or what it answered cannot be.
    mutating func lose(_ failure: ChildFailure) -> CallFault {
        child = nil
        slots = FunctionSlots()
        isUsed = false
        configuration.logger?.warning(
            "A worker for functions of design documents was ended.",
            metadata: ["reason": "\(failure)"]
        )
        let error: JavaScriptError =
            switch failure {
            case .timeLimit: .timeLimit(configuration.timeLimit)
            case .memoryLimit: .memoryLimit(configuration.memoryLimit)
            case .crashed: .crashed
            }
        return CallFault(error: error, loss: failure)
    }

    private func fault(_ response: JavaScriptResponse) -> CallFault {
        switch response {
        case .refused(let message, let line): CallFault(error: .compilation(message: message, line: line))
        case .timeLimit(let number): CallFault(error: .timeLimit(configuration.timeLimit), document: number)
        case .outputLimit(let number): CallFault(error: .outputLimit(configuration.outputLimit), document: number)
        case .fatal(let name, let reason): CallFault(error: .fatal(name: name, reason: reason))
        case .unreadable: CallFault(error: .thrown("What the function was to be given is no JSON text."))
        case .failed(let number): CallFault(error: .crashed, document: number)
        case .done, .defined: CallFault(error: .crashed)
        }
    }
}
