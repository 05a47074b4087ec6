package import StorageProtocol

/// Checks whether the chains of long keys are intact: each node is reached by exactly one continuation, every
/// continuation leads to a node, and every entry has a valid form.
///
/// Pass it all keys outside of nodes, then the entries of all nodes in their order. A child's number is above its
/// parent's, so every node comes after all continuations that lead to it. Memory: roughly 16 bytes for each
/// continuation whose node has not come yet.
package struct LongKeyChains {
    private let layout: LongKeyLayout
    /// All node numbers are below this one.
    private let nextNode: UInt64
    /// The nodes that continuations lead to and that have not come yet, and how many bytes of a key lead to each.
    private var awaited: [UInt64: Int] = [:]
    /// The node whose entries are being passed, and how many bytes of a key lead to it.
    private var present: (node: UInt64, length: Int)?
    /// Whether no node has more than one continuation leading to it. Otherwise a walk over all keys may not end in a
    /// reasonable time.
    package private(set) var isTree = true

    /// - Parameter nextNode: The counter of nodes.
    package init(_ layout: LongKeyLayout, nextNode: UInt64) {
        self.layout = layout
        self.nextNode = nextNode
    }

    /// Checks an entry outside of nodes.
    package mutating func takeRoot(
        _ key: RawSpan,
        _ value: RawSpan,
        in home: @autoclosure () -> String,
        _ report: (StorageProblem) -> Void
    ) {
        if key.byteCount > layout.cut { follow(key, value, in: home(), under: 0, layout.cut, report) }
    }

    /// Checks an entry of a node.
    package mutating func takeNode(
        _ key: RawSpan,
        _ value: RawSpan,
        in home: @autoclosure () -> String,
        _ report: (StorageProblem) -> Void
    ) {
        guard key.byteCount > LongKeyLayout.nodeLength else {
            return report(.chains("a key of \(home()) is too short"))
        }
        let node = unsafe UInt64(bigEndian: key.unsafeLoadUnaligned(as: UInt64.self))
        if node != present?.node { present = (node, begin(node, report)) }
        if key.byteCount > layout.cut, let present {
            follow(key, value, in: "node \(node)", under: node, present.length + layout.chunk, report)
        }
    }

    /// Reports the nodes that have not come.
    package func end(_ report: (StorageProblem) -> Void) {
        for node in awaited.keys.sorted() { report(.chains("node \(node) has no entries")) }
    }

    /// Begins a node at its first entry. Returns how many bytes of a key lead to it.
    private mutating func begin(_ node: UInt64, _ report: (StorageProblem) -> Void) -> Int {
        if node == 0 || node >= nextNode { report(.chains("node \(node) was never given out")) }
        guard let length = awaited.removeValue(forKey: node) else {
            report(.chains("no continuation leads to node \(node)"))
            return 0
        }
        return length
    }

    /// Checks a key that only a continuation can have.
    private mutating func follow(
        _ key: RawSpan,
        _ value: RawSpan,
        in home: @autoclosure () -> String,
        under parent: UInt64,
        _ length: Int,
        _ report: (StorageProblem) -> Void
    ) {
        guard (try? layout.isContinuation(key)) == true else {
            return report(.chains("a key in \(home()) has an impossible form"))
        }
        guard let node = try? LongKeyLayout.node(value, under: parent) else {
            return report(.chains("a continuation in \(home()) leads nowhere"))
        }
        if awaited.updateValue(length, forKey: node) != nil {
            isTree = false
            report(.chains("two continuations lead to node \(node)"))
        }
        if length > LongKeyLayout.maximumLength { report(.chains("a key in \(home()) has no end")) }
    }
}

extension StorageProblem {
    package static func chains(_ message: String) -> StorageProblem {
        StorageProblem(area: "long keys", message: "Of the chains of long keys: \(message)")
    }
}
