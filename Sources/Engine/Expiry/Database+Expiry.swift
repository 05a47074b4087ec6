public import Foundation
public import StorageProtocol

extension Database {
    /// When the next document expires, which may be in the past; nil if none does. Complexity: O(log n).
    public var nextExpiry: Date? {
        get throws(StorageError) { try nextExpiryTime().map(ExpiryTime.date) }
    }

    /// Purges the documents that have expired, without waiting for the timer. Each purge takes a sequence. Inside a
    /// transaction the purges are part of it; otherwise the call uses several short transactions, between which others
    /// may write.
    ///
    /// - Returns: how many documents this call purged. A document is never purged by two calls.
    /// - Throws: `readOnly` (403), `inUse` (423), `notOpen` (503), `full` (507), `callback` (593).
    @discardableResult
    public func purgeExpiredDocuments() throws(StorageError) -> Int {
        var total = 0
        while true {
            let purged = try purgeExpiredBatch()
            total += purged
            if purged < Database.expiredAtATime { return total }
        }
    }

    /// How many expired documents one transaction purges.
    static var expiredAtATime: Int { 500 }

    /// Purges some expired documents in one transaction. They are looked up inside it, so that no two processes purge
    /// the same document.
    ///
    /// - Parameter patience: how long to wait for other processes that write; nil: `busyTimeout`.
    func purgeExpiredBatch(patience: Duration? = nil) throws(StorageError) -> Int {
        let purged = try change(patience: patience) { (session) throws(StorageError) in
            var due: [DocumentID] = []
            try session.transaction.expirations(through: ExpiryTime.now) { (_, id) throws(StorageError) in
                due.append(id)
                return due.count < Database.expiredAtATime
            }
            let writer = DocumentWriter(session)
            for id in due {
                guard try writer.purge(id, isExpiry: true) else {
                    throw .corrupt("An expiration belongs to no document")
                }
            }
            return due.count
        }
        if purged > 0 { Log.log(.info, .expiry, "\(name): purged \(purged) expired documents") }
        return purged
    }

    func nextExpiryTime() throws(StorageError) -> Int64? {
        try withReadTransaction { (transaction) throws(StorageError) in
            var next: Int64?
            try transaction.expirations(through: .max) { (time, _) throws(StorageError) in
                next = time
                return false
            }
            return next
        }
    }

    func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        try Database.refuseLocalExpiry(id)
        return try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.expiration(of: id)
        }
    }

    func setExpiration(_ time: Int64?, of id: DocumentID) throws(StorageError) {
        try Database.refuseLocalExpiry(id)
        try change { (session) throws(StorageError) in
            guard try session.transaction.record(id, fields: .metadata, { (_) throws(StorageError) in }) else {
                throw StorageError(.notFound, "There is no document of this ID, so nothing can expire.")
            }
            guard try session.transaction.expiration(of: id) != time else { return }
            session.noteChange()
            try session.transaction.setExpiration(time, of: id)
            if let time { session.noteExpiry(at: time) }
            session.trace?.expires(id, at: time)
        }
    }

    package func setExpiration(_ given: GivenExpiration, of id: DocumentID) throws(StorageError) {
        try setExpiration(given.time, of: id)
    }

    package static func refuseLocalExpiry(_ id: DocumentID) throws(StorageError) {
        if id.isLocal {
            throw StorageError(.badID, "Local documents do not expire. Delete them when they are done with.")
        }
    }
}
