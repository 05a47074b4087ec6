import FuzzDriver
import SetteeDocumentValues
import StorageProtocol

/// Reads a tree; what is accepted must have just these bytes, agree with answers that are found the long way, and stay
/// a sound tree through every change. A hash of the bytes chooses the revisions that change.
private func fuzzTree(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let tree = try? RevisionTree(decoding: bytes.span.bytes) else { return 0 }
    precondition(encoded(tree) == bytes, "other bytes are written than were read")
    checkAnswers(of: tree)

    var choice = bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    func choose(below limit: Int) -> Int {
        choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: (choice >> 33) % UInt64(limit))
    }
    checkPruning(of: tree, depth: choose(below: 6))
    let chosen = tree.nodes[choose(below: tree.count)]
    checkInsertion(behind: chosen, into: tree, number: choose(below: 1000), isDeleted: choose(below: 2) == 0)
    checkHistory(behind: chosen, into: tree, length: 1 + choose(below: 4))
    checkRemoval(from: tree) { _ in choose(below: 3) == 0 }

    var bare = tree
    for index in bare.nodes.indices { bare.setHasBody(false, at: index) }
    checkSound(bare)
    precondition(bare.nodes.map(\.id) == tree.nodes.map(\.id), "the order depends on bodies")
    return 0
}

private func encoded(_ tree: RevisionTree) -> [UInt8] {
    var bytes: [UInt8] = []
    tree.encode(into: &bytes)
    return bytes
}

/// The tree survives its own encoding, and what is said of it is right.
private func checkSound(_ tree: RevisionTree) {
    if tree.isEmpty { return }
    guard let again = try? RevisionTree(decoding: encoded(tree).span.bytes) else {
        fatalError("what was written cannot be read")
    }
    precondition(again == tree, "another tree is read than was written")
    checkAnswers(of: tree)
}

private func checkAnswers(of tree: RevisionTree) {
    let nodes = tree.nodes
    let parents = Set(nodes.compactMap(\.parent))
    let leaves = nodes.indices.filter { !parents.contains($0) }.map { nodes[$0] }
    let ranked = leaves.sorted { $0.isDeleted == $1.isDeleted ? $1.id < $0.id : !$0.isDeleted }
    precondition(tree.leaves == ranked, "other leaves")
    precondition(tree.winner == ranked.first, "another winner")
    precondition(tree.isDeleted == leaves.allSatisfy(\.isDeleted), "another state")
    precondition(tree.isConflicted == (leaves.count { !$0.isDeleted } > 1), "another conflict")
    precondition(Set(nodes.map(\.id)).count == nodes.count, "a revision stands twice")
    for node in nodes {
        precondition(node.hasBody || !node.hasAttachments, "attachments without a body")
        guard let parent = node.parent else { continue }
        precondition(nodes.indices.contains(parent) && parents.contains(parent), "a parent that is none")
        precondition(nodes[parent].id.generation + 1 == node.id.generation, "a step of another size")
    }
    for leaf in ranked.prefix(8) {
        let line = tree.history(of: leaf.id)
        precondition(line.first == leaf && line.last?.parent == nil, "a history with other ends")
        precondition(tree.ancestors(of: leaf.id) == Array(line.dropFirst()), "other ancestors")
        precondition(tree.children(of: leaf.id).isEmpty, "a leaf with children")
        precondition(tree.canExtendWithoutConflict(parent: leaf.id), "a leaf cannot grow")
    }
}

/// Just the `depth` newest of each leaf's line stay.
private func checkPruning(of tree: RevisionTree, depth: Int) {
    var kept: Set<RevisionID> = []
    for leaf in tree.leaves { kept.formUnion(tree.history(of: leaf.id).prefix(max(1, depth)).map(\.id)) }
    var pruned = tree
    let removed = pruned.prune(depth: depth)
    precondition(Set(pruned.nodes.map(\.id)) == kept, "pruning keeps others")
    precondition(Set(removed.map(\.id)).isDisjoint(with: kept) && removed.count + pruned.count == tree.count)
    precondition(pruned.leaves.map(\.id) == tree.leaves.map(\.id), "pruning makes other leaves")
    checkSound(pruned)
}

private func checkInsertion(behind parent: RevisionTree.Node, into tree: RevisionTree, number: Int, isDeleted: Bool) {
    var grown = tree
    guard let id = try? RevisionID("\(parent.id.generation + 1)-fuzz\(number)") else {
        // Only the highest generation has no successor.
        precondition(parent.id.generation == RevisionID.maximumGeneration)
        return
    }
    let wasKnown = tree[id] != nil
    let sequence = UInt64(number) + 1
    guard
        let outcome = try? grown.insert(
            id,
            parent: parent.id,
            deleted: isDeleted,
            hasAttachments: number % 2 == 0,
            sequence: sequence
        )
    else { fatalError("a child is refused") }
    precondition(outcome == (wasKnown ? .known : .inserted))
    if wasKnown {
        precondition(grown == tree, "a known revision changes the tree")
        return
    }
    precondition(grown.history(of: id).dropFirst().map(\.id) == tree.history(of: parent.id).map(\.id), "another line")
    precondition(grown.leaves.contains { $0.id == id && $0.hasBody && $0.sequence == sequence }, "no leaf")
    checkSound(grown)

    // The leaf's removal takes itself, and an ancestor only if it was a leaf.
    if !tree.leaves.contains(where: { $0.id == parent.id }) {
        precondition(grown.removeLeaf(id).map(\.id) == [id], "another removal")
        precondition(grown == tree, "insertion and removal are not each other's reverse")
    }
}

private func checkHistory(behind ancestor: RevisionTree.Node, into tree: RevisionTree, length: Int) {
    var history: [RevisionID] = [ancestor.id]
    for step in 1...length {
        guard let id = try? RevisionID("\(ancestor.id.generation + UInt64(step))-line") else { return }
        history.insert(id, at: 0)
    }
    var grown = tree
    let known = history.firstIndex { tree[$0] != nil } ?? history.count
    guard
        let outcome = try? grown.insert(history: history, deleted: false, hasAttachments: false, sequence: 7)
    else { fatalError("a history is refused") }
    precondition(outcome == (known == 0 ? .known : .inserted))
    precondition(grown.count == tree.count + known, "another number of revisions")
    checkSound(grown)
    var short = tree
    precondition((try? short.insert(history: [], deleted: false, hasAttachments: false, sequence: 7)) == nil)
    precondition(short == tree, "a refusal changes the tree")
}

private func checkRemoval(from tree: RevisionTree, where isDoomed: (RevisionTree.Node) -> Bool) {
    let leaves = tree.leaves
    let doomed = leaves.filter(isDoomed).map(\.id)
    var kept: Set<RevisionID> = []
    for leaf in leaves where !doomed.contains(leaf.id) { kept.formUnion(tree.history(of: leaf.id).map(\.id)) }
    var rest = tree
    let removed = rest.removeLeaves(doomed)
    precondition(Set(rest.nodes.map(\.id)) == kept, "removal keeps others")
    precondition(removed.count + rest.count == tree.count)
    checkSound(rest)
}

@main
enum FuzzTree {
    static func main() {
        fuzz { fuzzTree($0, $1) }
    }
}
