package import StorageProtocol

/// Brings the blobs of one store into another blob generation that is being built.
package struct BlobImport {
    /// How a file is brought.
    private enum Way {
        /// Unchanged: it is also the file for the same content in the target, because both have one codec and the same
        /// keys.
        case asItIs(mayLink: Bool)
        /// The content is read, and encoded again with the target's codec.
        case encoded(FileBlobStore)
    }

    /// The store whose blobs are brought.
    private let source: FileBlobStore
    /// A `blobs-NNNNNN` folder that is not in use yet.
    private let target: String
    private let way: Way
    /// Whether contents that are already in the target are skipped.
    private let goesOn: Bool
    private var groups: Set<String> = []

    /// For a target whose codec has the same keys as the source's, or if neither has any.
    ///
    /// - Parameter mayLink: Whether both may share files. Linking changes the link count and times of the source's
    ///   file, so the source must be writable.
    package init(from source: FileBlobStore, to target: String, mayLink: Bool) {
        self.source = source
        self.target = target
        way = .asItIs(mayLink: mayLink)
        goesOn = false
    }

    /// For a target with other keys. The contents have other names there.
    ///
    /// - Parameter goesOn: Whether contents that are in the target count as already brought. Each is read to its end
    ///   and compared with its name; a damaged one is brought again.
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

    /// Brings one blob. If an older state that still needs it is being copied, it may come from the trash. The file is
    /// then on the medium; its name is only after `sync`.
    ///
    /// - Parameter progress: Called with the number of additional bytes of content that were brought: once for what is
    ///   not encoded, else for at most 256 KiB at a time. It may throw; a partly encoded file is then removed. The
    ///   content is read in either case, also of a file that is only linked.
    /// - Returns: The name of the blob in the target.
    /// - Throws: `corrupt` (591) if the source does not have it, or if it is damaged; errors of the file system.
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
            // Collection may move it during the search. It is not deleted while a snapshot needs it.
            guard let entry = try source.location(of: name) else {
                tries += 1
                if tries < BlobImport.tries { continue }
                throw BlobImport.missing
            }
            do throws(StorageError) {
                _ = try BlobLinks.bring(entry, to: group + "/" + name, staging: target, mayLink: mayLink)
                // Damage would otherwise spread to the copy unseen, and outlive the last whole one.
                let brought = try FileBlobStore(directory: target, readOnly: true, codec: source.codec)
                guard try brought.verify(name) == nil else { throw BlobImport.damaged }
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
        if let found = try nameOfPresent(reader, in: store) {
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
            // Damaged content would get a new valid name of its own, under which the damage could no longer be
            // detected.
            guard source.name(ofSHA256: content.sha256) == name else {
                throw BlobImport.damaged
            }
            try writer.place()
            return content.storageName
        } catch {
            writer.cancel()
            throw error
        }
    }

    /// Returns the name of content that was brought before, after reading it. Removes what is damaged.
    private func nameOfPresent(_ content: any BlobReader, in store: FileBlobStore) throws(StorageError) -> String? {
        guard goesOn, let digest = (content as? FileBlobReader)?.sha256 else { return nil }
        let name = store.name(ofSHA256: digest)
        guard try store.isInPlace(name) else { return nil }
        if try store.verify(name) == nil { return name }
        try Files.remove(store.path(name))
        return nil
    }

    private func reader(_ name: String) throws(StorageError) -> any BlobReader {
        for _ in 0..<BlobImport.tries {
            if let reader = try source.reader(name) { return reader }
            if let reader = try source.trashedReader(name) { return reader }
        }
        throw BlobImport.missing
    }

    private static let tries = 10
    private static var damaged: StorageError {
        .corrupt("The content of an attachment is damaged; `check` names it")
    }

    private static var missing: StorageError {
        .corrupt("The database refers to a blob that is missing; `check` names it")
    }

    /// Forces the entries of the folders to the medium.
    package func sync() throws(StorageError) {
        for group in groups { try Files.syncDirectory(group) }
        try Files.syncDirectory(target)
    }
}
