internal import StorageProtocol

extension RevisionTree {
    /// Two secret numbers of this process, so that an attacker cannot construct IDs that collide.
    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// Whether an ID occurs twice. A standard set takes several times as long, and would slow down every read of a tree
    /// with many branches.
    ///
    /// - Complexity: O(count), in time and memory.
    static func hasRepeatedID(_ nodes: [Node]) -> Bool {
        let bits = Int.bitWidth - max(nodes.count, 1).leadingZeroBitCount + 1
        let mask = 1 << bits - 1
        let seeds = seeds
        // The index of a node by its ID, plus one. At most half of the table is in use.
        var table = [Int32](repeating: 0, count: mask + 1)
        for (index, node) in nodes.enumerated() {
            var place = Int(truncatingIfNeeded: hash(node.id, seeds)) & mask
            while table[place] != 0 {
                if nodes[Int(table[place]) - 1].id == node.id { return true }
                place = (place + 1) & mask
            }
            table[place] = Int32(truncatingIfNeeded: index + 1)
        }
        return false
    }

    private static func hash(_ id: RevisionID, _ seeds: (UInt64, UInt64)) -> UInt64 {
        if id.opaque != nil { return UInt64(bitPattern: Int64(id.hashValue)) }
        let product = (id.high ^ seeds.0).multipliedFullWidth(by: id.low ^ seeds.1)
        let mixed = product.high ^ product.low ^ id.generation
        let last = (mixed ^ seeds.1).multipliedFullWidth(by: seeds.0 | 1)
        return last.high ^ last.low
    }
}
