/// Changes that wait for their observer, in order, as slices of arrays that all observers share.
struct ChangeBuffer {
    private var parts = WaitingList<ArraySlice<DocumentChange>>()
    /// How many changes wait.
    private(set) var count = 0

    /// The sequence of the change that has waited longest.
    var firstSequence: UInt64? { parts.first?.first?.sequence }

    /// Adds changes, at least one.
    mutating func append(_ part: ArraySlice<DocumentChange>) {
        parts.append(part)
        count += part.count
    }

    /// Removes and returns the slice that has waited longest.
    mutating func popFirst() -> ArraySlice<DocumentChange>? {
        guard let part = parts.popFirst() else { return nil }
        count -= part.count
        return part
    }

    mutating func removeAll() { self = ChangeBuffer() }
}
