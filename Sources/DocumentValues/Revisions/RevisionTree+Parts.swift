public import StorageProtocol

extension RevisionTree {
    /// One revision of a tree that is built from parts.
    public struct Part: Sendable {
        public var id: RevisionID
        /// The parent's index in the parts; nil for a root.
        public var parent: Int?
        public var isDeleted: Bool
        /// Whether the revision was stored with a body.
        public var hasBody: Bool
        /// Whether that body has attachments.
        public var hasAttachments: Bool
        /// The sequence under which the revision was stored; 0 if only its ID is known.
        public var sequence: UInt64
        /// See `Node.bodyChecksum`.
        public var bodyChecksum: UInt32?

        public init(
            id: RevisionID,
            parent: Int?,
            isDeleted: Bool = false,
            hasBody: Bool = false,
            hasAttachments: Bool = false,
            sequence: UInt64 = 0,
            bodyChecksum: UInt32? = nil
        ) {
            self.id = id
            self.parent = parent
            self.isDeleted = isDeleted
            self.hasBody = hasBody
            self.hasAttachments = hasAttachments
            self.sequence = sequence
            self.bodyChecksum = bodyChecksum
        }
    }

    /// Creates a tree from revisions that are already in canonical order, as in `nodes`.
    ///
    /// - Throws: `badRequest` (400) for no revision or too many, a parent that is not among them or not of the previous
    ///   generation, an ID that occurs twice, attachments without a body, another order.
    /// - Complexity: O(n + leaves · log leaves).
    public init(parts: [Part]) throws(StorageError) {
        let nodes = try RevisionTree.nodes(of: parts)
        guard RevisionTree.ordered(nodes) == nodes else {
            throw StorageError(.badRequest, "The revisions do not stand in the canonical order of a revision tree.")
        }
        self.init(ordered: nodes)
    }

    /// Creates a tree from revisions in any order.
    ///
    /// - Throws: As `init(parts:)`, except for the order.
    /// - Complexity: O(n + leaves · log leaves).
    package init(unordered parts: [Part]) throws(StorageError) {
        self.init(ordered: RevisionTree.ordered(try RevisionTree.nodes(of: parts)))
    }

    private static func nodes(of parts: [Part]) throws(StorageError) -> [Node] {
        if let fault = fault(in: parts) { throw StorageError(.badRequest, fault) }
        return parts.map { part in
            Node(
                id: part.id,
                sequence: part.sequence,
                parentIndex: part.parent ?? -1,
                flags: (part.isDeleted ? 1 : 0) | (part.hasBody ? 2 : 0) | (part.hasAttachments ? 4 : 0),
                bodyChecksum: part.hasBody ? part.bodyChecksum : nil
            )
        }
    }

    /// Returns the same tree with other sequences, one for each of `nodes`.
    ///
    /// - Throws: `badParameter` (495) for another number of them.
    public func replacingSequences(_ sequences: [UInt64]) throws(StorageError) -> RevisionTree {
        guard sequences.count == count else {
            throw StorageError(.badParameter, "\(count) revisions need as many sequences, not \(sequences.count).")
        }
        return RevisionTree(
            ordered: zip(nodes, sequences).map { node, sequence in
                Node(
                    id: node.id,
                    sequence: sequence,
                    parentIndex: Int(node.parentIndex),
                    flags: node.flagBits,
                    bodyChecksum: node.bodyChecksum
                )
            }
        )
    }

    private static func fault(in parts: [Part]) -> String? {
        guard 1...maximumCount ~= parts.count else {
            return "A revision tree has 1 to \(maximumCount) revisions, not \(parts.count)."
        }
        for part in parts {
            if part.hasAttachments && !part.hasBody { return "A revision without a body cannot have attachments." }
            guard let parent = part.parent else { continue }
            // Generations that descend towards the root rule out a cycle.
            guard parts.indices.contains(parent), parts[parent].id.generation == part.id.generation - 1 else {
                return "The parent of a revision is not among the revisions, or not of the generation before."
            }
        }
        return Set(parts.lazy.map(\.id)).count == parts.count ? nil : "A revision ID occurs twice in a revision tree."
    }
}
