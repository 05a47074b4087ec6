internal import StorageProtocol
internal import Synchronization

/// Writes a blob into a locked staging file. Both digests are computed beside that, and a long file is on its way to
/// the medium before it is complete.
final class FileBlobWriter: BlobWriter {
    private enum Stage {
        case writing
        case finished(BlobContent)
        case published(BlobContent)
        case cancelled
    }

    private let store: FileBlobStore
    private var path: String
    /// Nil once the file lies in `folder`.
    private var lock: LockFile?
    /// Where the finished file waits, if many others do: there it needs no lock of its own, and no descriptor.
    private var folder: StagedFolder?
    /// Whether this is one of the finished files that stay open.
    private var isOpen = false
    private let encoder: any BlobEncoder
    private var stage = Stage.writing
    private var buffer: [UInt8] = []
    private var length: UInt64 = 0
    /// The bytes of the file so far.
    private var fileLength: UInt64 = 0
    /// A file with the same content that already has the blob's name.
    private var present: FileInfo?
    private let digests = ConcurrentDigests()
    private var writeBack: EarlyWriteBack?

    /// Finished files that stay open until their revision is saved, in this process; a document may come with thousands
    /// of attachments, and a process may open 1,024 files.
    private static let openFiles = Atomic<Int>(0)
    private static let mostOpenFiles = 64

    init(_ store: FileBlobStore) throws(StorageError) {
        self.store = store
        encoder = try store.codec.makeEncoder()
        let (path, lock) = try Staging.makeFile(in: store.directory)
        self.path = path
        self.lock = lock
        writeBack = EarlyWriteBack(lock)
    }

    deinit { cancel() }

    func append(_ bytes: RawSpan) throws(StorageError) {
        guard case .writing = stage else { throw over }
        guard bytes.byteCount > 0 else { return }
        length += UInt64(bytes.byteCount)
        try unsafe bytes.withUnsafeBytes { (piece) throws(StorageError) in
            try unsafe digests.update(piece) { () throws(StorageError) in
                try unsafe encoder.append(piece.bytes) { (encoded) throws(StorageError) in try write(encoded) }
            }
        }
    }

    /// Writes the next bytes of the file.
    private func write(_ bytes: RawSpan) throws(StorageError) {
        if buffer.count + bytes.byteCount <= BlobName.pieceSize {
            unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
            return
        }
        try flush()
        try writeToFile(bytes)
    }

    private func writeToFile(_ bytes: RawSpan) throws(StorageError) {
        guard let lock else { throw over }
        try lock.descriptor.write(bytes, path)
        fileLength += UInt64(bytes.byteCount)
        writeBack?.written(fileLength)
    }

    private func flush() throws(StorageError) {
        guard !buffer.isEmpty else { return }
        // Moved out for the call: a span of a class's property does not outlive the access.
        var pending: [UInt8] = []
        swap(&pending, &buffer)
        try unsafe writeToFile(pending.span.bytes)
        pending.removeAll(keepingCapacity: true)
        buffer = pending
    }

    func finish() throws(StorageError) -> BlobContent {
        guard case .writing = stage, let lock else { throw over }
        let (sha1, sha256) = digests.finish()
        let content = BlobContent(
            storageName: store.codec.name(ofSHA256: sha256),
            sha1: sha1,
            sha256: sha256,
            length: length
        )
        try encoder.finish(content) { (encoded) throws(StorageError) in try write(encoded) }
        try flush()
        buffer = []
        try lock.descriptor.makeReadOnly(path)
        try writeBack?.finish()
        writeBack = nil
        try lock.descriptor.sync(path)
        stage = .finished(content)
        try closeIfMany()
        // Here, because the writer lock is not held yet.
        present = try store.soundFile(content.storageName)
        return content
    }

    /// Closes the finished file if many others are open, and moves it to where a folder's lock stands for its own.
    private func closeIfMany() throws(StorageError) {
        let before = FileBlobWriter.openFiles.add(1, ordering: .relaxed).oldValue
        isOpen = true
        guard before >= FileBlobWriter.mostOpenFiles else { return }
        let folder = try store.stagedFolder()
        let place = folder.path + "/" + Staging.name()
        try Files.rename(path, to: place)
        path = place
        self.folder = folder
        leave()
    }

    /// Gives up the file and its lock, after it has got another name or none.
    private func leave() {
        lock?.release()
        lock = nil
        guard isOpen else { return }
        isOpen = false
        FileBlobWriter.openFiles.subtract(1, ordering: .relaxed)
    }

    func reader() throws(StorageError) -> any BlobReader {
        let opened =
            switch stage {
            // Its name may have been removed with its generation.
            case .finished(let content):
                if let lock {
                    try FileBlobReader(lock, content.storageName, store.codec)
                } else {
                    try FileBlobReader(stagedEntry, content.storageName, store.codec)
                }
            case .published(let content): try store.openReader(content.storageName)
            case .writing, .cancelled: throw over
            }
        guard let opened else {
            throw StorageError(.attachmentStore, "An attachment's content is gone. Write it again.")
        }
        return opened
    }

    func publish() throws(StorageError) {
        let content = try place()
        // Also if the file was already there: its writer may have been killed before this.
        try store.syncGroup(of: content.storageName)
    }

    /// Publishes the blob without forcing the folder's entries to the medium.
    @discardableResult
    func place() throws(StorageError) -> BlobContent {
        guard case .finished(let content) = stage else { throw over }
        let name = content.storageName
        var found = try store.entry(name).fileInfo()
        if let file = found, file != present { found = try store.soundFile(name) }
        // A file with other content under this name is damaged: what was just written repairs it.
        if found != nil {
            cancel()
            stage = .published(content)
        } else {
            let group = FolderEntry(base: store.directory, name: BlobName.group(name))
            if try !group.isFolder() { _ = try Files.makeDirectoryIfMissing(group.path) }
            try Files.rename(path, to: store.path(name))
            stage = .published(content)
            leave()
            folder = nil
        }
        return content
    }

    func cancel() {
        switch stage {
        case .writing, .finished:
            _ = try? Files.remove(path)
            leave()
            folder = nil
            stage = .cancelled
        case .published, .cancelled: break
        }
    }

    private var stagedEntry: FolderEntry {
        FolderEntry(base: folder?.path ?? store.directory, name: String(path.split(separator: "/").last ?? ""))
    }

    private var over: StorageError {
        StorageError(.attachmentStore, "This attachment is already written or given up. Begin another.")
    }
}
