internal import StorageProtocol

/// An empty file beside a generation that Settee has made and that the manifest may not name: it may be swept. Without
/// it a folder of such a name is somebody else's, a copy made by hand for instance, and stays.
enum GenerationMark {
    private static let prefix = ".settee-generation-"

    static func name(of generation: String) -> String { prefix + generation }

    private static func path(_ folder: String, _ generation: String) -> String { folder + "/" + name(of: generation) }

    /// The generation that a mark is for; nil for any other name.
    static func generation(markedBy name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let generation = String(name.dropFirst(prefix.utf8.count))
        return Manifest.generation(named: generation) == nil ? nil : generation
    }

    /// Made before the generation's folder is, and before the manifest names another one.
    static func make(_ folder: String, _ generation: String) throws(StorageError) {
        do throws(StorageError) {
            try Files.makeFile(path(folder, generation), [])
        } catch {
            guard error.code == .exists else { throw error }
        }
    }

    /// Removed when the generation is gone, or is the present one. A mark that stays is removed at a later open.
    static func remove(_ folder: String, _ generation: String) { _ = try? Files.remove(path(folder, generation)) }
}
