/// Collects paths, and lays them out for the walk.
struct PathTrieBuilder {
    private struct Branch {
        var path: Int32 = -1
        var members: [(token: JSONPointer.Token, branch: Int)] = []
    }

    private var branches = [Branch()]
    private(set) var count = 0

    /// Adds a path, and returns its number.
    mutating func add(_ path: JSONPointer) -> Int32 {
        var current = 0
        for token in path.tokens { current = step(from: current, token) }
        if branches[current].path < 0 {
            branches[current].path = Int32(clamping: count)
            count += 1
        }
        return branches[current].path
    }

    private mutating func step(from current: Int, _ token: JSONPointer.Token) -> Int {
        let names = branches[current].members
        // They are sorted, so that many paths take no longer than sorting them.
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            if PathTrieBuilder.isBefore(names[middle].token, token) { low = middle + 1 } else { high = middle }
        }
        if low < names.count, names[low].token == token { return names[low].branch }
        branches.append(Branch())
        branches[current].members.insert((token, branches.count - 1), at: low)
        return branches.count - 1
    }

    private static func isBefore(_ a: JSONPointer.Token, _ b: JSONPointer.Token) -> Bool {
        let order = JSONKeyOrder.compare(a.name, b.name)
        return order < 0
    }

    func build() -> (nodes: [PathTrie.Node], members: [PathTrie.Member], elements: [PathTrie.Element], names: [UInt8]) {
        var nodes: [PathTrie.Node] = []
        var members: [PathTrie.Member] = []
        var elements: [PathTrie.Element] = []
        var names: [UInt8] = []
        for branch in branches {
            var node = PathTrie.Node(path: branch.path)
            let firstMember = Int32(clamping: members.count)
            let firstElement = Int32(clamping: elements.count)
            for (token, next) in branch.members {
                let target = Int32(clamping: next)
                let name = token.source + [UInt8(ascii: "\"")]
                let start = Int32(clamping: names.count)
                names += name
                let mask = name.count >= 8 ? .max : ~(UInt64.max &>> UInt64(8 * name.count))
                let head = name.prefix(8).enumerated().reduce(0 as UInt64) { head, byte in
                    head | UInt64(byte.element) &<< UInt64(56 - 8 * byte.offset)
                }
                members.append(
                    .init(head: head, mask: mask, name: start..<Int32(clamping: names.count), node: target)
                )
                if !PathTrieBuilder.isOrdered(token.source) { node.isOrdered = false }
                if let index = token.index { elements.append(.init(index: index, node: target)) }
            }
            elements[Int(firstElement)...].sort { $0.index < $1.index }
            node.members = firstMember..<Int32(clamping: members.count)
            node.elements = firstElement..<Int32(clamping: elements.count)
            nodes.append(node)
        }
        return (nodes, members, elements, names)
    }

    /// Whether the bytes of a name, with a quote behind it, are ordered among others as the names are. Not with what
    /// sorts below a quote, with escapes, and with characters from U+E000, which sort behind those beyond U+FFFF.
    private static func isOrdered(_ source: [UInt8]) -> Bool {
        source.allSatisfy { $0 > UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0xEE && $0 != 0xEF }
    }
}
