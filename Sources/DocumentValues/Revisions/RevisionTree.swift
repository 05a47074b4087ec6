public import StorageProtocol

/// A document's revisions: which follows which, under which sequence each was stored, and what is kept of them.
///
/// A tree is a forest: pruning and foreign histories leave several roots. A child's generation is always its parent's
/// plus one, and no ID occurs twice. The winner is the first of `nodes`. The order of `nodes` is described in
/// `docs/reference/encodings.md`: line after line, each from its leaf towards its root, the leaves in the order in
/// which they win. The same tree therefore always has the same nodes in the same order, and the same bytes, however it
/// was built.
///
/// Indexes into `nodes` are valid until the next mutation.
public struct RevisionTree: Sendable, Equatable {
    /// The maximum number of revisions in a tree.
    public static let maximumCount = 65_536

    /// All revisions, the winner first.
    public internal(set) var nodes: [Node]

    /// Creates a tree without revisions, to insert into. An empty tree is never stored.
    public init() {
        nodes = []
    }

    /// For nodes that are already in canonical order.
    init(ordered nodes: [Node]) {
        self.nodes = nodes
    }

    public var isEmpty: Bool { nodes.isEmpty }
    public var count: Int { nodes.count }

    /// The revision that is read by default: live leaves before deleted ones, then the higher generation, then the
    /// higher ID. Nil in an empty tree.
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

    /// The flags of the tree for the document's record.
    public var documentFlags: DocumentFlags {
        var flags: DocumentFlags = []
        if isDeleted { flags.insert(.deleted) }
        if isConflicted { flags.insert(.conflicted) }
        if nodes.contains(where: \.hasAttachments) { flags.insert(.hasAttachments) }
        return flags
    }

    /// Returns the index of a revision in `nodes`, or nil if it is unknown.
    ///
    /// - Complexity: O(count).
    public func index(of id: RevisionID) -> Int? {
        nodes.firstIndex { $0.id == id }
    }

    /// The revision `id`, nil if it is unknown.
    public subscript(id: RevisionID) -> Node? {
        index(of: id).map { nodes[$0] }
    }

    /// Whether no revision follows the one at `index`.
    ///
    /// - Complexity: O(1).
    public func isLeaf(_ index: Int) -> Bool {
        // In canonical order every node except a leaf comes right after one of its children.
        index == 0 || nodes[index - 1].parentIndex != index
    }

    /// The leaves in the order in which they win, tombstones included.
    public var leaves: [Node] {
        nodes.indices.filter(isLeaf).map { nodes[$0] }
    }

    /// Returns the indexes of the leaves that descend from the revision at `index`, itself if it is one, in the order
    /// in which they win.
    ///
    /// - Complexity: O(count).
    package func leaves(following index: Int) -> [Int] {
        var follows = [Bool](repeating: false, count: count)
        var lineStart = 0
        while lineStart < count {
            var last = lineStart
            while nodes[last].parentIndex == last + 1 { last += 1 }
            // Towards the leaf: the parent of each is the one before, or in an earlier line.
            for step in (lineStart...last).reversed() {
                follows[step] = step == index || nodes[step].parent.map { follows[$0] } ?? false
            }
            lineStart = last + 1
        }
        return nodes.indices.filter { follows[$0] && isLeaf($0) }
    }

    /// Returns the revision `id` and its ancestors, newest first; empty if it is unknown.
    public func history(of id: RevisionID) -> [Node] {
        var line: [Node] = []
        var next = index(of: id)
        while let index = next {
            line.append(nodes[index])
            next = nodes[index].parent
        }
        return line
    }

    /// Returns the ancestors of the revision `id`, newest first, without itself.
    public func ancestors(of id: RevisionID) -> [Node] {
        Array(history(of: id).dropFirst())
    }

    /// Returns the revisions that directly follow `id`, in the order of `nodes`.
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

    /// Sets whether the body of the revision at `index` is kept. A revision without a body has no attachments either.
    public mutating func setHasBody(_ hasBody: Bool, at index: Int) {
        nodes[index].hasBody = hasBody
        if !hasBody {
            nodes[index].hasAttachments = false
            nodes[index].bodyChecksum = nil
        }
    }
}
