package import StorageProtocol

/// Looks at files and folders that are not ours. Nothing is opened, and the last part of a path is not followed where
/// it is a link.
package enum OutsideFolder {
    package enum Kind: Sendable, Equatable {
        case file, folder
        /// A link, pipe, device, ...; the text names it.
        case other(String)
    }

    /// What is at a path; nil where nothing is.
    package static func kind(_ path: String) throws(StorageError) -> Kind? {
        guard let info = try Files.info(path, follow: false) else { return nil }
        switch info.kind {
        case .file: return .file
        case .folder: return .folder
        default: return .other(info.kind.name)
        }
    }

    /// The absolute path without symbolic links; nil where there is nothing.
    package static func resolve(_ path: String) throws(StorageError) -> String? { try Files.resolve(path) }

    /// The names in a folder, in no order; those that are not UTF-8 are left out.
    package static func names(in path: String) throws(StorageError) -> [String] { try Files.names(in: path) }
}
