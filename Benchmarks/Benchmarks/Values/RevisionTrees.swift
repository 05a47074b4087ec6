import Benchmark
import SetteeDocumentValues
import StorageProtocol

/// What a put does with the tree: decode, insert, prune, tell the winner, encode.
func addRevisionTreeBenchmarks() {
    for depth in [1, 20] {
        Benchmark("RevisionTree: add a revision to \(depth)") { benchmark in
            let (encoded, last) = try line(of: depth)
            let next = try revision(depth + 1)
            var bytes: [UInt8] = []
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                var tree = try unsafe RevisionTree(decoding: encoded.span.bytes)
                try tree.insert(
                    next,
                    parent: last,
                    deleted: false,
                    hasAttachments: false,
                    sequence: UInt64(depth + 1)
                )
                tree.prune(depth: 20)
                blackHole(tree.winner)
                bytes.removeAll(keepingCapacity: true)
                tree.encode(into: &bytes)
                blackHole(bytes)
            }
        }
        Benchmark("RevisionTree: decode \(depth)") { benchmark in
            let (encoded, _) = try line(of: depth)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { blackHole(try unsafe RevisionTree(decoding: encoded.span.bytes)) }
        }
    }
    Benchmark("RevisionTree: first revision, encoded") { benchmark in
        let first = try revision(1)
        var bytes: [UInt8] = []
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            var tree = RevisionTree()
            try tree.insert(first, parent: nil, deleted: false, hasAttachments: false, sequence: 1)
            bytes.removeAll(keepingCapacity: true)
            tree.encode(into: &bytes)
            blackHole(bytes)
        }
    }
}

private func revision(_ generation: Int) throws -> RevisionID {
    let mixed = UInt64(generation) &* 0x9E37_79B9_7F4A_7C15
    return try RevisionID(generation: UInt64(generation), digest: (high: mixed, low: ~mixed))
}

/// A tree of one line without branches, encoded, and its leaf.
private func line(of depth: Int) throws -> (encoded: [UInt8], leaf: RevisionID) {
    var tree = RevisionTree()
    var last: RevisionID?
    var leaf = try revision(1)
    for generation in 1...depth {
        leaf = try revision(generation)
        try tree.insert(
            leaf,
            parent: last,
            deleted: false,
            hasAttachments: false,
            sequence: UInt64(generation)
        )
        last = leaf
    }
    var bytes: [UInt8] = []
    tree.encode(into: &bytes)
    return (bytes, leaf)
}
