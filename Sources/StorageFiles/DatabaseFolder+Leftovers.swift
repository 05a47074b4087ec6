package import StorageProtocol

/// What a killed conversion or compaction has left in a database folder, and what nobody is making now.
package struct Leftover: Sendable {
    /// The name in the folder.
    package var name: String
    package var bytes: UInt64
    /// Whether a conversion can continue with it. It then has the encryption that the database has, or a stronger one.
    package var isResumable: Bool
}

extension DatabaseFolder {
    /// Returns what the next opening for writing, or the next conversion, removes. Changes nothing.
    ///
    /// - Complexity: one look at each file of it.
    package func leftovers() throws(StorageError) -> [Leftover] {
        let manifest = state.withLock { $0.manifest.manifest }
        let names = try Files.names(in: path)
        let resumable = earlierConversion?.place.names ?? []
        let generations = names.compactMap { GenerationMark.generation(markedBy: $0) }.filter { name in
            names.contains(name) && name != manifest.dataName && name != manifest.blobName
        }
        var found: [Leftover] = []
        for name in generations.sorted() + names.filter(Staging.isStagingName).sorted() {
            guard let info = try Files.info(path + "/" + name, follow: false), info.isDirectory || info.isRegular,
                !isBeingMade(name, isDirectory: info.isDirectory)
            else { continue }
            let bytes = info.isDirectory ? (try? DirectoryTree.size(of: path + "/" + name)) ?? 0 : info.allocated
            found.append(Leftover(name: name, bytes: bytes, isResumable: resumable.contains(name)))
        }
        return found
    }

    /// Whether its maker, or one that still reads it, has it locked. What cannot be opened is not ours to remove, and
    /// counts as left.
    private func isBeingMade(_ name: String, isDirectory: Bool) -> Bool {
        do throws(StorageError) {
            guard let lock = try Staging.lock(path + "/" + name, isDirectory: isDirectory) else { return true }
            lock.release()
            return false
        } catch {
            return false
        }
    }
}
