public import Foundation
public import StorageProtocol

/// A document that expires is purged at its time, like by `purge`, while the database is open, or when it is opened
/// next. Until then it is like any other. docs/guide/expiry-and-local-documents.md has the rules.
extension Document {
    /// When the document expires; nil if it never does, or there is no such document.
    ///
    /// - Throws: `badID` (494) for a local document, which cannot expire.
    public var expiration: Date? {
        get throws(StorageError) { try database.expiration(of: documentID()).map(ExpiryTime.date) }
    }

    /// Makes the document expire at `date`, to the millisecond; nil: never. A date in the past means soon. This makes
    /// no revision and takes no sequence. The date belongs to the document: later revisions and tombstones do not
    /// change it.
    ///
    /// - Throws: `notFound` (404) if there is no such document, `badID` (494) for a local document, `badParameter`
    ///   (495) for a date that is not finite or some 285,000 years away.
    public func setExpiration(_ date: Date?) throws(StorageError) {
        let time = try date.map { (date) throws(StorageError) in try ExpiryTime.milliseconds(date) }
        try database.setExpiration(time, of: documentID())
    }

    /// Makes the document expire `interval` seconds from now; with 0 or less, soon.
    ///
    /// - Throws: as `setExpiration`.
    public func expires(in interval: TimeInterval) throws(StorageError) {
        try setExpiration(Date(timeIntervalSinceNow: interval))
    }

    /// Makes the document expire `duration` from now; with a negative one, soon.
    ///
    /// - Throws: as `setExpiration`.
    public func expires(in duration: Duration) throws(StorageError) {
        let (seconds, attoseconds) = duration.components
        try expires(in: TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18)
    }
}
