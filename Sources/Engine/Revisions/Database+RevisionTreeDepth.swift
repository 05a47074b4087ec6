public import StorageProtocol

extension Database {
    /// How many revisions of its own line each leaf keeps by default.
    package static let defaultRevisionTreeDepth = 20

    /// How many in a database that takes part in replications, as in CouchDB.
    package static let replicatedRevisionTreeDepth = 1_000

    /// The info key under which another depth is stored.
    package static let revisionTreeDepthKey = "maxRevTreeDepth"

    /// How many revisions of its own line each leaf of a document keeps, itself included. 20 by default, 1,000
    /// once the database was replicated. The number is stored in the database and applies to every process.
    public var maxRevTreeDepth: Int {
        get throws(StorageError) {
            try withReadTransaction { (transaction) throws(StorageError) in
                try Database.maximumRevisionTreeDepth(in: transaction)
            }
        }
    }

    /// Sets how many revisions of its own line each leaf keeps. A document is pruned to this depth when its next
    /// revision is stored.
    ///
    /// - Throws: `badParameter` (495) for less than 1; `readOnly` (403), `inUse` (423), `full` (507), `notOpen` (503),
    ///   `callback` (593) inside `read` or a closure.
    public func setMaxRevTreeDepth(_ depth: Int) throws(StorageError) {
        guard depth > 0 else {
            throw StorageError(.badParameter, "A document must keep at least one revision. Set the depth to 1 or more.")
        }
        try change { (session) throws(StorageError) in try session.setMaximumDepth(depth) }
    }

    /// Lets documents keep the histories that replications compare, unless a depth was set before.
    ///
    /// - Throws: As `setMaxRevTreeDepth`.
    package func keepReplicatedHistories() throws(StorageError) {
        let isSet = try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.info(Database.revisionTreeDepthKey) != nil
        }
        if !isSet { try setMaxRevTreeDepth(Database.replicatedRevisionTreeDepth) }
    }

    static func maximumRevisionTreeDepth(in transaction: any ReadTransaction) throws(StorageError) -> Int {
        guard let text = try transaction.info(revisionTreeDepthKey) else { return defaultRevisionTreeDepth }
        guard let depth = revisionTreeDepth(text) else { throw .corrupt("The stored revision tree depth is no number") }
        return depth
    }

    /// Returns a depth as it is stored; nil if the bytes are not one.
    package static func revisionTreeDepth(_ text: [UInt8]) -> Int? {
        Int(String(decoding: text, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
}
