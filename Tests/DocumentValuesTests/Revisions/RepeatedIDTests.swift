internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct RepeatedIDTests {
    /// In a tree of any size, and wherever the two are.
    @Test func aDigestThatOccursTwiceIsNoticed() throws {
        for count in [2, 3, 15, 16, 17, 255, 256, 1000] {
            let ids = (0..<UInt64(count)).map { RevisionID(uncheckedGeneration: 1, high: $0 / 3, low: $0 % 3) }
            let nodes = ids.reversed().map { RevisionTree.Node(id: $0, sequence: 0, parentIndex: -1, flags: 0) }
            #expect(!RevisionTree.hasRepeatedID(nodes), "\(count)")
            for place in [0, count / 2, count - 1] {
                #expect(RevisionTree.hasRepeatedID(nodes + [nodes[place]]), "\(count)")
                // Generations and opaque suffixes distinguish revisions.
                let other = RevisionID(uncheckedGeneration: 2, high: ids[place].high, low: ids[place].low)
                let opaque = RevisionID(uncheckedGeneration: 1, high: 0, low: 0, opaque: [UInt8(ascii: "x")])
                let more = [other, opaque].map { RevisionTree.Node(id: $0, sequence: 0, parentIndex: -1, flags: 0) }
                #expect(!RevisionTree.hasRepeatedID(nodes + more), "\(count)")
                #expect(RevisionTree.hasRepeatedID(nodes + more + [more[1]]), "\(count)")
            }
        }
    }
}
