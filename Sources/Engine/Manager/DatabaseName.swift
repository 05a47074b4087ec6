package import StorageProtocol

/// The rules for database names, which are those of Couchbase Lite, and how a name becomes the name of a folder.
package enum DatabaseName {
    static let suffix = ".settee"

    /// Lower-case ASCII letters, digits and `_$()+-/`, beginning with a letter, fewer than 240 bytes.
    static func isValid(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard (1..<240).contains(bytes.count), (0x61...0x7A).contains(bytes[0]) else { return false }
        let special = Set("_$()+-/".utf8)
        return bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || special.contains($0) }
    }

    /// The name of the folder. `/` is written as `:`, so that no name leads out of the manager's directory.
    package static func folderName(_ name: String) throws(StorageError) -> String {
        guard isValid(name) else {
            throw StorageError(
                .badID,
                "The database name is not allowed: use 1 to 239 lower-case letters, digits and _$()+-/, a letter first."
            )
        }
        return String(name.map { $0 == "/" ? ":" : $0 }) + suffix
    }

    /// The name of the database; nil if a manager makes no such folder.
    static func name(ofFolder folder: String) -> String? {
        guard folder.hasSuffix(suffix), !folder.contains("/") else { return nil }
        let name = String(folder.dropLast(suffix.count).map { $0 == ":" ? "/" : $0 })
        return isValid(name) ? name : nil
    }
}
