public import StorageProtocol

extension RevisionTree {
    /// One revision of a tree.
    public struct Node: Sendable, Equatable {
        public let id: RevisionID
        /// The sequence under which the revision was stored; 0 if only its ID is known.
        public let sequence: UInt64
        /// The parent's index in `nodes`, -1 for a root. 32 bits keep a node at 48 bytes.
        var parentIndex: Int32
        private var flags: Flags
        /// The value of `RevisionChecksum.ofBody` when the body was stored; nil if it was not provided, or without a
        /// body.
        public internal(set) var bodyChecksum: UInt32?

        private struct Flags: OptionSet, Equatable {
            let rawValue: UInt8
            static let deleted = Flags(rawValue: 1)
            static let hasBody = Flags(rawValue: 2)
            static let hasAttachments = Flags(rawValue: 4)
        }

        /// - Parameter flags: The bits of the binary form: 1 deleted, 2 has a body, 4 has attachments.
        init(id: RevisionID, sequence: UInt64, parentIndex: Int, flags: UInt8, bodyChecksum: UInt32? = nil) {
            self.id = id
            self.sequence = sequence
            self.parentIndex = Int32(truncatingIfNeeded: parentIndex)
            self.flags = Flags(rawValue: flags)
            self.bodyChecksum = bodyChecksum
        }

        init(
            id: RevisionID,
            sequence: UInt64,
            parentIndex: Int,
            deleted: Bool,
            hasAttachments: Bool,
            bodyChecksum: UInt32?
        ) {
            self.init(id: id, sequence: sequence, parentIndex: parentIndex, flags: 0, bodyChecksum: bodyChecksum)
            self.isDeleted = deleted
            self.hasBody = true
            self.hasAttachments = hasAttachments
        }

        /// The parent's index in `nodes`, nil for a root.
        public var parent: Int? { parentIndex < 0 ? nil : Int(parentIndex) }

        /// Whether the revision is a tombstone.
        public internal(set) var isDeleted: Bool {
            get { flags.contains(.deleted) }
            set { set(.deleted, newValue) }
        }

        /// Whether the store keeps the revision's body.
        public internal(set) var hasBody: Bool {
            get { flags.contains(.hasBody) }
            set { set(.hasBody, newValue) }
        }

        /// Whether the revision's body has attachments.
        public internal(set) var hasAttachments: Bool {
            get { flags.contains(.hasAttachments) }
            set { set(.hasAttachments, newValue) }
        }

        /// The bits of the binary form.
        var flagBits: UInt8 { flags.rawValue }

        private mutating func set(_ flag: Flags, _ value: Bool) {
            if value { flags.insert(flag) } else { flags.remove(flag) }
        }

        /// Whether this leaf wins over another: live before deleted, then the higher generation, then the higher ID.
        func outranks(_ other: Node) -> Bool {
            isDeleted == other.isDeleted ? other.id < id : !isDeleted
        }
    }
}
