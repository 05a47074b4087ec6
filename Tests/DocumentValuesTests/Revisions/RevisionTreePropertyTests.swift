internal import SetteeDocumentValues
internal import StorageConformance
internal import Testing

@Suite struct RevisionTreePropertyTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func growsAsTheModelDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (tree, model) = try RevisionTreeModel.random(&random, size: 1 + random.below(120))
        try expect(tree, equals: model, "seed \(seed)")
    }

    /// Each leaf keeps exactly the newest `depth` revisions of its own line, though branches have unequal lengths.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func pruningKeepsTheNewestOfEachLine(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (tree, model) = try RevisionTreeModel.random(&random, size: 1 + random.below(120))
        for depth in [40, 12, 5, 2, 1] {
            let before = tree
            let lines = model.leaves.map { Array(model.line(of: $0).prefix(depth)) }
            let removed = tree.prune(depth: depth)
            model.prune(depth: depth)
            try expect(tree, equals: model, "seed \(seed), depth \(depth)")
            for line in lines {
                #expect(tree.history(of: line[0]).prefix(depth).map(\.id) == line, "seed \(seed), depth \(depth)")
            }
            #expect(tree.winner == nil || tree.winner?.id == before.winner?.id)
            let gone = Set(before.nodes.map(\.id)).subtracting(tree.nodes.map(\.id))
            #expect(Set(removed.map(\.id)) == gone && removed.count == gone.count, "seed \(seed), depth \(depth)")
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func removingLeavesRemovesWhatOnlyTheyNeed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (tree, model) = try RevisionTreeModel.random(&random, size: 1 + random.below(120))
        while !tree.isEmpty {
            let before = tree
            // Any revisions: those that are not leaves are passed over.
            let named = (0..<(1 + random.below(6))).compactMap { _ in tree.nodes.randomElement(using: &random)?.id }
            let removed = named.count == 1 ? tree.removeLeaf(named[0]) : tree.removeLeaves(named)
            model.remove(leaves: Set(named))
            try expect(tree, equals: model, "seed \(seed)")
            let gone = Set(before.nodes.map(\.id)).subtracting(tree.nodes.map(\.id))
            #expect(Set(removed.map(\.id)) == gone && removed.count == gone.count, "seed \(seed)")
        }
    }

    /// Many leaves on one long trunk: walking the line of each would take 900,000,000 steps.
    @Test(.timeLimit(.minutes(5)))
    func pruningABroadTreeIsNotQuadratic() throws {
        let height = 30_000
        var bytes: [UInt8] = [1]
        func append(varint value: Int) {
            var rest = value
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        func append(digest value: Int) {
            bytes.append(contentsOf: repeatElement(0, count: 12))
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        append(varint: 2 * height)
        for number in 0..<height {
            bytes.append(number == height - 1 ? 0x20 : 0)
            if number == 0 { append(varint: height) }
            append(digest: 2 * height - number)
        }
        // Leaves beside the first one, all joining its parent.
        for number in 0..<height {
            bytes.append(0x40)
            append(varint: height)
            append(digest: height - number)
            append(varint: 1)
        }
        var tree = try unsafe RevisionTree(decoding: bytes.span.bytes)
        #expect(tree.prune(depth: height / 2).count == height / 2)
        #expect(tree.leaves.count == height + 1)
        #expect(tree.removeLeaves(tree.leaves.dropFirst().map(\.id)).count == height)
        #expect(tree.count == height / 2)
    }

    private func expect(
        _ tree: RevisionTree,
        equals model: RevisionTreeModel,
        _ context: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let comment = Comment(rawValue: context)
        #expect(RevisionTreeModel(tree).entries == model.entries, comment, sourceLocation: sourceLocation)
        #expect(tree.leaves.map(\.id) == model.leaves, comment, sourceLocation: sourceLocation)
        #expect(tree.winner?.id == model.leaves.first, comment, sourceLocation: sourceLocation)
        let live = model.leaves.filter { model.entries[$0]?.deleted == false }
        #expect(tree.isConflicted == (live.count > 1), comment, sourceLocation: sourceLocation)
        #expect(tree.isDeleted == (live.isEmpty && !tree.isEmpty), comment, sourceLocation: sourceLocation)
        for leaf in model.leaves {
            #expect(tree.history(of: leaf).map(\.id) == model.line(of: leaf), comment, sourceLocation: sourceLocation)
        }
        if tree.isEmpty { return }
        // Canonical order is what a decoder accepts, and the bytes are the tree's.
        var bytes: [UInt8] = []
        tree.encode(into: &bytes)
        let decoded = try unsafe RevisionTree(decoding: bytes.span.bytes)
        #expect(decoded == tree, comment, sourceLocation: sourceLocation)
    }
}
