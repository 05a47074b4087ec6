internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite struct RevisionTreeTests {
    @Test func anEmptyTreeHasNoWinner() throws {
        var tree = RevisionTree()
        #expect(tree.isEmpty && tree.winner == nil && !tree.isDeleted && !tree.isConflicted && tree.leaves.isEmpty)
        #expect(tree.canExtendWithoutConflict(parent: nil))
        #expect(tree.documentFlags == [])
        #expect(tree.prune(depth: 1).isEmpty)
        #expect(try tree.removeLeaf(RevisionID("1-a")).isEmpty)
    }

    @Test func aLineOfRevisionsIsItsHistory() throws {
        let tree = try tree("1-a", "2-b < 1-a", "3-c < 2-b")
        #expect(tree.count == 3)
        #expect(tree.winner?.id.string == "3-c")
        #expect(tree.winner?.sequence == 3)
        #expect(try texts(tree.history(of: RevisionID("2-b"))) == ["2-b", "1-a"])
        #expect(try texts(tree.ancestors(of: RevisionID("3-c"))) == ["2-b", "1-a"])
        #expect(try texts(tree.children(of: RevisionID("2-b"))) == ["3-c"])
        #expect(try tree.history(of: RevisionID("2-x")).isEmpty)
        #expect(try tree.children(of: RevisionID("2-x")).isEmpty)
        #expect(texts(tree.leaves) == ["3-c"])
        #expect(try tree.index(of: RevisionID("3-c")) == 0)
        #expect(try tree[RevisionID("1-a")]?.parent == nil)
        #expect(!tree.isConflicted && !tree.isDeleted)
    }

    /// Live before deleted, then the higher generation, then the higher ID.
    @Test(arguments: [
        (["1-a", "2-b < 1-a", "2-c < 1-a"], ["2-c", "2-b"], true, false),
        (["1-a", "2-b < 1-a", "2-c < 1-a deleted"], ["2-b", "2-c"], false, false),
        (["1-a", "2-b < 1-a", "2-c < 1-a", "3-a < 2-b"], ["3-a", "2-c"], true, false),
        (["1-a", "2-b < 1-a", "3-a < 2-b deleted", "2-a < 1-a"], ["2-a", "3-a"], false, false),
        (["1-a", "2-b < 1-a deleted", "2-c < 1-a deleted"], ["2-c", "2-b"], false, true),
        (["1-a", "1-b"], ["1-b", "1-a"], true, false),
        (["1-a deleted", "2-b < 1-a"], ["2-b"], false, false),
        (["1-a", "2-A < 1-a", "2-a < 1-a", "2-B < 1-a"], ["2-a", "2-B", "2-A"], true, false),
        (["1-a", "2-b < 1-a", "2-c < 1-a", "3-d < 2-c deleted"], ["2-b", "3-d"], false, false),
        (["1-a", "2-b < 1-a", "2-c < 1-a", "3-d < 2-c deleted", "4-e < 3-d"], ["4-e", "2-b"], true, false),
    ])
    func leavesStandInTheOrderInWhichTheyWin(
        revisions: [String],
        leaves: [String],
        isConflicted: Bool,
        isDeleted: Bool
    ) throws {
        let tree = try tree(revisions)
        #expect(texts(tree.leaves) == leaves)
        #expect(tree.winner?.id.string == leaves.first)
        #expect(tree.isConflicted == isConflicted)
        #expect(tree.isDeleted == isDeleted)
        #expect(tree.documentFlags.contains(.conflicted) == isConflicted)
        #expect(tree.documentFlags.contains(.deleted) == isDeleted)
    }

    @Test func anInsertionIsCheckedAndLeavesTheTreeAsItWas() throws {
        var tree = try tree("1-a", "2-b < 1-a")
        let before = tree
        func insert(_ id: String, _ parent: String?) throws -> RevisionTree.Insertion {
            let parent = try parent.map { text in try RevisionID(text) }
            return try tree.insert(RevisionID(id), parent: parent, deleted: false, hasAttachments: true, sequence: 9)
        }
        expect(.notFound) { try insert("3-c", "2-x") }
        expect(.badRequest) { try insert("4-c", "2-b") }
        expect(.badRequest) { try insert("2-c", "2-b") }
        expect(.badRequest) { try insert("2-c", nil) }
        #expect(try insert("2-b", "1-a") == .known)
        #expect(tree == before)
        #expect(try insert("3-c", "2-b") == .inserted)
        #expect(tree.documentFlags == [.hasAttachments])
        #expect(try !tree.canExtendWithoutConflict(parent: RevisionID("2-b")))
        #expect(try tree.canExtendWithoutConflict(parent: RevisionID("3-c")))
        #expect(try !tree.canExtendWithoutConflict(parent: RevisionID("3-x")))
        #expect(!tree.canExtendWithoutConflict(parent: nil))
    }

    @Test func aHistoryAddsItsUnknownAncestorsWithoutBodies() throws {
        var tree = try tree("1-a", "2-b < 1-a")
        let history = try ["5-e", "4-d", "3-c", "2-b", "1-other"].map { text in try RevisionID(text) }
        #expect(try tree.insert(history: history, deleted: false, hasAttachments: false, sequence: 7) == .inserted)
        #expect(texts(tree.nodes) == ["5-e", "4-d", "3-c", "2-b", "1-a"])
        #expect(tree.nodes.map(\.sequence) == [7, 0, 0, 2, 1])
        #expect(tree.nodes.map(\.hasBody) == [true, false, false, true, true])

        let before = tree
        #expect(try tree.insert(history: history, deleted: true, hasAttachments: true, sequence: 8) == .known)
        // A revision known only by its ID stays that way.
        let middle = Array(history.dropFirst())
        #expect(try tree.insert(history: middle, deleted: true, hasAttachments: true, sequence: 8) == .known)
        #expect(tree == before)
    }

    @Test func aHistoryWithoutKnownAncestorIsALineOfItsOwn() throws {
        var tree = try tree("1-a")
        let history = try ["9-i", "8-h"].map { text in try RevisionID(text) }
        #expect(try tree.insert(history: history, deleted: false, hasAttachments: false, sequence: 2) == .inserted)
        #expect(texts(tree.leaves) == ["9-i", "1-a"])
        #expect(try tree[RevisionID("8-h")]?.parent == nil)
        // Alone in an empty tree, too.
        var fresh = RevisionTree()
        #expect(try fresh.insert(history: history, deleted: true, hasAttachments: false, sequence: 2) == .inserted)
        #expect(texts(fresh.nodes) == ["9-i", "8-h"])
        #expect(fresh.isDeleted)
    }

    @Test(arguments: [
        [], ["3-c", "1-a"], ["3-c", "3-b"], ["3-c", "4-b"], ["3-c", "2-x", "2-b"], ["3-c", "2-b", "2-b"],
    ])
    func aHistoryDescendsStepByStep(texts: [String]) throws {
        var tree = try tree("1-a", "2-b < 1-a")
        let before = tree
        let history = try texts.map { text in try RevisionID(text) }
        expect(.badRequest) {
            try tree.insert(history: history, deleted: false, hasAttachments: false, sequence: 7)
        }
        #expect(tree == before)
    }

    @Test func aTreeHasALimit() throws {
        let limit = UInt64(RevisionTree.maximumCount)
        let line = try (1...limit).reversed().map { number in try RevisionID(generation: number, digest: (0, number)) }
        var tree = RevisionTree()
        try tree.insert(history: line, deleted: false, hasAttachments: false, sequence: 1)
        #expect(tree.count == RevisionTree.maximumCount)
        let next = try RevisionID(generation: limit + 1, digest: (0, 0))
        expect(.tooLarge) {
            try tree.insert(next, parent: line.first, deleted: false, hasAttachments: false, sequence: 2)
        }
        expect(.tooLarge) {
            try tree.insert(history: [next] + line, deleted: false, hasAttachments: false, sequence: 2)
        }
        #expect(try tree.insert(history: line, deleted: false, hasAttachments: false, sequence: 3) == .known)
        #expect(tree.winner?.id == line.first)
        #expect(tree.prune(depth: 20).count == RevisionTree.maximumCount - 20)
        #expect(tree.nodes.map(\.id) == Array(line.prefix(20)))
    }

    @Test func theSameTreeIsTheSameHoweverItCameToBe() throws {
        let one = try tree("1-a 1", "2-b < 1-a 2", "2-c < 1-a 3", "3-d < 2-b 4")
        let other = try tree("1-a 1", "2-c < 1-a 3", "2-b < 1-a 2", "3-d < 2-b 4")
        #expect(one == other)
    }

    @Test func aBodyThatGoesTakesItsAttachmentsAlong() throws {
        var tree = RevisionTree()
        try tree.insert(RevisionID("1-a"), parent: nil, deleted: false, hasAttachments: true, sequence: 1)
        #expect(tree.documentFlags == [.hasAttachments])
        tree.setHasBody(false, at: 0)
        #expect(tree.nodes[0].hasBody == false && tree.documentFlags == [])
        tree.setHasBody(true, at: 0)
        #expect(tree.nodes[0].hasBody && tree.documentFlags == [])
    }

    private func tree(_ revisions: String...) throws -> RevisionTree { try tree(revisions) }

    /// A tree from lines "ID [< PARENT] [deleted] [SEQUENCE]"; without a sequence the line's number is it.
    private func tree(_ revisions: [String]) throws -> RevisionTree {
        var tree = RevisionTree()
        for (index, line) in revisions.enumerated() {
            let words = line.split(separator: " ").map(String.init)
            let parent = try words.firstIndex(of: "<").map { place in try RevisionID(words[place + 1]) }
            let outcome = try tree.insert(
                RevisionID(words[0]),
                parent: parent,
                deleted: words.contains("deleted"),
                hasAttachments: false,
                sequence: words.last.flatMap { UInt64($0) } ?? UInt64(index + 1)
            )
            try #require(outcome == .inserted)
        }
        return tree
    }

    private func texts(_ nodes: [RevisionTree.Node]) -> [String] { nodes.map(\.id.string) }

    private func expect(
        _ code: StorageError.Code,
        _ body: () throws -> RevisionTree.Insertion,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: sourceLocation) {
            _ = try body()
        } throws: { error in
            (error as? StorageError)?.code == code
        }
    }
}
