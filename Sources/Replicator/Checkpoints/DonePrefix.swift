internal import SetteeDocumentValues

/// The rows of a feed that are not done, in its order, and the sequence before which all are.
struct DonePrefix {
    private struct Entry {
        var sequence: JSONValue
        /// How many of its revisions are not done.
        var open: Int
    }

    /// The entries from the first one that is not done on.
    private var entries: [Entry] = []
    /// The index in `entries` of that one: those before are done, and removed from time to time.
    private var head = 0
    /// The number of the first entry.
    private var base = 0
    /// How many rows are not done.
    private(set) var openRows = 0
    /// The last sequence up to which all rows are done; nil if none is.
    private(set) var sequence: JSONValue?

    /// Adds a row.
    ///
    /// - Returns: its number.
    mutating func add(_ sequence: JSONValue) -> Int {
        entries.append(Entry(sequence: sequence, open: 1))
        openRows += 1
        return base + entries.count - 1
    }

    /// The end of a page: what its last row is, or what follows it without being told, is done with it.
    mutating func addEnd(_ sequence: JSONValue) {
        entries.append(Entry(sequence: sequence, open: 0))
        advance()
    }

    /// A row has so many revisions more to be done.
    mutating func extend(_ number: Int, by count: Int) { entries[number - base].open += count }

    /// A revision of a row is done.
    ///
    /// - Returns: whether the row is.
    mutating func settle(_ number: Int) -> Bool {
        entries[number - base].open -= 1
        guard entries[number - base].open == 0 else { return false }
        openRows -= 1
        advance()
        return true
    }

    private mutating func advance() {
        while head < entries.count, entries[head].open == 0 {
            sequence = entries[head].sequence
            head += 1
        }
        guard head >= 1_024 || head == entries.count else { return }
        entries.removeFirst(head)
        base += head
        head = 0
    }
}
