internal import StorageProtocol

extension WriteSession {
    /// How a transaction ended, to be logged once the next writer can begin.
    enum End {
        /// - Parameter problems: what the engine's own threads have failed to do.
        case committed(changes: Int, problems: [StorageProblem])
        case notCommitted(problems: [StorageProblem])
        case rolledBack(any Error)

        /// - Parameter name: the name of the database.
        func log(_ name: String) {
            switch self {
            case .committed(let changes, let problems):
                Log.log(.trace, .document, "\(name): a transaction was committed; changes: \(changes)")
                Log.log(problems, of: name)
            case .notCommitted(let problems):
                Log.log(problems, of: name)
            case .rolledBack(let error):
                Log.log(.debug, .document, "\(name): a transaction was rolled back: \(Log.describe(error))")
            }
        }
    }
}

extension Log {
    /// Logs problems that the engine of a database has found.
    static func log(_ problems: [StorageProblem], of name: String) {
        for problem in problems { log(.error, .storage, "\(name): \(problem.message)") }
    }
}
