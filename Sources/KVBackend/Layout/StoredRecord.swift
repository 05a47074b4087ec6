internal import StorageEngineKit
internal import StorageProtocol

/// The parts of a value of `documents`, in place: valid as long as its bytes are.
@safe
struct StoredRecord {
    let flags: DocumentFlags
    let sequence: UInt64
    let tree: UnsafeRawBufferPointer
    /// The body as it is stored, its first byte included.
    let body: UnsafeRawBufferPointer
    private let generation: UInt64
    /// The winner's text, or its digest.
    private let winner: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are not a record.
    /// - Complexity: O(1).
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 1
        guard let flags = unsafe bytes.first,
            flags & ~(RecordFlags.document | RecordFlags.digestInTree | RecordFlags.textWinner) == 0,
            let sequence = unsafe Varint.read(bytes, &offset), 1...UInt64(Int64.max) ~= sequence
        else { throw .damagedRecord }
        self.flags = DocumentFlags(rawValue: flags & RecordFlags.document)
        self.sequence = sequence

        var position: Int?
        var winner = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        if flags & RecordFlags.textWinner != 0 {
            guard flags & RecordFlags.digestInTree == 0, let text = unsafe Varint.readBytes(bytes, &offset),
                1...RevisionID.maximumLength ~= text.count
            else { throw .damagedRecord }
            generation = 0
            unsafe winner = text
        } else {
            guard let generation = unsafe Varint.read(bytes, &offset), 1...RevisionID.maximumGeneration ~= generation
            else { throw .damagedRecord }
            self.generation = generation
            if flags & RecordFlags.digestInTree != 0 {
                guard let number = unsafe Varint.read(bytes, &offset), number <= UInt64(bytes.count) else {
                    throw .damagedRecord
                }
                position = Int(truncatingIfNeeded: number)
            } else {
                guard bytes.count &- offset >= 16 else { throw .damagedRecord }
                unsafe winner = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset &+ 16)])
                offset &+= 16
            }
        }

        guard let tree = unsafe Varint.readBytes(bytes, &offset), offset < bytes.count else { throw .damagedRecord }
        unsafe self.tree = tree
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        if let position {
            guard tree.count &- position >= 16 else { throw .damagedRecord }
            unsafe winner = UnsafeRawBufferPointer(rebasing: tree[position..<(position &+ 16)])
        }
        unsafe self.winner = winner
    }

    /// The winner's text, if it is stored as such.
    var winnerText: UnsafeRawBufferPointer? { unsafe generation == 0 ? winner : nil }

    /// Returns a winner that is stored as a digest.
    ///
    /// - Throws: `corrupt` (591) if it is stored as text.
    func digestWinner() throws(StorageError) -> RevisionID {
        try unsafe RevisionID(
            generation: generation,
            digest: (
                UInt64(bigEndian: winner.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: winner.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        )
    }
}

extension StorageError {
    static var damagedRecord: StorageError { .corrupt("A stored record is damaged") }
}
