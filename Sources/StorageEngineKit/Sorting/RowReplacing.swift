package import StorageProtocol

/// What an engine does to the rows of one document at a time while it replaces rows of an index. `compare` finds out
/// what differs, in the same way for every engine.
package protocol RowReplacing: ~Copyable {
    /// How many rows the document at hand has in the store.
    var storedRowCount: Int { get }

    /// Whether stored row number `emit` has the sort key of `row`.
    func hasStoredKey(of row: PinnedRow, _ emit: Int) -> Bool

    /// Whether the stored row in the position of `row` also has its texts of key and value. Called only where the keys
    /// agree.
    ///
    /// - Throws: `corrupt` (591) if the row is missing.
    mutating func hasStoredText(of row: PinnedRow) throws(StorageError) -> Bool

    /// Writes the texts of `row` over those of the stored row in its position.
    mutating func change(_ row: PinnedRow) throws(StorageError)

    /// Removes stored row number `emit` of `document`, and records its position in `changes`.
    ///
    /// - Throws: `corrupt` (591) if the row is missing.
    mutating func remove(
        _ emit: Int,
        of document: PinnedDocument,
        _ changes: inout RowChanges
    ) throws(StorageError)
}

extension RowReplacing where Self: ~Copyable {
    /// Compares a document's rows with its stored ones. Rows with other keys are removed, rows with other texts are
    /// changed in place, and new ones are added to `newRows`, to be written in order later.
    ///
    /// - Returns: whether anything differs, and whether keys do.
    @inlinable
    package mutating func compare(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches,
        _ newRows: inout BatchOrder,
        _ changes: inout RowChanges
    ) throws(StorageError) -> (isChanged: Bool, hasOtherKeys: Bool) {
        var isChanged = false
        var hasOtherKeys = false
        let storedCount = storedRowCount
        for emit in 0..<max(storedCount, document.rowCount) {
            if emit < document.rowCount, emit < storedCount {
                let row = batches.row(document.row(emit))
                if hasStoredKey(of: row, emit) {
                    if try hasStoredText(of: row) { continue }
                    try change(row)
                    changes.record(row)
                    isChanged = true
                    continue
                }
            }
            isChanged = true
            hasOtherKeys = true
            if emit < storedCount { try remove(emit, of: document, &changes) }
            if emit < document.rowCount {
                newRows.append(document.row(emit))
                if changes.recordsPositions { changes.record(batches.row(document.row(emit))) }
            }
        }
        return (isChanged, hasOtherKeys)
    }
}

extension RowChanges {
    /// Records the position of a row that was added, or got other texts.
    package mutating func record(_ row: PinnedRow) {
        guard recordsPositions else { return }
        unsafe record(key: row.key.bytes, id: row.id.bytes, emit: row.emit)
    }
}
