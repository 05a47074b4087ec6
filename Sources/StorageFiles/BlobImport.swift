package import StorageProtocol

/// Brings blobs of one store into another blob generation that is being built.
package struct BlobImport {
    /// The blobs it takes from.
    let source: FileBlobStore
    /// A `blobs-NNNNNN` folder that nobody reads yet.
    let target: String
    /// Whether both may share files. Linking changes the link count and times of the source's file, so it is for sources
    /// that may be written to.
    let mayLink: Bool
    private var groups: Set<String> = []

    package init(from source: FileBlobStore, to target: String, mayLink: Bool) {
        self.source = source
        self.target = target
        self.mayLink = mayLink
    }

    /// Brings one blob, from the trash where an older state is copied that still needs it.
    ///
    /// - Throws: `corrupt` (591) where the source lacks it; as the file system says.
    package mutating func bring(_ name: String) throws(StorageError) {
        guard BlobName.isValid(name) else { throw .corrupt("The database refers to a blob of an impossible name") }
        let group = target + "/" + BlobName.group(name)
        if groups.insert(group).inserted { _ = try Files.makeDirectoryIfMissing(group) }
        var tries = 0
        while true {
            // Collection may move it while it is looked for; it is deleted under no snapshot that needs it.
            guard let entry = try source.location(of: name) else {
                tries += 1
                if tries < 10 { continue }
                throw .corrupt("The database refers to a blob that is missing; `check` names it")
            }
            do {
                _ = try BlobLinks.bring(entry, to: group + "/" + name, staging: target, mayLink: mayLink)
                return
            } catch  where error.errno == SystemError.missing && tries < 10 {
                tries += 1
            }
        }
    }

    /// Forces the folders' entries to the medium.
    package func sync() throws(StorageError) {
        for group in groups { try Files.syncDirectory(group) }
        try Files.syncDirectory(target)
    }
}
