#if RocksDB
internal import CSetteeRocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A list of the files and their sizes, which closing the database leaves in its folder. RocksDB does not notice that a
/// log or the manifest was cut between two records, or that the last of several logs is missing.
///
/// It holds for the manifest that it names. RocksDB begins a new one at each opening for writing, so what a killed
/// process or another program has left since is not compared with it.
enum RocksDBInventory {
    static let name = "SETTEE-FILES"
    private static let heading = "settee-files 1"
    /// The most bytes of the list, and of `CURRENT`, that are read.
    private static let longest = 4 << 20

    /// Compares the files with the list, if there is one that holds.
    ///
    /// - Parameter manifest: the one that `CURRENT` names.
    /// - Throws: `corrupt` (591) if a file is missing or has another size; `fileSystem` (498).
    static func check(_ folder: String, manifest: String) throws(StorageError) {
        guard let sizes = try sizes(in: folder), sizes.contains(where: { $0.name == manifest }) else { return }
        for (name, size) in sizes {
            guard let facts = try StoreFiles.facts(folder + "/" + name) else {
                throw .corrupt("RocksDB's file '\(name)' is missing")
            }
            guard facts.size == size else {
                throw .corrupt("RocksDB's file '\(name)' has \(facts.size) bytes, and had \(size) when it was closed")
            }
        }
    }

    /// Writes the list of a database that was closed. Without one nothing is compared, so failures are ignored.
    ///
    /// - Parameter manifest: the one while it was open. Another process may have opened it since, and then the list is
    ///   of no use, and does not hold.
    static func write(_ folder: String, manifest: String) {
        guard let names = try? StoreFiles.names(in: folder) else { return }
        var text = heading + "\n"
        for name in names.sorted() where name == manifest || name.hasSuffix(".log") || name.hasSuffix(".sst") {
            text += "\(name) \(StoreFiles.size(folder + "/" + name))\n"
        }
        text += checksum(text)
        let file = unsafe open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard file >= 0 else { return }
        defer { _ = close(file) }
        var bytes = text
        let isWhole = bytes.withUTF8 { bytes in unsafe pwrite(file, bytes.baseAddress, bytes.count, 0) == bytes.count }
        if !isWhole { remove(folder) }
    }

    /// Removes the list: the files are going to change.
    static func remove(_ folder: String) { StoreFiles.remove(folder + "/" + name) }

    /// Returns the manifest that `CURRENT` names.
    ///
    /// - Throws: `corrupt` (591) if one of them is missing or cannot be right; `fileSystem` (498).
    static func manifest(in folder: String) throws(StorageError) -> String {
        guard let text = try content(folder + "/CURRENT") else {
            throw .corrupt("RocksDB's file 'CURRENT' is missing from '\(folder)'")
        }
        let name = text.dropLast()
        guard text.last == "\n", name.hasPrefix("MANIFEST-"), name.dropFirst(9).allSatisfy({ $0.isWholeNumber }) else {
            throw .corrupt("RocksDB's file 'CURRENT' in '\(folder)' is damaged")
        }
        guard let facts = try StoreFiles.facts(folder + "/" + name), facts.size > 0 else {
            throw .corrupt("RocksDB's file '\(name)' is missing from '\(folder)', or empty")
        }
        return String(name)
    }

    /// Returns the files that the list names; nil if there is no list, or one that was not written completely.
    private static func sizes(in folder: String) throws(StorageError) -> [(name: String, size: UInt64)]? {
        guard let text = try content(folder + "/" + name) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, lines[0] == heading else { return nil }
        guard checksum(lines.dropLast().joined(separator: "\n") + "\n") == lines[lines.count - 1] else { return nil }
        return lines.dropFirst().dropLast().compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let size = UInt64(parts[1]) else { return nil }
            return (String(parts[0]), size)
        }
    }

    private static func checksum(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in unsafe String(rocks_crc32c(bytes.baseAddress, bytes.count), radix: 16) }
    }

    /// Returns the text of a small file, nil if there is none.
    private static func content(_ path: String) throws(StorageError) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw StoreFiles.failure("open", path) }
        defer { _ = close(file) }
        let size = min(Int(StoreFiles.facts(descriptor: file)?.size ?? 0), longest)
        var bytes = [UInt8](repeating: 0, count: size)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw StoreFiles.failure("read", path) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
#endif
