internal import StorageProtocol

/// An empty file beside a generation that Settee has made and that the manifest may not name: that generation may be
/// swept. A folder with such a name but without a mark belongs to someone else, for example a copy made by hand, and
/// stays.
enum GenerationMark {
    private static let prefix = ".settee-generation-"

    static func name(of generation: String) -> String { prefix + generation }

    private static func path(_ folder: String, _ generation: String) -> String { folder + "/" + name(of: generation) }

    /// Returns the generation that a mark stands for; nil for any other name.
    static func generation(markedBy name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let generation = String(name.dropFirst(prefix.utf8.count))
        return Manifest.generation(named: generation) == nil ? nil : generation
    }

    /// Created before the generation's folder, and before the manifest names another one.
    static func make(_ folder: String, _ generation: String) throws(StorageError) {
        do throws(StorageError) {
            try Files.makeFile(path(folder, generation), [])
        } catch {
            guard error.code == .exists else { throw error }
        }
    }

    /// Removed when the generation has been removed, or has become the current one. A mark that is left over is removed
    /// at a later open.
    static func remove(_ folder: String, _ generation: String) { _ = try? Files.remove(path(folder, generation)) }
}
