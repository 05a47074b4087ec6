internal import StorageProtocol

/// Reads `holders/`: who has a database open.
enum Holders {
    static let directoryName = "holders"

    /// One live holder's file: nil where its page is still being made, or is no page.
    struct Found {
        var name: String
        var bytes: [UInt8]
        var holder: Holder?
    }

    /// The files that a live process has locked.
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

    /// Who has the writer lock, for messages: empty where nobody says so.
    static func writing(_ folder: String) -> [Holder] {
        ((try? live(folder)) ?? []).compactMap(\.holder).filter(\.holdsWriter)
    }

    /// Whether a reader is there that could not leave its name.
    static func anonymousReaderExists(_ folder: String) throws(StorageError) -> Bool {
        guard let opened = try entry(folder).openFolder() else { return false }
        return try !LockFile(folder + "/" + directoryName, opened).attempt(.exclusive)
    }

    static func entry(_ folder: String) -> FolderEntry { FolderEntry(base: folder, name: directoryName) }

    /// Other files are not ours.
    static func isHolderName(_ name: String) -> Bool { Staging.isUniqueName(name) }
}
