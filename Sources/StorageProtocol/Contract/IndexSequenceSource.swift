/// Looks up what `IndexRowView.sequence` tells, for engines: the sequence stands once for a document, not in its rows.
public protocol IndexSequenceSource: AnyObject {
    /// The sequence that the last replacement of the rows of the document `id` (its bytes) gave.
    ///
    /// - Throws: `corrupt` (591) where it has none; `notOpen` (503) where the transaction has ended meanwhile.
    func sequence(of id: RawSpan) throws(StorageError) -> UInt64
}
