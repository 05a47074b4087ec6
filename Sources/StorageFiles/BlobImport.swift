package import StorageProtocol

/// Brings blobs of one store into another blob generation that is being built.
package struct BlobImport {
    /// What becomes of a file.
    private enum Way {
        /// It is the file of the same content in the target: both have one codec and the same keys.
        case asItIs(mayLink: Bool)
        /// The content is read, and written anew as the target's codec says.
        case encoded(FileBlobStore)
    }

    /// The blobs it takes from.
    private let source: FileBlobStore
    /// A `blobs-NNNNNN` folder that nobody reads yet.
    private let target: String
    private let way: Way
    /// Whether what is there already need not be brought.
    private let goesOn: Bool
    private var groups: Set<String> = []

    /// For a target whose codec has the same keys as the source's, or where neither has any.
    ///
    /// - Parameter mayLink: whether both may share files. Linking changes the link count and times of the source's
    ///   file, so it is for sources that may be written to.
    package init(from source: FileBlobStore, to target: String, mayLink: Bool) {
        self.source = source
        self.target = target
        way = .asItIs(mayLink: mayLink)
        goesOn = false
    }

    /// For a target with other keys: a content that is brought has another name there.
    ///
    /// - Parameter goesOn: whether contents that the target has under their names, in their lengths, are taken for
    ///   brought.
    package init(
        from source: FileBlobStore,
        to target: String,
        codec: any BlobCodec,
        goesOn: Bool = false
    ) throws(StorageError) {
        self.goesOn = goesOn
        self.source = source
        self.target = target
        way = .encoded(try FileBlobStore(directory: target, readOnly: false, codec: codec))
    }

    /// Brings one blob, from the trash where an older state is copied that still needs it. The file is on the medium
    /// then; its name is after `sync`.
    ///
    /// - Parameter progress: told how many more bytes of contents were brought: at once what is not encoded, else at
    ///   most 256 KiB at a time. It may throw, and what was half encoded is removed then.
    /// - Returns: the blob's name in the target.
    /// - Throws: `corrupt` (591) where the source lacks it, and where what is to be encoded is damaged; as the file
    ///   system says.
    @discardableResult
    package mutating func bring(
        _ name: String,
        progress: (UInt64) throws(StorageError) -> Void = { (_) throws(StorageError) in }
    ) throws(StorageError) -> String {
        guard BlobName.isValid(name) else { throw .corrupt("The database refers to a blob of an impossible name") }
        switch way {
        case .asItIs(let mayLink):
            try bringFile(name, mayLink: mayLink)
            if let file = try Files.info(target + "/" + BlobName.group(name) + "/" + name) {
                try progress(source.length(of: file))
            }
            return name
        case .encoded(let store):
            let found = try encode(name, to: store, progress)
            groups.insert(target + "/" + BlobName.group(found))
            return found
        }
    }

    private mutating func bringFile(_ name: String, mayLink: Bool) throws(StorageError) {
        let group = target + "/" + BlobName.group(name)
        if groups.insert(group).inserted { _ = try Files.makeDirectoryIfMissing(group) }
        var tries = 0
        while true {
            // Collection may move it while it is looked for; it is deleted under no snapshot that needs it.
            guard let entry = try source.location(of: name) else {
                tries += 1
                if tries < BlobImport.tries { continue }
                throw BlobImport.missing
            }
            do {
                _ = try BlobLinks.bring(entry, to: group + "/" + name, staging: target, mayLink: mayLink)
                return
            } catch  where error.errno == SystemError.missing && tries < BlobImport.tries {
                tries += 1
            }
        }
    }

    private func encode(
        _ name: String,
        to store: FileBlobStore,
        _ progress: (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> String {
        let reader = try reader(name)
        if let found = nameOfPresent(reader, in: store) {
            try progress(reader.length)
            return found
        }
        let writer = try FileBlobWriter(store)
        do throws(StorageError) {
            var offset: UInt64 = 0
            while offset < reader.length {
                let piece = try reader.read(at: offset, count: BlobName.pieceSize)
                guard !piece.isEmpty else { break }
                try unsafe writer.append(piece.span.bytes)
                offset += UInt64(piece.count)
                try progress(UInt64(piece.count))
            }
            let content = try writer.finish()
            // Damage would get a name of its own, under which nobody could tell it any more.
            guard source.name(ofSHA256: content.sha256) == name else {
                throw StorageError.corrupt("The content of an attachment is damaged; `check` names it")
            }
            try writer.place()
            return content.storageName
        } catch {
            writer.cancel()
            throw error
        }
    }

    /// The name of what was brought before. A file gets its name when all of it is there.
    private func nameOfPresent(_ content: any BlobReader, in store: FileBlobStore) -> String? {
        guard goesOn, let digest = (content as? FileBlobReader)?.sha256 else { return nil }
        let name = store.name(ofSHA256: digest)
        guard let present = try? store.reader(name), present.length == content.length else { return nil }
        return name
    }

    private func reader(_ name: String) throws(StorageError) -> any BlobReader {
        for _ in 0..<BlobImport.tries {
            if let reader = try source.reader(name) { return reader }
            if let reader = try source.trashedReader(name) { return reader }
        }
        throw BlobImport.missing
    }

    private static let tries = 10
    private static var missing: StorageError {
        .corrupt("The database refers to a blob that is missing; `check` names it")
    }

    /// Forces the folders' entries to the medium.
    package func sync() throws(StorageError) {
        for group in groups { try Files.syncDirectory(group) }
        try Files.syncDirectory(target)
    }
}
