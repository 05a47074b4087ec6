import SetteeProgramSupport
import Testing

extension Folder {
    /// A new database of this name.
    func database(_ name: String = "db", type: String = "sqlite", documents: String = "") throws -> String {
        try Program.succeed("create", path(name), "--storage-type", type)
        if !documents.isEmpty { try Program.succeed("import", path(name), "-", input: documents) }
        return path(name)
    }
}
