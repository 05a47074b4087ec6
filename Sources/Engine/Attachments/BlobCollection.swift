internal import Crypto
internal import SetteeStorageFiles
internal import StorageProtocol

/// Removes the contents that no kept revision refers to. They are moved to the trash first, and deleted when no
/// snapshot of any process is old enough to need them.
///
/// Every step is a short write transaction, and memory use does not depend on the number of contents. If the process is
/// killed between two steps, only contents are left that the next collection removes.
struct BlobCollection {
    private let database: Database
    private var taken = 0

    /// How many contents one write transaction removes.
    private static let contentsAtATime = 500
    /// How many references are read from one snapshot.
    private static let referencesAtATime = 20_000
    /// How many names of referenced contents are held in memory at a time, 8 bytes each.
    private static let namesAtATime = 1 << 18

    init(of database: Database) { self.database = database }

    /// - Returns: How many contents this call moved to the trash.
    mutating func run() throws(StorageError) -> Int {
        try database.presentBlobStore().removeAbandoned()
        try takeUnreferenced()
        try takeOrphans()
        try emptyTrash()
        return taken
    }

    /// The same on a disk that may be too full for a commit: what needs none goes first.
    ///
    /// - Returns: How many contents were moved to the trash.
    static func freeRoom(in database: Database) throws(StorageError) -> Int {
        var collection = BlobCollection(of: database)
        try database.presentBlobStore().removeAbandoned()
        try collection.takeOrphans()
        try collection.emptyTrash()
        do throws(StorageError) {
            try collection.takeUnreferenced()
            try collection.emptyTrash()
        } catch {
            guard error.code == .full else { throw error }
        }
        return collection.taken
    }

    // MARK: - Contents whose count is 0

    private mutating func takeUnreferenced() throws(StorageError) {
        var last: [UInt8]?
        while true {
            let (unused, next) = try unreferenced(after: last)
            if !unused.isEmpty { try take(unused) }
            guard let next else { return }
            last = next
        }
    }

    /// Returns the digests with count 0 among the next references, and the last digest examined, nil at the end.
    private func unreferenced(
        after digest: [UInt8]?
    ) throws(StorageError) -> (unused: [[UInt8]], last: [UInt8]?) {
        var unused: [[UInt8]] = []
        let last = try references(after: digest, atMost: BlobCollection.referencesAtATime) { reference in
            if reference.count == 0 { unused.append(reference.digest) }
            return unused.count < BlobCollection.contentsAtATime
        }
        return (unused, last)
    }

    /// The counts are read again, because a new revision may refer to one of them.
    private mutating func take(_ digests: [[UInt8]]) throws(StorageError) {
        taken += try database.change { (session) throws(StorageError) in
            let store = try session.generation.blobStore()
            try makeDurable(before: session)
            let epoch = try session.counters().changeCounter
            var count = 0
            for digest in digests {
                guard let reference = try session.transaction.blobReference(digest), reference.count == 0 else {
                    continue
                }
                session.noteChange()
                try session.transaction.removeBlobReference(digest)
                try session.forgetMD5(of: digest)
                if try store.moveToTrash(reference.storageName, epoch: epoch) { count += 1 }
            }
            return count
        }
    }

    // MARK: - Contents without any reference

    /// Removes contents without a reference: a process was killed between renaming the content and committing its
    /// revision, or the transaction was rolled back.
    private mutating func takeOrphans() throws(StorageError) {
        var count = 0
        var last: [UInt8]?
        repeat {
            last = try references(after: last, atMost: BlobCollection.referencesAtATime) { _ in
                count += 1
                return true
            }
        } while last != nil
        // Names are evenly distributed over their first byte.
        let passes = max(1, min(256, count / BlobCollection.namesAtATime + 1))
        for pass in 0..<passes {
            try takeOrphans(ofGroups: pass * 256 / passes..<(pass + 1) * 256 / passes)
        }
    }

    /// - Parameter groups: The first bytes of the names to examine.
    private mutating func takeOrphans(ofGroups groups: Range<Int>) throws(StorageError) {
        let used = try fingerprints(ofGroups: groups)
        // If the generation was switched in between, every content may look like an orphan. Each is checked again
        // below.
        let store = try database.presentBlobStore()
        var orphans: [String] = []
        try store.names { (name) throws(StorageError) in
            guard let fingerprint = BlobCollection.fingerprint(name, groups), !used.contains(sorted: fingerprint) else {
                return true
            }
            orphans.append(name)
            if orphans.count == BlobCollection.contentsAtATime {
                try take(orphans: orphans, of: store)
                orphans = []
            }
            return true
        }
        if !orphans.isEmpty { try take(orphans: orphans, of: store) }
    }

    /// Returns the first 8 bytes of the names of referenced contents, ascending. An orphan that shares them with one of
    /// these names is kept. With 2^64 values that does not happen by chance.
    private func fingerprints(ofGroups groups: Range<Int>) throws(StorageError) -> [UInt64] {
        var found: [UInt64] = []
        var last: [UInt8]?
        repeat {
            last = try references(after: last, atMost: BlobCollection.referencesAtATime) { reference in
                if let fingerprint = BlobCollection.fingerprint(reference.storageName, groups) {
                    found.append(fingerprint)
                }
                return true
            }
        } while last != nil
        found.sort()
        return found
    }

    /// Nil if the name is in another group.
    private static func fingerprint(_ name: String, _ groups: Range<Int>) -> UInt64? {
        guard let value = UInt64(name.prefix(16), radix: 16), groups.contains(Int(value >> 56)) else { return nil }
        return value
    }

    /// Checks again under the writer lock, because a content may have been published since, with its reference. The
    /// reference is looked up by the content's own digest. If a content is too damaged for that, all references are
    /// searched.
    private mutating func take(orphans names: [String], of store: any BlobStore) throws(StorageError) {
        var contents: [(name: String, digest: [UInt8])] = []
        var damaged: Set<String> = []
        for name in names {
            do throws(StorageError) {
                guard let reader = try store.reader(name) else { continue }
                contents.append((name, try database.attachmentSHA1(of: reader)))
            } catch {
                guard error.code == .corrupt else { throw error }
                damaged.insert(name)
            }
        }
        taken += try database.change { (session) throws(StorageError) in
            let store = try session.generation.blobStore()
            try makeDurable(before: session)
            let epoch = try session.counters().changeCounter
            var count = 0
            for (name, digest) in contents {
                if let reference = try session.transaction.blobReference(digest), reference.storageName == name {
                    continue
                }
                if try store.moveToTrash(name, epoch: epoch) { count += 1 }
            }
            guard !damaged.isEmpty else { return count }
            try session.transaction.orderedBlobReferences { (reference) throws(StorageError) in
                damaged.remove(reference.storageName)
                return !damaged.isEmpty
            }
            for name in damaged where try store.moveToTrash(name, epoch: epoch) { count += 1 }
            return count
        }
    }

    // MARK: - The trash

    private func emptyTrash() throws(StorageError) {
        try makeCommitsDurable()
        let now = try database.counters().changeCounter
        // Read after the commits above, when every snapshot that began before them has been announced.
        _ = try database.presentBlobStore().emptyTrash(before: database.oldestBlobSnapshot() ?? now + 1)
    }

    /// Makes everything that was committed before a write transaction survive power loss, so that losing the last
    /// commits cannot restore a reference to a content that the transaction removes. Called inside the transaction,
    /// because no other commit can come in between; and with any durability of this database, because other processes
    /// may use another one.
    private func makeDurable(before session: WriteSession) throws(StorageError) {
        guard database.folder != nil else { return }
        let generation = try database.enter()
        defer { database.leave(generation) }
        try generation.engine.checkpoint()
    }

    /// Makes the transactions that removed contents survive power loss.
    private func makeCommitsDurable() throws(StorageError) {
        guard let folder = database.folder else { return }
        try database.withoutWriters { () throws(StorageError) in
            let generation = try database.enter()
            defer { database.leave(generation) }
            try folder.lockWriter(timeout: database.busyTimeout)
            defer { folder.unlockWriter() }
            try generation.engine.checkpoint()
        }
    }

    /// Passes references to `body` until it returns false, on a snapshot of its own.
    ///
    /// - Returns: The last digest that was examined, nil at the end.
    private func references(
        after digest: [UInt8]?,
        atMost limit: Int,
        _ body: (BlobReference) -> Bool
    ) throws(StorageError) -> [UInt8]? {
        try database.withReadTransaction { (transaction) throws(StorageError) in
            var last: [UInt8]?
            var count = 0
            try transaction.orderedBlobReferences(after: digest) { (reference) throws(StorageError) in
                count += 1
                guard body(reference), count < limit else {
                    last = reference.digest
                    return false
                }
                return true
            }
            return last
        }
    }
}

extension Database {
    /// Returns the SHA-1 of a blob's content, as references name it. Complexity: O(bytes).
    func attachmentSHA1(of reader: any BlobReader) throws(StorageError) -> [UInt8] {
        var hash = Insecure.SHA1()
        try reader.forEachPiece { (piece) throws(StorageError) in hash.update(data: piece) }
        return store.stagedAttachments.digest(ofSHA1: Array(hash.finalize()))
    }
}

extension [UInt64] {
    /// Whether an ascending array contains a number.
    fileprivate func contains(sorted wanted: UInt64) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == wanted
    }
}
