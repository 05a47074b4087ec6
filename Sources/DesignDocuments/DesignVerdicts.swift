internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

/// What the `validate_doc_update` functions have said of one write, so that they need not run inside its transaction,
/// in which others wait for the database.
///
/// The write is tried. Where it has not been judged it is refused, and the question is kept; `judge` answers it outside
/// of the transaction, and the write is tried again. It counts only if the question is the same then: the functions,
/// the user, the revision, and the one before.
///
/// ```swift
/// let validation = try designs.validation(user: user, security: security, verdicts)
/// while true {
///     let outcome = Result { try database.withValidation(validation) { try save() } }
///     guard verdicts.isAsked else { return try outcome.get() }
///     verdicts.judge()
/// }
/// ```
package final class DesignVerdicts: Sendable {
    /// What the functions are asked.
    struct Question: Sendable {
        var document: [UInt8]
        var old: [UInt8]?
        var functions: DesignValidation

        func isSame(as other: Question) -> Bool {
            document == other.document && old == other.old && functions.isSame(as: other.functions)
        }
    }

    private struct State {
        var asked: Question?
        var rounds = 0
        var verdict: (question: Question, refusal: StorageError?)?
    }

    private let state = Locked(State())

    /// After this many changes of the document while it is judged, the functions run inside of the transaction.
    private static let mostRounds = 3

    package init() {}

    /// Whether the last try has left a question.
    package var isAsked: Bool { state.withLock { $0.asked != nil } }

    /// Answers the question that the last try has left. Blocks, for as long as functions run.
    package func judge() {
        guard let question = state.withLock({ $0.asked.take() }) else { return }
        do throws(StorageError) {
            try question.functions.run(question.document, question.old)
            state.withLock { $0.verdict = (question, nil) }
        } catch {
            state.withLock { $0.verdict = (question, error) }
        }
    }

    /// Returns what is known; inside of the write.
    ///
    /// - Throws: the refusal; `rejected` with 503 if the question is to be answered first.
    func validate(_ question: Question) throws(StorageError) {
        let (verdict, isLast) = state.withLock { state in
            let verdict = state.verdict.flatMap { $0.question.isSame(as: question) ? $0 : nil }
            if verdict == nil { state.rounds += 1 }
            let isLast = state.rounds > DesignVerdicts.mostRounds
            if verdict == nil, !isLast { state.asked = question }
            return (verdict, isLast)
        }
        if let verdict {
            if let refusal = verdict.refusal { throw refusal }
        } else if isLast {
            try question.functions.run(question.document, question.old)
        } else {
            throw StorageError(.rejected(status: 503), "The revision is judged before it is stored.")
        }
    }
}
