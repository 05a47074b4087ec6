/// Revisions that were asked for and have not come yet.
struct OpenWishes {
    struct Entry {
        var place: Int
        var id: String
        var revision: String
    }

    /// IDs are compared by their bytes.
    private struct Key: Hashable {
        var id: [UInt8]
        var revision: [UInt8]
    }

    private var entriesByNumber: [Int: Entry] = [:]
    private var numbers: [Key: Int] = [:]
    /// Why a document of the answer could not be read. Which one it was is not known before the end.
    var unreadable: PeerError?

    init(_ wishes: [RevisionWish], _ places: Range<Int>) {
        for place in places {
            let wish = wishes[place]
            for revision in wish.revisions {
                let key = Key(id: Array(wish.documentID.utf8), revision: Array(revision.utf8))
                guard numbers[key] == nil else { continue }
                numbers[key] = numbers.count
                entriesByNumber[numbers.count - 1] = Entry(
                    place: place,
                    id: wish.documentID,
                    revision: revision
                )
            }
        }
    }

    var isEmpty: Bool { entriesByNumber.isEmpty }

    /// How many documents are asked for.
    var documents: Int { Set(entriesByNumber.values.map(\.place)).count }

    /// In the order of the wishes.
    var entries: [Entry] { entriesByNumber.sorted { $0.key < $1.key }.map(\.value) }

    /// Takes the wish for a revision, if it is open.
    mutating func take(id: String, revision: String) -> Entry? {
        numbers[Key(id: Array(id.utf8), revision: Array(revision.utf8))]
            .flatMap { entriesByNumber.removeValue(forKey: $0) }
    }

    func contains(_ entry: Entry) -> Bool {
        numbers[Key(id: Array(entry.id.utf8), revision: Array(entry.revision.utf8))]
            .map { entriesByNumber[$0] != nil } ?? false
    }

    /// Takes the first wish for a document.
    mutating func takeFirst(id: String) -> Entry? {
        let bytes = Array(id.utf8)
        let first = entriesByNumber.filter { $0.value.id.utf8.elementsEqual(bytes) }.keys.min()
        return first.flatMap { entriesByNumber.removeValue(forKey: $0) }
    }

    /// The wishes for the document of the first one.
    var firstDocument: [Entry] {
        guard let first = entriesByNumber.keys.min().flatMap({ entriesByNumber[$0] }) else { return [] }
        return entries.filter { $0.id.utf8.elementsEqual(first.id.utf8) }
    }

    /// Takes the first wish.
    mutating func takeAny() -> Entry? {
        entriesByNumber.keys.min().flatMap { entriesByNumber.removeValue(forKey: $0) }
    }
}
