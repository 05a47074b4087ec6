public import StorageProtocol

extension RevisionTree {
    /// The result of inserting a revision.
    public enum Insertion: Sendable, Equatable {
        /// The revision has been added as a leaf.
        case inserted
        /// The revision was already in the tree; nothing changed.
        case known
    }

    /// Adds a new revision with a body as a leaf.
    ///
    /// The caller decides whether a conflict may arise, with `canExtendWithoutConflict(parent:)`.
    ///
    /// - Parameters:
    ///   - parent: The revision that it follows; nil for a first revision (an additional root if the tree already has
    ///     one).
    ///   - sequence: The sequence under which it is stored.
    ///   - bodyChecksum: The checksum of its body, for checks; nil if it is not known.
    /// - Throws: `StorageError` with `notFound` (404) for an unknown parent, `badRequest` (400) if the generation is
    ///   not the parent's plus one (1 without a parent), `tooLarge` (413) beyond `maximumCount` revisions. The tree is
    ///   then unchanged.
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

    /// Adds a revision that came with its history, as a leaf with a body. Unknown ancestors are added without a body
    /// and with sequence 0, up to the first known one. If none is known, the history becomes a line of its own.
    /// Whatever follows the first known ancestor is ignored. A revision that is already known, even if only by its ID,
    /// stays unchanged.
    ///
    /// - Parameters:
    ///   - history: The revision and its ancestors, newest first. The generations descend by one at each step, as
    ///     CouchDB's `_revisions` imply: cut a history at its first gap.
    ///   - bodyChecksum: The checksum of its body, for checks; nil if it is not known.
    /// - Throws: `StorageError` with `badRequest` (400) for an empty history or another step, `tooLarge` (413) beyond
    ///   `maximumCount` revisions. The tree is then unchanged.
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

    /// Returns the revision that a history belongs to.
    ///
    /// - Throws: `badRequest` (400) for an empty history, or one whose generations do not descend by one at each step.
    public static func newest(of history: [RevisionID]) throws(StorageError) -> RevisionID {
        guard let id = history.first else { throw StorageError(.badRequest, "A revision's history must not be empty.") }
        for (newer, older) in zip(history, history.dropFirst()) where newer.generation != older.generation + 1 {
            throw StorageError(.badRequest, "The generations of a revision's history must descend by one at each step.")
        }
        return id
    }

    /// Returns the nodes of a tree that consists of one revision with its history. They are already in canonical order.
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

    /// Returns how many of the newest revisions of `history` are unknown, and the index of the first known one.
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

    /// Adds a leaf with its new ancestors, newest first. The last one's parent is in the tree, or it has none; the
    /// parents of the others are ignored.
    ///
    /// - Complexity: O(count), plus O(leaves · log leaves) if nodes of other lines move.
    private mutating func add(_ line: [Node]) {
        let join = Int(line[line.count - 1].parentIndex)
        guard !(join >= 0 && isLeaf(join)) else { return addOnTop(of: join, line) }
        // If it joins no line, or one that wins before it, the other lines stay unchanged.
        let place = placeOfLine(of: line[0])
        guard join < place else { return addInAnyOrder(line, at: join) }
        insert(line, at: place, parent: join)
    }

    /// Extends the line of a leaf.
    private mutating func addOnTop(of leaf: Int, _ line: [Node]) {
        let extendsWinner = leaf == 0 && (!line[0].isDeleted || nodes[0].isDeleted)
        guard extendsWinner else { return addInAnyOrder(line, at: leaf) }
        // A descendant of the winner that is no less alive replaces it as the winner. All other lines stay unchanged.
        insert(line, at: 0, parent: 0)
    }

    /// Returns where the first line begins that loses against `leaf`, or the end if there is none.
    private func placeOfLine(of leaf: Node) -> Int {
        nodes.indices.first { isLeaf($0) && leaf.outranks(nodes[$0]) } ?? count
    }

    /// Inserts a line of new nodes at `place`.
    ///
    /// - Parameter parent: The parent of its last node, as an index before the insertion; -1 for none.
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
