public import StorageProtocol

extension RevisionTree {
    /// Decodes the binary form of a tree.
    ///
    /// - Throws: `StorageError` with `corrupt` (591) for any bytes that `encode(into:)` does not write for a tree with
    ///   at least one revision.
    /// - Complexity: O(bytes), in time and memory.
    public init(decoding bytes: RawSpan) throws(StorageError) {
        guard let nodes = RevisionTree.decode(bytes) else {
            throw .corrupt("A stored revision tree is damaged")
        }
        self.init(ordered: nodes)
    }

    private static func decode(_ bytes: RawSpan) -> [Node]? {
        guard bytes.byteCount > 1, unsafe bytes.unsafeLoad(as: UInt8.self) == formatVersion else { return nil }
        var offset = 1
        // The shortest node has three bytes.
        guard let number = RevisionVarint.read(bytes, &offset), 1...UInt64(maximumCount) ~= number,
            number <= UInt64((bytes.byteCount - offset) / 3)
        else { return nil }
        let count = Int(number)

        var nodes: [Node] = []
        nodes.reserveCapacity(count + 1)  // Room for the child that mostly follows.
        var lineStart = 0
        var line = Line()
        for index in 0..<count {
            guard let node = line.node(at: index, of: count, bytes, &offset) else { return nil }
            if index == lineStart && index > 0 {
                guard nodes[line.previousLeaf].outranks(node) else { return nil }
                line.previousLeaf = index
            }
            if node.parentIndex > index {
                nodes.append(node)
                continue
            }
            if let parent = node.parent {
                guard parent < lineStart, nodes[parent].id.generation == node.id.generation - 1,
                    parent > 0, nodes[parent - 1].parentIndex == parent
                else { return nil }
            }
            nodes.append(node)
            lineStart = index + 1
            line.begin()
        }
        guard offset == bytes.byteCount else { return nil }
        // Within a line the revisions have different generations.
        let hasOneLine = line.previousLeaf == 0
        guard hasOneLine || !hasRepeatedID(nodes) else { return nil }
        return nodes
    }

    /// State shared by the nodes of a line while they are read.
    private struct Line {
        /// The generation of the previous node; 0 at the start of a line.
        var generation: UInt64 = 0
        var previousSequence: UInt64 = 0
        /// Where the previous line began.
        var previousLeaf = 0

        mutating func begin() {
            generation = 0
            previousSequence = 0
        }

        /// Reads a node. Its parent is known to be the next node, none, or before `index`.
        mutating func node(at index: Int, of count: Int, _ bytes: RawSpan, _ offset: inout Int) -> Node? {
            guard offset < bytes.byteCount else { return nil }
            let head = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            guard head & NodeBits.body != 0 || head & (NodeBits.attachments | NodeBits.checksum) == 0 else {
                return nil
            }
            guard let id = revisionID(isOpaque: head & NodeBits.opaque != 0, bytes, &offset) else { return nil }

            var sequence: UInt64 = 0
            if head & NodeBits.sequence != 0 {
                guard let step = RevisionVarint.read(bytes, &offset) else { return nil }
                sequence = previousSequence == 0 ? step : previousSequence &- step
                guard sequence != 0 else { return nil }
                previousSequence = sequence
            }

            var parent = index + 1
            switch head & (NodeBits.isRoot | NodeBits.parentIsEarlier) {
            case 0:
                guard parent < count else { return nil }
            case NodeBits.isRoot:
                parent = -1
            case NodeBits.parentIsEarlier:
                guard let earlier = RevisionVarint.read(bytes, &offset), earlier < UInt64(index) else { return nil }
                parent = Int(earlier)
            default:
                return nil
            }
            var checksum: UInt32?
            if head & NodeBits.checksum != 0 {
                guard bytes.byteCount - offset >= 4 else { return nil }
                checksum = UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
                offset += 4
            }
            return Node(
                id: id,
                sequence: sequence,
                parentIndex: parent,
                flags: head & NodeBits.flags,
                bodyChecksum: checksum
            )
        }

        private mutating func revisionID(isOpaque: Bool, _ bytes: RawSpan, _ offset: inout Int) -> RevisionID? {
            if generation == 0 {
                guard let first = RevisionVarint.read(bytes, &offset), 1...RevisionID.maximumGeneration ~= first else {
                    return nil
                }
                generation = first
            } else {
                generation -= 1
                guard generation > 0 else { return nil }
            }
            if isOpaque { return opaqueID(bytes, &offset) }
            guard bytes.byteCount - offset >= 16 else { return nil }
            let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            offset += 16
            return RevisionID(
                uncheckedGeneration: generation,
                high: UInt64(bigEndian: high),
                low: UInt64(bigEndian: low)
            )
        }

        private func opaqueID(_ bytes: RawSpan, _ offset: inout Int) -> RevisionID? {
            let longest = RevisionID.maximumLength - 1 - RevisionID.digitCount(generation)
            guard let number = RevisionVarint.read(bytes, &offset), number <= UInt64(longest),
                Int(number) <= bytes.byteCount - offset
            else { return nil }
            let suffix = bytes.extracting(offset..<(offset + Int(number)))
            offset += Int(number)
            guard RevisionID.digest(of: suffix) == nil, let opaque = RevisionID.opaqueSuffix(suffix) else { return nil }
            return RevisionID(uncheckedGeneration: generation, high: 0, low: 0, opaque: opaque)
        }
    }
}
