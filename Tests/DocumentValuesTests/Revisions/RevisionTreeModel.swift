internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol

/// The simplest possible revision tree, to compare the real one with: what each revision follows, and nothing derived.
struct RevisionTreeModel {
    struct Entry: Equatable {
        var parent: RevisionID?
        var deleted: Bool
        var hasBody: Bool
        var hasAttachments: Bool
        var sequence: UInt64
    }

    var entries: [RevisionID: Entry] = [:]

    init() {}

    /// What a tree says.
    init(_ tree: RevisionTree) {
        for node in tree.nodes {
            entries[node.id] = Entry(
                parent: node.parent.map { tree.nodes[$0].id },
                deleted: node.isDeleted,
                hasBody: node.hasBody,
                hasAttachments: node.hasAttachments,
                sequence: node.sequence
            )
        }
    }

    /// The leaves in winning order.
    var leaves: [RevisionID] {
        let parents = Set(entries.values.compactMap(\.parent))
        let leaves = entries.filter { !parents.contains($0.key) }
        return leaves.sorted { a, b in
            a.value.deleted != b.value.deleted ? b.value.deleted : a.key > b.key
        }.map(\.key)
    }

    func line(of id: RevisionID) -> [RevisionID] {
        var line: [RevisionID] = []
        var next: RevisionID? = id
        while let id = next {
            line.append(id)
            next = entries[id]?.parent
        }
        return line
    }

    /// Keeps the union of what each leaf keeps.
    mutating func prune(depth: Int) {
        let kept = Set(leaves.flatMap { line(of: $0).prefix(depth) })
        retain(kept)
    }

    mutating func remove(leaves doomed: Set<RevisionID>) {
        retain(Set(leaves.filter { !doomed.contains($0) }.flatMap { line(of: $0) }))
    }

    private mutating func retain(_ kept: Set<RevisionID>) {
        entries = entries.filter { kept.contains($0.key) }
        for (id, entry) in entries {
            if let parent = entry.parent, !kept.contains(parent) { entries[id]?.parent = nil }
        }
    }

    /// A random tree with branches of unequal length, grown through the tree's own operations, and its model.
    static func random(_ random: inout SeededGenerator, size: Int) throws -> (RevisionTree, RevisionTreeModel) {
        var tree = RevisionTree()
        var model = RevisionTreeModel()
        var known: [RevisionID] = []
        var sequence: UInt64 = 0
        while known.count < size {
            sequence += UInt64(1 + random.below(1_000))
            let deleted = random.chance(1, in: 5)
            let hasAttachments = random.chance(1, in: 6)
            let parent = parent(for: known, leaves: model.leaves, &random)
            if random.chance(1, in: 6) {
                // A foreign revision: unknown ancestors, then a known one or none.
                var history = parent.map { [$0] } ?? []
                let first = parent?.generation ?? UInt64(random.below(6))
                for step in 1...(1 + random.below(4)) {
                    history.insert(try id(first + UInt64(step), &random), at: 0)
                }
                try tree.insert(
                    history: history,
                    deleted: deleted,
                    hasAttachments: hasAttachments,
                    sequence: sequence
                )
                for (index, id) in history.enumerated() where id != parent {
                    model.entries[id] = Entry(
                        parent: index + 1 < history.count ? history[index + 1] : nil,
                        deleted: index == 0 && deleted,
                        hasBody: index == 0,
                        hasAttachments: index == 0 && hasAttachments,
                        sequence: index == 0 ? sequence : 0
                    )
                    known.append(id)
                }
            } else {
                let id = try id((parent?.generation ?? 0) + 1, &random)
                try tree.insert(
                    id,
                    parent: parent,
                    deleted: deleted,
                    hasAttachments: hasAttachments,
                    sequence: sequence
                )
                model.entries[id] = Entry(
                    parent: parent,
                    deleted: deleted,
                    hasBody: true,
                    hasAttachments: hasAttachments,
                    sequence: sequence
                )
                known.append(id)
            }
        }
        return (tree, model)
    }

    /// Mostly a leaf, so that lines grow; sometimes any revision, rarely none.
    private static func parent(
        for known: [RevisionID],
        leaves: [RevisionID],
        _ random: inout SeededGenerator
    ) -> RevisionID? {
        if known.isEmpty || random.chance(1, in: 25) { return nil }
        return random.chance(1, in: 6) ? known.randomElement(using: &random) : leaves.randomElement(using: &random)
    }

    static func id(_ generation: UInt64, _ random: inout SeededGenerator) throws -> RevisionID {
        if random.chance(1, in: 8) { return try RevisionID("\(generation)-FOREIGN-\(random.next())") }
        return try RevisionID(generation: generation, digest: (random.next(), random.next()))
    }
}
