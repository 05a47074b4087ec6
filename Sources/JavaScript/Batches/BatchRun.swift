internal import SetteeDocumentValues

/// Calls functions for documents, batch by batch, and finds the documents at fault.
///
/// Where a batch fails, the document that the child names is tried alone, else the batch is halved, until every
/// document has an outcome of its own.
struct BatchRun<Outcome> {
    typealias Element = Result<Outcome, JavaScriptError>

    /// As many documents at fault are looked for. Those after them have the last one's error without being tried, or a
    /// function that never ends would take the limit's time for each.
    private static var mostFaults: Int { 8 }

    let form: JavaScriptWire.Form
    let functions: [JavaScriptFunction]
    let documents: [[UInt8]]
    /// What follows the documents in the arguments.
    let suffix: [UInt8]
    /// Whether the run ends when a document has met a limit, and with an error where documents would not be tried.
    let endsAtLimit: Bool
    /// What a document's element of the output says; nil: nothing that can be.
    let decode: (borrowing JSONParser, JSONNode) -> Element?
    /// For each function the outcome of each document.
    private var outcomes: [[Element?]]
    private var faults = 0
    private var lastError = JavaScriptError.crashed
    private var isEnded = false

    init(
        _ form: JavaScriptWire.Form,
        _ functions: [JavaScriptFunction],
        _ documents: [[UInt8]],
        suffix: [UInt8] = [],
        endsAtLimit: Bool = false,
        decode: @escaping (borrowing JSONParser, JSONNode) -> Element?
    ) {
        self.form = form
        self.functions = functions
        self.documents = documents
        self.suffix = suffix
        self.endsAtLimit = endsAtLimit
        self.decode = decode
        outcomes = functions.map { _ in Array(repeating: nil, count: documents.count) }
    }

    /// - Returns: for each function the outcome of each document.
    /// - Throws: what is wrong with a function, or with the program.
    mutating func run(_ session: inout WorkerSession) throws(JavaScriptError) -> [[Element]] {
        // A document without an outcome is not possible: every range ends in outcomes or an error.
        try tried(&session).map { $0.map { $0 ?? .failure(.crashed) } }
    }

    /// Does the same. Nil: the run ended before the document was tried.
    mutating func tried(_ session: inout WorkerSession) throws(JavaScriptError) -> [[Element?]] {
        do throws(CallFault) {
            // Compiled first, so that a function that cannot be is reported, also without documents.
            try session.prepare(functions)
            for batch in batches(session.configuration) {
                for first in stride(from: 0, to: functions.count, by: FunctionSlots.most) {
                    try run(batch, first..<min(first + FunctionSlots.most, functions.count), &session)
                }
            }
        } catch {
            throw error.error
        }
        return outcomes
    }

    private func batches(_ configuration: JavaScriptConfiguration) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var start = 0
        var bytes = 0
        for (number, document) in documents.enumerated() {
            let isFull =
                number - start >= max(1, configuration.batchCount) || bytes + document.count > configuration.batchBytes
            if isFull, number > start {
                batches.append(start..<number)
                start = number
                bytes = 0
            }
            bytes += document.count
        }
        if start < documents.count { batches.append(start..<documents.count) }
        return batches
    }

    /// Gives every document of a range an outcome.
    private mutating func run(
        _ range: Range<Int>,
        _ called: Range<Int>,
        _ session: inout WorkerSession
    ) throws(CallFault) {
        if range.isEmpty || isEnded { return }
        guard faults < Self.mostFaults else {
            if endsAtLimit { throw CallFault(error: lastError, isFinal: true) }
            return fail(range, called, lastError)
        }
        let fault: CallFault
        do throws(CallFault) {
            return try attempt(range, called, &session)
        } catch {
            guard !error.isFinal else { throw error }
            fault = error
        }
        if range.count > 1 {
            try split(range, called, at: fault.document, &session)
        } else if called.count > 1 {
            for function in called { try run(range, function..<function + 1, &session) }
        } else {
            faults += 1
            isEnded = endsAtLimit && fault.error.isLimit
            lastError = fault.error
            fail(range, called, fault.error)
        }
    }

    /// Runs the parts of a range that failed as a whole.
    private mutating func split(
        _ range: Range<Int>,
        _ called: Range<Int>,
        at document: Int?,
        _ session: inout WorkerSession
    ) throws(CallFault) {
        if let document, document < range.count {
            let before = faults
            let suspect = range.lowerBound + document
            try run(suspect..<suspect + 1, called, &session)
            if faults > before {
                try run(range.lowerBound..<suspect, called, &session)
                return try run(suspect + 1..<range.upperBound, called, &session)
            }
        }
        let middle = range.lowerBound + range.count / 2
        try run(range.lowerBound..<middle, called, &session)
        try run(middle..<range.upperBound, called, &session)
    }

    private mutating func fail(_ range: Range<Int>, _ called: Range<Int>, _ error: JavaScriptError) {
        for function in called {
            for document in range { outcomes[function][document] = .failure(error) }
        }
    }

    private mutating func attempt(
        _ range: Range<Int>,
        _ called: Range<Int>,
        _ session: inout WorkerSession
    ) throws(CallFault) {
        let answer = try session.call(form, functions[called], arguments(range))
        for (function, output) in zip(called, answer.outputs) {
            let elements = try OutputReader(answer.frame, output).elements(range.count, decode)
            guard let elements else { throw session.lose(.crashed) }
            outcomes[function].replaceSubrange(range, with: elements.map(Optional.some))
        }
    }

    private func arguments(_ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(documents[range].reduce(suffix.count + 4) { $0 + $1.count + 1 })
        text += "[[".utf8
        for number in range {
            if number > range.lowerBound { text.append(UInt8(ascii: ",")) }
            text += documents[number]
        }
        text.append(UInt8(ascii: "]"))
        text += suffix
        text.append(UInt8(ascii: "]"))
        return text
    }
}
