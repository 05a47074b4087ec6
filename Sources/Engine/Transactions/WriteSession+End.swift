internal import StorageProtocol

extension WriteSession {
    /// How a transaction ended, to be logged once the next writer can begin.
    enum End {
        case committed(changes: Int)
        case rolledBack(any Error)

        /// - Parameter name: the name of the database.
        func log(_ name: String) {
            switch self {
            case .committed(let changes):
                Log.log(.trace, .document, "\(name): a transaction was committed; changes: \(changes)")
            case .rolledBack(let error):
                Log.log(.debug, .document, "\(name): a transaction was rolled back: \(Log.describe(error))")
            }
        }
    }
}
