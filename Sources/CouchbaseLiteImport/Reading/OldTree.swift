internal import StorageProtocol

/// The revision tree of a document: which revisions are kept, and their parents.
struct OldTree {
    /// The revisions that are kept, each with the index of its parent among them.
    private(set) var revisions: [(revision: OldRevision, parent: Int?)] = []
    /// Whether revisions are missing that must have existed.
    private(set) var lacksRevisions = false
    /// What could not be kept unchanged.
    private(set) var problems: [(revision: String?, reason: String)] = []

    /// - Parameters:
    ///   - found: the document's revisions, in sequence order.
    ///   - mayBeLost: whether a revision with this rowid may be one that cannot be read, or belongs to another
    ///     document. If not, it was pruned.
    init(
        _ found: [OldRevision],
        mayBeLost: (Int64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let distinct = distinct(found)
        let places = Dictionary(
            distinct.kept.enumerated().map { ($1.rowid, $0) } + distinct.aliases,
            uniquingKeysWith: { first, _ in first }
        )
        let all = distinct.kept
        var parents = [Int?](repeating: nil, count: all.count)
        var isFollowed = [Bool](repeating: false, count: all.count)
        for (place, revision) in all.enumerated() {
            guard let rowid = revision.parent else { continue }
            guard let parent = places[rowid] else {
                if try mayBeLost(rowid) {
                    lacksRevisions = true
                    note(revision, "the revision before it is missing, so it begins a line of its own")
                }
                continue
            }
            // A parent was replaced by this revision even if the two cannot be linked, so it must not become current
            // again.
            if parent != place { isFollowed[parent] = true }
            if all[parent].id.generation == revision.id.generation - 1 {
                parents[place] = parent
            } else {
                note(revision, "the revision before it is not of the generation before, so it begins a line of its own")
            }
        }
        var leaves = all.indices.filter { !isFollowed[$0] }
        if leaves.isEmpty { leaves = all.indices.filter { all[$0].isCurrent } }
        if leaves.isEmpty { leaves = Array(all.indices.suffix(1)) }
        keep(all, parents, leaves: leaves)
    }

    /// Returns the revisions without those whose IDs occur twice.
    private mutating func distinct(_ found: [OldRevision]) -> (kept: [OldRevision], aliases: [(Int64, Int)]) {
        var kept: [OldRevision] = []
        var aliases: [(Int64, Int)] = []
        var places: [RevisionID: Int] = [:]
        for revision in found {
            guard let place = places[revision.id] else {
                places[revision.id] = kept.count
                kept.append(revision)
                continue
            }
            note(revision, "there are two revisions of this ID; the one with a body is kept, or else the first")
            if revision.hasBody, !kept[place].hasBody {
                aliases.append((kept[place].rowid, place))
                kept[place] = revision
            } else {
                aliases.append((revision.rowid, place))
            }
        }
        return (kept, aliases)
    }

    /// Keeps the revisions that lead to a leaf.
    private mutating func keep(_ all: [OldRevision], _ parents: [Int?], leaves: [Int]) {
        var isKept = [Bool](repeating: false, count: all.count)
        var newPlaces = [Int](repeating: -1, count: all.count)
        for leaf in leaves {
            var next = leaf
            // A leaf without a body that was replaced by a lost revision is useless. An earlier revision with a body
            // takes its place.
            if !all[leaf].isCurrent, !all[leaf].isDeleted {
                lacksRevisions = true
                while !all[next].hasBody, let parent = parents[next] { next = parent }
                guard all[next].hasBody else { continue }
                note(all[next], "the revision that followed it is missing, so it is a current one now")
            }
            // Generations descend, so this cannot loop.
            while !isKept[next] {
                isKept[next] = true
                guard let parent = parents[next] else { break }
                next = parent
            }
        }
        for place in all.indices where isKept[place] {
            newPlaces[place] = revisions.count
            revisions.append((all[place], nil))
        }
        for place in all.indices where isKept[place] {
            if let parent = parents[place] { revisions[newPlaces[place]].parent = newPlaces[parent] }
        }
        for place in all.indices where !isKept[place] {
            note(all[place], "it leads to no current revision, and was left out")
        }
    }

    private mutating func note(_ revision: OldRevision, _ reason: String) {
        problems.append((revision.id.string, reason))
    }
}
