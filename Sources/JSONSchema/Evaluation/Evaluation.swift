internal import SetteeDocumentValues
internal import StorageProtocol

/// Applies a schema to a value. Keeps its frames in an array instead of recursing, so that neither a schema nor a value
/// can overflow the stack.
struct Evaluation {
    /// A schema that is being applied to a value.
    struct Frame {
        let schema: Int
        let instance: JSONValue
        /// The step from the outer frame's value to this one; nil if it is the same value.
        let step: Step?
        /// The index of the current check.
        var check = 0
        /// The progress of that check: the index of the current alternative, member or element.
        var index = 0
        /// The rule for the current member, and whether any before it applied.
        var rule = 0
        var isCovered = false
        /// How many alternatives fit so far.
        var matches = 0
        /// How many failures there were when the check began.
        var mark = 0
        var hasFailed = false

        init(_ schema: Int, _ instance: JSONValue, _ step: Step? = nil) {
            self.schema = schema
            self.instance = instance
            self.step = step
        }
    }

    enum Step {
        case member(String)
        case element(Int)
    }

    /// The outcome of a check so far.
    enum Progress {
        case passed
        case failed
        case apply(Int, JSONValue, Step?)
    }

    let schemas: [CompiledSchema]
    private let root: JSONValue
    /// How many failures to record; nil for none.
    let failureLimit: Int?
    private(set) var failures: [JSONSchema.Failure] = []
    /// The frames outside the current one.
    private var outer: [Frame] = []
    private var steps = 0
    private var stepLimit = Evaluation.freeSteps
    private var isCounted = false
    private(set) var isExhausted = false

    /// The number of free steps. Each value inside the whole value allows more.
    private static let freeSteps = 250_000
    private static let stepsPerValue = 1_000

    init(_ schemas: [CompiledSchema], of root: JSONValue, failureLimit: Int?) {
        self.schemas = schemas
        self.root = root
        self.failureLimit = failureLimit
    }

    /// Whether a schema ends at its first failure.
    var endsAtFailure: Bool { failureLimit.map { failures.count >= $0 } ?? true }

    /// Returns whether the value conforms to schema 0.
    mutating func run() -> Bool {
        var frame = Frame(0, root)
        var answer: Bool?
        while true {
            let progress = advance(&frame, answer)
            if isExhausted { return false }
            switch progress {
            case .apply(let schema, let value, let step):
                outer.append(frame)
                frame = Frame(schema, value, step)
                answer = nil
            case .passed:
                guard let next = outer.popLast() else { return true }
                frame = next
                answer = true
            case .failed:
                guard let next = outer.popLast() else { return false }
                frame = next
                answer = false
            }
        }
    }

    /// Does the checks of a schema until one of them needs another schema.
    ///
    /// - Parameter answer: the result of the last applied schema.
    private mutating func advance(_ frame: inout Frame, _ answer: Bool?) -> Progress {
        var answer = answer
        while frame.check < schemas[frame.schema].checks.count {
            if answer == nil {
                steps += 1
                checkSteps()
                if isExhausted { return .failed }
                frame.index = 0
                frame.rule = 0
                frame.isCovered = false
                frame.matches = 0
                frame.mark = failures.count
            }
            let check = schemas[frame.schema].checks[frame.check]
            let progress = perform(check, &frame, answer)
            switch progress {
            case .apply: return progress
            case .passed: break
            case .failed:
                frame.hasFailed = true
                if endsAtFailure { return .failed }
            }
            answer = nil
            frame.check += 1
        }
        return frame.hasFailed ? .failed : .passed
    }

    // MARK: - Steps

    private mutating func checkSteps() {
        if steps > stepLimit, !isCounted {
            isCounted = true
            stepLimit += Evaluation.stepsPerValue * Evaluation.count(root)
        }
        if steps > stepLimit { isExhausted = true }
    }

    mutating func spend(_ count: Int) { steps += count }

    /// Returns whether a pattern is found in a text. If the search takes too long, validation is abandoned.
    mutating func finds(_ pattern: Pattern, in text: String) -> Bool {
        spend(pattern.cost(of: text))
        guard let isFound = pattern.matches(text) else {
            isExhausted = true
            return false
        }
        return isFound
    }

    private static func count(_ root: JSONValue) -> Int {
        var count = 0
        var pending = [root]
        while let value = pending.popLast() {
            count += 1
            switch value {
            case .array(let elements): pending.append(contentsOf: elements)
            case .object(let members): pending.append(contentsOf: members.values)
            default: break
            }
        }
        return count
    }

    // MARK: - Failures

    /// Records the failure of a check of `frame`. If `withCauses`, failures recorded since the check began become its
    /// causes.
    mutating func fail(
        _ frame: Frame,
        _ keyword: String,
        _ message: @autoclosure () -> String,
        at step: Step? = nil,
        withCauses: Bool = false
    ) -> Progress {
        guard failureLimit != nil else { return .failed }
        let causes = withCauses ? Array(failures[frame.mark...]) : []
        if withCauses { forgetFailures(since: frame) }
        var names: [String] = []
        for step in outer.map(\.step) + [frame.step, step] {
            switch step {
            case .member(let name): names.append(name)
            case .element(let index): names.append(String(index))
            case nil: continue
            }
        }
        failures.append(
            JSONSchema.Failure(
                instancePath: JSONPointer(names: names),
                schemaPath: "\(schemas[frame.schema].location)/\(keyword)",
                keyword: keyword,
                message: message(),
                causes: causes
            )
        )
        return .failed
    }

    /// Drops the failures of alternatives that do not matter.
    mutating func forgetFailures(since frame: Frame) {
        if failures.count > frame.mark { failures.removeSubrange(frame.mark...) }
    }
}
