internal import StorageEngineKit
internal import StorageProtocol

/// A record to be stored in `documents`.
@safe
struct NewRecord {
    private let flags: UInt8
    private let sequence: UInt64
    private let winner: RevisionID
    private let tree: UnsafeRawBufferPointer
    private let body: StoredBody
    /// The position of the winner's digest in the tree.
    private let position: UInt64
    private let textLength: Int
    /// The length of the stored form in bytes.
    let length: Int

    init(
        flags: DocumentFlags,
        sequence: UInt64,
        winner: RevisionID,
        tree: UnsafeRawBufferPointer,
        body: StoredBody
    ) {
        self.sequence = sequence
        self.winner = winner
        unsafe self.tree = tree
        self.body = body
        var bits = flags.rawValue & RecordFlags.document
        var position: UInt64 = 0
        var textLength = 0
        let winnerLength: Int
        if winner.digest != nil {
            winnerLength = Varint.length(winner.generation)
            if let found = unsafe winner.place(in: tree.bytes) {
                bits |= RecordFlags.digestInTree
                position = UInt64(found)
            }
        } else {
            bits |= RecordFlags.textWinner
            textLength = winner.withText { $0.byteCount }
            winnerLength = Varint.length(UInt64(textLength)) + textLength
        }
        let digestLength =
            bits & RecordFlags.textWinner != 0
            ? 0 : bits & RecordFlags.digestInTree != 0 ? Varint.length(position) : 16
        self.flags = bits
        self.position = position
        self.textLength = textLength
        length =
            1 + Varint.length(sequence) + winnerLength + digestLength
            + Varint.length(UInt64(tree.count)) + tree.count + body.length
    }

    /// Writes the stored form to a buffer of `length` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        unsafe buffer[0] = flags
        var offset = 1
        unsafe Varint.write(sequence, to: buffer, &offset)
        if let digest = winner.digest {
            unsafe Varint.write(winner.generation, to: buffer, &offset)
            if flags & RecordFlags.digestInTree != 0 {
                unsafe Varint.write(position, to: buffer, &offset)
            } else {
                unsafe buffer.storeBytes(of: digest.high.bigEndian, toByteOffset: offset, as: UInt64.self)
                unsafe buffer.storeBytes(of: digest.low.bigEndian, toByteOffset: offset &+ 8, as: UInt64.self)
                offset &+= 16
            }
        } else {
            unsafe Varint.write(UInt64(textLength), to: buffer, &offset)
            winner.withText { text in
                unsafe text.withUnsafeBytes { text in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: text)
                }
            }
            offset &+= textLength
        }
        unsafe Varint.write(UInt64(tree.count), to: buffer, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: tree)
        unsafe body.write(to: buffer, at: offset &+ tree.count)
    }
}
