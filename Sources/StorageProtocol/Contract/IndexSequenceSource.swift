/// Looks up what `IndexRowView.sequence` tells, for engines: the sequence stands once for a document, not in its rows.
public protocol IndexSequenceSource: AnyObject {
    /// The sequence of the last replacement that was accepted of the rows of the document `id` (its bytes).
    ///
    /// - Throws: `corrupt` (591) where it has none; `notOpen` (503) where the transaction has ended meanwhile.
    func sequence(of id: RawSpan) throws(StorageError) -> UInt64
}
