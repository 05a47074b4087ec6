public import Foundation
public import StorageProtocol

/// A document that expires is purged at its time, as by `purge`, while somebody has the database open, or when it is
/// opened next. Until then it is there as any other. docs/guide/expiry-and-local-documents.md has the rules.
extension Document {
    /// When the document expires; nil where it never does, or there is no such document.
    ///
    /// - Throws: `badID` (494) for a local document, which cannot expire.
    public var expiration: Date? {
        get throws(StorageError) { try database.expiration(of: documentID()).map(ExpiryTime.date) }
    }

    /// Has the document expire at `date`, to the millisecond; nil: never. A date that has passed means soon. No
    /// revision is made and no sequence taken. The date belongs to the document: later revisions and tombstones leave
    /// it.
    ///
    /// - Throws: `notFound` (404) where there is no such document, `badID` (494) for a local document, `badParameter`
    ///   (495) for a date that is not finite or some 285,000 years away.
    public func setExpiration(_ date: Date?) throws(StorageError) {
        let time = try date.map { (date) throws(StorageError) in try ExpiryTime.milliseconds(date) }
        try database.setExpiration(time, of: documentID())
    }

    /// Has the document expire when `interval` seconds have passed from now; with 0 or less, soon.
    ///
    /// - Throws: as `setExpiration`.
    public func expires(in interval: TimeInterval) throws(StorageError) {
        try setExpiration(Date(timeIntervalSinceNow: interval))
    }

    /// Has the document expire when `duration` has passed from now; with a negative one, soon.
    ///
    /// - Throws: as `setExpiration`.
    public func expires(in duration: Duration) throws(StorageError) {
        let (seconds, attoseconds) = duration.components
        try expires(in: TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18)
    }
}
