internal import SetteeStorageFiles
internal import StorageProtocol

/// Where the parts of an old database are.
struct OldLayout {
    /// The folder of the file, with links resolved.
    let folder: String
    /// The name of the database file in this folder.
    let file: String
    /// Whether the folder also has a database of the other engine.
    let hasForestDB: Bool
    /// Where the contents of attachments may be, relative to `folder`.
    let attachmentFolders: [String]

    private static let suffixes = [".cblite", ".touchdb"]

    /// - Throws: `notFound` (404) if nothing is there; `unsupportedFormat` (591) for a ForestDB database, and for a
    ///   folder that is not Couchbase Lite's; `badParameter` (495) if it is neither a file nor a folder.
    init(_ path: String) throws(StorageError) {
        guard let resolved = try OutsideFolder.resolve(path), let kind = try OutsideFolder.kind(resolved) else {
            throw StorageError(.notFound, "There is nothing at '\(path)'.")
        }
        switch kind {
        case .folder:
            self = try OldLayout(bundle: resolved)
        case .file:
            let parts = resolved.split(separator: "/", omittingEmptySubsequences: false)
            let name = String(parts.last ?? "")
            try OldLayout.refuseForestDB([name], path)
            folder = parts.count > 2 ? parts.dropLast().joined(separator: "/") : "/"
            file = name
            hasForestDB = false
            var title = name
            for suffix in OldLayout.suffixes where name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count {
                title = String(name.dropLast(suffix.count))
            }
            var places = ["\(title) attachments"]
            if title != name { places.append("\(title)/attachments") }
            // The database file of a bundle, given directly.
            if name == OldLayout.bundleFile { places.append("attachments") }
            attachmentFolders = places
        case .other(let what):
            throw StorageError(.badParameter, "'\(path)' is \(what), not a file or folder.")
        }
    }

    private static let bundleFile = "db.sqlite3"

    private init(bundle: String) throws(StorageError) {
        let names = try OutsideFolder.names(in: bundle)
        guard names.contains(OldLayout.bundleFile) else {
            try OldLayout.refuseForestDB(names, bundle)
            throw StorageError(
                .unsupportedFormat,
                "The folder '\(bundle)' has no 'db.sqlite3': it is no database of Couchbase Lite 1.x."
            )
        }
        hasForestDB = names.contains(where: OldLayout.isForestDB)
        folder = bundle
        file = OldLayout.bundleFile
        attachmentFolders = ["attachments"]
    }

    private static func isForestDB(_ name: String) -> Bool {
        name == "db.forest" || name.hasPrefix("db.forest.") || name.contains(".viewindex")
    }

    private static func refuseForestDB(_ names: [String], _ path: String) throws(StorageError) {
        guard names.contains(where: { $0 == "db.forest" || $0.hasPrefix("db.forest.") || $0.contains(".viewindex") })
        else {
            return
        }
        throw StorageError(
            .unsupportedFormat,
            """
            '\(path)' is stored with ForestDB, which Settee cannot read, and which Couchbase Lite 1.x itself does not \
            convert to SQLite \
            (497). Write the documents into a database with storage type SQLite with the application or a program that \
            uses \
            Couchbase Lite 1.x, by replication between the two for instance, and import that one.
            """
        )
    }

    /// Returns whether there may be an old database at the path, by its name or its contents.
    static func isLikely(_ path: String) -> Bool {
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        if (suffixes + [".cblite2"]).contains(where: { name.hasSuffix($0) }) { return true }
        guard let resolved = try? OutsideFolder.resolve(path), let kind = try? OutsideFolder.kind(resolved) else {
            return false
        }
        switch kind {
        case .folder:
            // Settee's own folders have neither of these.
            guard let names = try? OutsideFolder.names(in: resolved) else { return false }
            return names.contains { $0 == bundleFile || $0.hasPrefix("db.forest") }
        case .file:
            let parts = resolved.split(separator: "/", omittingEmptySubsequences: true)
            guard let name = parts.last.map(String.init) else { return false }
            let parent = "/" + parts.dropLast().joined(separator: "/")
            let start = try? OutsideFile(in: parent, name)?.read(at: 0, count: SourceOpening.magic.count)
            return start == SourceOpening.magic || name.hasPrefix("db.forest")
        case .other: return false
        }
    }
}
