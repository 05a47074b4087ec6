internal import Settee

/// Reports the first documents that an import refused on standard error, and how many more there were.
struct ImportFailureList {
    private static let maximum = 20

    private let asJSON: Bool
    private var count = 0

    init(asJSON: Bool) { self.asJSON = asJSON }

    mutating func add(_ failure: ImportFailure) {
        count += 1
        guard count <= ImportFailureList.maximum else { return }
        let name = failure.id.map { " '\($0)'" } ?? ""
        var error = failure.error
        error.message = "Document\(name) on line \(failure.line) (byte \(failure.offset) of the text): \(error.message)"
        Failure.report(error, asJSON: asJSON)
    }

    func finish() {
        let rest = count - ImportFailureList.maximum
        if rest > 0 { Failure.note("\(rest) more documents failed.", asJSON: asJSON) }
    }
}
