internal import StorageProtocol

/// Reads `holders/`: the processes that have a database open.
enum Holders {
    static let directoryName = "holders"

    /// The file of a live holder. The holder is nil if its page is not finished yet, or is not a page.
    struct Found {
        var name: String
        var bytes: [UInt8]
        var holder: Holder?
    }

    /// Returns the files that a live process has locked.
    static func live(_ folder: String) throws(StorageError) -> [Found] {
        guard let directory = try entry(folder).openFolder() else { return [] }
        var found: [Found] = []
        for name in try Files.names(in: directory, folder + "/" + directoryName) where isHolderName(name) {
            let entry = FolderEntry(base: folder, name: directoryName + "/" + name)
            guard let opened = try entry.openFile() else { continue }
            let file = LockFile(entry.path, opened)
            if try file.attempt(.shared) { continue }
            let bytes = try file.descriptor.read(at: 0, count: SharedPage.size, entry.path)
            found.append(Found(name: name, bytes: bytes, holder: HolderPage.decode(bytes)))
        }
        return found
    }

    /// Returns the holders of the writer lock, for messages; empty if none is known.
    static func writing(_ folder: String) -> [Holder] {
        ((try? live(folder)) ?? []).compactMap(\.holder).filter(\.holdsWriter)
    }

    /// Whether there is a reader that could not leave its name.
    static func anonymousReaderExists(_ folder: String) throws(StorageError) -> Bool {
        guard let opened = try entry(folder).openFolder() else { return false }
        return try !LockFile(folder + "/" + directoryName, opened).attempt(.exclusive)
    }

    static func entry(_ folder: String) -> FolderEntry { FolderEntry(base: folder, name: directoryName) }

    /// Files with other names are not ours.
    static func isHolderName(_ name: String) -> Bool { Staging.isUniqueName(name) }
}
