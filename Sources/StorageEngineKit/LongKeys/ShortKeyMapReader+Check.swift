public import StorageProtocol

extension ShortKeyMapReader {
    /// Runs `OrderedMapReader.check` after a check of the chains of long keys.
    public func check(_ report: (StorageProblem) -> Void) throws(StorageError) {
        var isWhole = true
        try checkLongKeys { problem in
            isWhole = false
            report(problem)
        }
        do throws(StorageError) {
            try checkContent(report)
        } catch {
            // If chains are damaged, so is what is read through them.
            guard error.code == .corrupt, !isWhole else { throw error }
        }
    }

    /// For engines that check their content themselves: reports damage to the chains of long keys.
    ///
    /// - Complexity: One pass over the map. Memory: roughly 16 bytes for each long key whose chain begins in the part
    ///   that was read.
    public func checkLongKeys(_ report: (StorageProblem) -> Void) throws(StorageError) {
        let space = ShortKeySpace(longestKey: longestKey)
        var next = UInt64.max
        do throws(StorageError) {
            next = try nextNode()
        } catch {
            guard error.code == .corrupt else { throw error }
            report(.chains("the counter of nodes is damaged"))
        }
        var chains = LongKeyChains(space.layout, nextNode: next)
        try visit(ShortKeySpace.keys) { (key, value) in
            unsafe chains.takeRoot(key.span.bytes, value.span.bytes, in: "the map", report)
        }
        try visit(ShortKeySpace.nodes) { (key, value) in
            unsafe chains.takeNode(key.span.bytes, value.span.bytes, in: "the nodes", report)
        }
        chains.end(report)
    }

    /// Passes all keys that begin with `prefix`, without the prefix.
    private func visit(
        _ prefix: [UInt8],
        _ visit: (_ key: ArraySlice<UInt8>, _ value: [UInt8]) -> Void
    ) throws(StorageError) {
        let walk = ShortKeyWalk(ShortKeySpace(longestKey: longestKey), descending: false)
        var last: [UInt8]?
        try storedValues(in: .beginning(with: prefix), descending: false) { (key, value) throws(StorageError) in
            try walk.check(key, behind: prefix, after: last)
            last = key
            visit(key.dropFirst(prefix.count), value)
            return true
        }
    }
}
