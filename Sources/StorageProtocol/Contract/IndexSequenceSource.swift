/// For engines: looks up the result of `IndexRowView.sequence`. The sequence is stored once for each document, not in
/// its rows.
public protocol IndexSequenceSource: AnyObject {
    /// Returns the sequence passed to the last replacement of the rows of the document with the ID `id` (its bytes).
    ///
    /// - Throws: `corrupt` (591) if it has none; `notOpen` (503) if the transaction has ended.
    func sequence(of id: RawSpan) throws(StorageError) -> UInt64
}
