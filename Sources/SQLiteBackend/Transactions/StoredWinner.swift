internal import StorageProtocol

/// What `documents.revision` holds: the winner's ID as text, or a number that says where in the tree it is.
@safe
enum StoredWinner {
    /// The generation times 64, plus the place of the digest's first byte in the tree.
    case inTree(Int64)
    case text(UnsafeRawBufferPointer)

    /// The bits of a number that are the place.
    private static let placeBits: Int64 = 6
    private static let maximumGeneration = UInt64(Int64.max >> placeBits)

    /// Passes the stored form of a winner to `use`.
    @inline(__always)
    static func of<R>(
        _ winner: RevisionID,
        in tree: UnsafeRawBufferPointer,
        _ use: (StoredWinner) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if winner.generation <= maximumGeneration, let place = unsafe winner.place(in: tree.bytes) {
            return try use(.inTree(Int64(winner.generation) << placeBits | Int64(place)))
        }
        return try winner.withText { (text) throws(StorageError) in
            try unsafe text.withUnsafeBytes { (text) throws(StorageError) in try use(unsafe .text(text)) }
        }
    }

    /// Returns a number that SQLite has turned into text, because the column is declared TEXT. Nil if the text is an
    /// ID: every ID contains a hyphen.
    @inline(__always)
    static func number(in text: UnsafeRawBufferPointer) -> Int64? {
        guard 1...19 ~= text.count else { return nil }
        var number: Int64 = 0
        for index in 0..<text.count {
            let byte = unsafe text[index]
            guard 0x30...0x39 ~= byte else { return nil }
            let (tens, high) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(byte &- 0x30))
            guard !high, !overflow else { return nil }
            number = sum
        }
        return number
    }

    /// Returns the ID of a winner that is in its tree.
    ///
    /// - Throws: `corrupt` (591) for a number that `of` does not make.
    @inline(__always)
    static func revisionID(_ number: Int64, in tree: UnsafeRawBufferPointer) throws(StorageError) -> RevisionID {
        try unsafe RevisionID(
            generation: UInt64(bitPattern: number >> placeBits),
            place: Int(number & (1 << placeBits - 1)),
            in: tree.bytes
        )
    }

    /// How many bytes are stored besides a number.
    var length: Int {
        switch self {
        case .inTree: 0
        case .text(let text): text.count
        }
    }

    @inline(__always)
    func bind(to statement: Statement, _ at: Int32) {
        switch self {
        case .inTree(let number): statement.bind(number, at)
        case .text(let text): unsafe statement.bindText(text, at)
        }
    }
}
