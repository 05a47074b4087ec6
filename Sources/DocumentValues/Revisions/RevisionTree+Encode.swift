internal import StorageProtocol

extension RevisionTree {
    /// The version of the binary form, which is its first byte.
    static let formatVersion: UInt8 = 1

    /// The bits of a node's first byte in the binary form. Bits 0 to 2 are the node's own flags.
    enum NodeBits {
        static let flags: UInt8 = 0x07
        static let body: UInt8 = 0x02
        /// Never without `body`.
        static let attachments: UInt8 = 0x04
        /// The suffix is opaque: its length and bytes follow, instead of 16 bytes.
        static let opaque: UInt8 = 0x08
        /// A sequence follows; otherwise it is 0.
        static let sequence: UInt8 = 0x10
        /// There is no parent. With neither this nor `parentIsEarlier`, the next node is the parent.
        static let isRoot: UInt8 = 0x20
        /// The parent is a node of an earlier line; its index follows.
        static let parentIsEarlier: UInt8 = 0x40
        /// The body's checksum follows. Never without `body`.
        static let checksum: UInt8 = 0x80
    }

    /// Appends the binary form, which is described in `docs/reference/encodings.md`. The same tree always has the same
    /// bytes.
    ///
    /// - Complexity: O(count).
    public func encode(into bytes: inout [UInt8]) {
        // Head byte, generation, suffix or its length, sequence, parent and checksum fit 44 bytes.
        var bound = 16 + 44 * count
        for node in nodes { if let opaque = node.id.opaque { bound += opaque.count } }
        unsafe withUnsafeTemporaryAllocation(byteCount: bound, alignment: 8) { buffer in
            let length = unsafe write(to: buffer)
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        }
    }

    /// Writes the binary form to a buffer that is long enough, and returns its length.
    private func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe buffer[0] = RevisionTree.formatVersion
        var offset = 1
        unsafe RevisionVarint.write(UInt64(count), to: buffer, &offset)
        var previousSequence: UInt64 = 0
        var isStart = true
        for (index, node) in nodes.enumerated() {
            let goesOn = node.parentIndex == index + 1
            var head = node.flagBits
            if node.id.opaque != nil { head |= NodeBits.opaque }
            if node.sequence != 0 { head |= NodeBits.sequence }
            if !goesOn { head |= node.parentIndex < 0 ? NodeBits.isRoot : NodeBits.parentIsEarlier }
            if node.bodyChecksum != nil { head |= NodeBits.checksum }
            unsafe buffer[offset] = head
            offset += 1

            if isStart {
                unsafe RevisionVarint.write(node.id.generation, to: buffer, &offset)
                previousSequence = 0
            }
            if let opaque = node.id.opaque {
                unsafe RevisionVarint.write(UInt64(opaque.count), to: buffer, &offset)
                for byte in opaque {
                    unsafe buffer[offset] = byte
                    offset += 1
                }
            } else {
                unsafe buffer.storeBytes(of: node.id.high.bigEndian, toByteOffset: offset, as: UInt64.self)
                unsafe buffer.storeBytes(of: node.id.low.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
                offset += 16
            }
            if node.sequence != 0 {
                // Older revisions have lower sequences: the difference is the shorter number.
                let step = previousSequence == 0 ? node.sequence : previousSequence &- node.sequence
                unsafe RevisionVarint.write(step, to: buffer, &offset)
                previousSequence = node.sequence
            }
            if !goesOn && node.parentIndex >= 0 {
                unsafe RevisionVarint.write(UInt64(node.parentIndex), to: buffer, &offset)
            }
            if let checksum = node.bodyChecksum {
                unsafe buffer.storeBytes(of: checksum.bigEndian, toByteOffset: offset, as: UInt32.self)
                offset += 4
            }
            isStart = !goesOn
        }
        return offset
    }
}
