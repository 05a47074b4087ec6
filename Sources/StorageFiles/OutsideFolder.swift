package import StorageProtocol

/// Inspects files and folders that are not ours. Nothing is opened, and if the last part of a path is a link, it is not
/// followed.
package enum OutsideFolder {
    package enum Kind: Sendable, Equatable {
        case file, folder
        /// A link, pipe, device, ...; the text names it.
        case other(String)
    }

    /// Returns what is at a path; nil if there is nothing.
    package static func kind(_ path: String) throws(StorageError) -> Kind? {
        guard let info = try Files.info(path, follow: false) else { return nil }
        switch info.kind {
        case .file: return .file
        case .folder: return .folder
        default: return .other(info.kind.name)
        }
    }

    /// Returns the absolute path without symbolic links; nil if there is nothing.
    package static func resolve(_ path: String) throws(StorageError) -> String? { try Files.resolve(path) }

    /// Returns the names in a folder, in no particular order. Those that are not UTF-8 are left out.
    package static func names(in path: String) throws(StorageError) -> [String] { try Files.names(in: path) }
}
