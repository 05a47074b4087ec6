public import StorageProtocol

extension RevisionTree {
    /// What became of a revision that was to be inserted.
    public enum Insertion: Sendable, Equatable {
        /// It is in the tree now, as a leaf.
        case inserted
        /// It was there before; nothing changed.
        case known
    }

    /// Adds a revision of our own, with a body, as a leaf.
    ///
    /// Whether a conflict may arise is the caller's to decide, with `canExtendWithoutConflict(parent:)`.
    ///
    /// - Parameters:
    ///   - parent: the revision it follows; nil for a first revision (another root where the tree has one already).
    ///   - sequence: the sequence under which it is stored.
    ///   - bodyChecksum: that of its body, for checks; nil where it is not known.
    /// - Throws: `StorageError` with `notFound` (404) for an unknown parent, `badRequest` (400) where the generation is
    ///   not the parent's plus one (1 without parent), `tooLarge` (413) beyond `maximumCount` revisions. The tree is
    ///   then as it was.
    /// - Complexity: O(count).
    @discardableResult
    public mutating func insert(
        _ id: RevisionID,
        parent: RevisionID?,
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64,
        bodyChecksum: UInt32? = nil
    ) throws(StorageError) -> Insertion {
        if index(of: id) != nil { return .known }
        var parentIndex = -1
        if let parent {
            guard let found = index(of: parent) else {
                throw StorageError(.notFound, "The parent revision is not in the document's revision tree.")
            }
            parentIndex = found
        }
        guard id.generation == (parent?.generation ?? 0) + 1 else {
            throw StorageError(.badRequest, "A revision's generation must be its parent's plus one; 1 without parent.")
        }
        try checkRoom(for: 1)
        add([
            Node(
                id: id,
                sequence: sequence,
                parentIndex: parentIndex,
                deleted: deleted,
                hasAttachments: hasAttachments,
                bodyChecksum: bodyChecksum
            )
        ])
        return .inserted
    }

    /// Adds a revision that came with its history, as a leaf with a body. Ancestors that are not known yet are added
    /// without body, with sequence 0, up to the first one that is; where none is known, the history becomes a line of
    /// its own. What stands behind the first known ancestor is not looked at. A revision that is known already, though
    /// only by its ID, stays as it is.
    ///
    /// - Parameters:
    ///   - history: the revision and its ancestors, newest first. The generations descend by one at each step, as
    ///     CouchDB's `_revisions` imply: cut a history at its first gap.
    ///   - bodyChecksum: that of its body, for checks; nil where it is not known.
    /// - Throws: `StorageError` with `badRequest` (400) for an empty history or another step, `tooLarge` (413) beyond
    ///   `maximumCount` revisions. The tree is then as it was.
    /// - Complexity: O(count + history's length).
    @discardableResult
    public mutating func insert(
        history: [RevisionID],
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64,
        bodyChecksum: UInt32? = nil
    ) throws(StorageError) -> Insertion {
        _ = try RevisionTree.newest(of: history)
        let (newCount, ancestor) = firstKnown(in: history)
        if newCount == 0 { return .known }
        try checkRoom(for: newCount)
        if isEmpty {
            nodes = RevisionTree.line(
                history,
                deleted: deleted,
                hasAttachments: hasAttachments,
                sequence: sequence,
                bodyChecksum: bodyChecksum
            )
            return .inserted
        }

        var line = RevisionTree.line(
            Array(history[..<newCount]),
            deleted: deleted,
            hasAttachments: hasAttachments,
            sequence: sequence,
            bodyChecksum: bodyChecksum
        )
        line[newCount - 1].parentIndex = Int32(truncatingIfNeeded: ancestor ?? -1)
        add(line)
        return .inserted
    }

    /// The revision that a history is of.
    ///
    /// - Throws: `badRequest` (400) for an empty history, or one whose generations do not descend by one at each step.
    public static func newest(of history: [RevisionID]) throws(StorageError) -> RevisionID {
        guard let id = history.first else { throw StorageError(.badRequest, "A revision's history must not be empty.") }
        for (newer, older) in zip(history, history.dropFirst()) where newer.generation != older.generation + 1 {
            throw StorageError(.badRequest, "The generations of a revision's history must descend by one at each step.")
        }
        return id
    }

    /// The nodes of a tree that consists of one revision with its history; they stand in canonical order as they come.
    private static func line(
        _ history: [RevisionID],
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64,
        bodyChecksum: UInt32?
    ) -> [Node] {
        var nodes: [Node] = []
        nodes.reserveCapacity(history.count)
        for (index, id) in history.enumerated() {
            let parent = index + 1 < history.count ? index + 1 : -1
            if index == 0 {
                nodes.append(
                    Node(
                        id: id,
                        sequence: sequence,
                        parentIndex: parent,
                        deleted: deleted,
                        hasAttachments: hasAttachments,
                        bodyChecksum: bodyChecksum
                    )
                )
            } else {
                nodes.append(Node(id: id, sequence: 0, parentIndex: parent, flags: 0))
            }
        }
        return nodes
    }

    private func checkRoom(for newCount: Int) throws(StorageError) {
        guard count + newCount <= RevisionTree.maximumCount else {
            throw StorageError(
                .tooLarge,
                "The document would have more than \(RevisionTree.maximumCount) revisions. Prune or purge some first."
            )
        }
    }

    /// How many of the newest revisions of `history` are unknown, and where the first known one is.
    private func firstKnown(in history: [RevisionID]) -> (newCount: Int, index: Int?) {
        // A few scans cost less than a table.
        if history.count <= 4 || history.count * count <= 4096 {
            for (position, id) in history.enumerated() {
                if let index = index(of: id) { return (position, index) }
            }
            return (history.count, nil)
        }
        // Each generation occurs once in the history.
        let newest = history[0].generation
        var found: (newCount: Int, index: Int?) = (history.count, nil)
        for (index, node) in nodes.enumerated() where node.id.generation <= newest {
            let position = newest - node.id.generation
            guard position < UInt64(found.newCount), history[Int(position)] == node.id else { continue }
            found = (Int(position), index)
        }
        return found
    }

    /// Adds a leaf with those of its ancestors that are new, newest first. The parent of the last one is in the tree,
    /// or none; the others' parents are not looked at.
    ///
    /// - Complexity: O(count), and O(leaves · log leaves) more where nodes of other lines move.
    private mutating func add(_ line: [Node]) {
        let join = Int(line[line.count - 1].parentIndex)
        guard !(join >= 0 && isLeaf(join)) else { return addOnTop(of: join, line) }
        // Where it joins a line that wins before it, or none, the other lines stay as they are.
        let place = placeOfLine(of: line[0])
        guard join < place else { return addInAnyOrder(line, at: join) }
        insert(line, at: place, parent: join)
    }

    /// Extends the line of a leaf.
    private mutating func addOnTop(of leaf: Int, _ line: [Node]) {
        let extendsWinner = leaf == 0 && (!line[0].isDeleted || nodes[0].isDeleted)
        guard extendsWinner else { return addInAnyOrder(line, at: leaf) }
        // A descendant of the winner that is no less alive wins in its place; all other lines stay as they are.
        insert(line, at: 0, parent: 0)
    }

    /// Where the first line begins that `leaf` wins before; the end where there is none.
    private func placeOfLine(of leaf: Node) -> Int {
        nodes.indices.first { isLeaf($0) && leaf.outranks(nodes[$0]) } ?? count
    }

    /// Puts a line of new nodes at `place`.
    ///
    /// - Parameter parent: that of its last node, as the nodes stand before; -1 for none.
    private mutating func insert(_ line: [Node], at place: Int, parent: Int) {
        let shift = Int32(truncatingIfNeeded: line.count)
        for index in nodes.indices where Int(nodes[index].parentIndex) >= place { nodes[index].parentIndex += shift }
        nodes.insert(contentsOf: line, at: place)
        for index in place..<(place + line.count) { nodes[index].parentIndex = Int32(truncatingIfNeeded: index + 1) }
        let end = parent >= place ? parent + line.count : parent
        nodes[place + line.count - 1].parentIndex = Int32(truncatingIfNeeded: end)
    }

    private mutating func addInAnyOrder(_ line: [Node], at parent: Int) {
        insert(line, at: count, parent: parent)
        if count > 1 { nodes = RevisionTree.ordered(nodes) }
    }
}
