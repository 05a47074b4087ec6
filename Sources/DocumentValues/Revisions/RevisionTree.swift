public import StorageProtocol

/// A document's revisions: which follows which, in which sequence each was stored, and what is kept of them.
///
/// A tree is a forest: pruning and foreign histories leave several roots. A child's generation is always its parent's
/// plus one, and no ID occurs twice. The winner is the first of `nodes`, which stand in the order of
/// `docs/reference/encodings.md`: line after line, each from its leaf towards its root, the leaves in the order in
/// which they win. The same tree therefore has the same nodes in the same order, and the same bytes, however it came to
/// be.
///
/// Indexes into `nodes` are valid until the next mutation.
public struct RevisionTree: Sendable, Equatable {
    /// The most revisions a tree holds.
    public static let maximumCount = 65_536

    /// All revisions, the winner first.
    public internal(set) var nodes: [Node]

    /// A tree without revisions, to be inserted into. It is never stored.
    public init() {
        nodes = []
    }

    /// For nodes that stand in canonical order already.
    init(ordered nodes: [Node]) {
        self.nodes = nodes
    }

    public var isEmpty: Bool { nodes.isEmpty }
    public var count: Int { nodes.count }

    /// The revision that a reader gets who names none: live leaves before deleted ones, then the higher generation,
    /// then the higher ID. Nil in an empty tree.
    ///
    /// - Complexity: O(1).
    public var winner: Node? { nodes.first }

    /// Whether the winner is a tombstone: no leaf is live.
    public var isDeleted: Bool { nodes.first?.isDeleted ?? false }

    /// Whether two or more leaves are live.
    ///
    /// - Complexity: O(length of the winner's line).
    public var isConflicted: Bool {
        guard let second = nodes.indices.dropFirst().first(where: isLeaf) else { return false }
        return !nodes[second].isDeleted
    }

    /// What a document's record says of its tree.
    public var documentFlags: DocumentFlags {
        var flags: DocumentFlags = []
        if isDeleted { flags.insert(.deleted) }
        if isConflicted { flags.insert(.conflicted) }
        if nodes.contains(where: \.hasAttachments) { flags.insert(.hasAttachments) }
        return flags
    }

    /// Where the revision is in `nodes`, nil where it is unknown.
    ///
    /// - Complexity: O(count).
    public func index(of id: RevisionID) -> Int? {
        nodes.firstIndex { $0.id == id }
    }

    /// The revision `id`, nil where it is unknown.
    public subscript(id: RevisionID) -> Node? {
        index(of: id).map { nodes[$0] }
    }

    /// Whether nothing follows the revision at `index`.
    ///
    /// - Complexity: O(1).
    public func isLeaf(_ index: Int) -> Bool {
        // In canonical order every node but a leaf stands right behind a child of its own.
        index == 0 || nodes[index - 1].parentIndex != index
    }

    /// The leaves in the order in which they win, tombstones included.
    public var leaves: [Node] {
        nodes.indices.filter(isLeaf).map { nodes[$0] }
    }

    /// The revision `id` and its ancestors, newest first; empty where it is unknown.
    public func history(of id: RevisionID) -> [Node] {
        var line: [Node] = []
        var next = index(of: id)
        while let index = next {
            line.append(nodes[index])
            next = nodes[index].parent
        }
        return line
    }

    /// The ancestors of the revision `id`, newest first, without itself.
    public func ancestors(of id: RevisionID) -> [Node] {
        Array(history(of: id).dropFirst())
    }

    /// The revisions that follow directly on `id`, in the order of `nodes`.
    public func children(of id: RevisionID) -> [Node] {
        guard let index = index(of: id) else { return [] }
        return nodes.filter { $0.parentIndex == index }
    }

    /// Whether a child of `parent` (nil: a new root) adds no further leaf: the parent is a leaf, or the tree is empty.
    /// False for an unknown parent.
    public func canExtendWithoutConflict(parent: RevisionID?) -> Bool {
        guard let parent else { return isEmpty }
        return index(of: parent).map(isLeaf) ?? false
    }

    /// Says whether the body of the revision at `index` is kept. A revision without body has no attachments either.
    public mutating func setHasBody(_ hasBody: Bool, at index: Int) {
        nodes[index].hasBody = hasBody
        if !hasBody {
            nodes[index].hasAttachments = false
            nodes[index].bodyChecksum = nil
        }
    }
}
