#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeReplicator

/// A side of a replication: the path of a database folder, or a URL.
enum ReplicateSide: ExpressibleByArgument {
    case folder(String)
    case url(String)

    init(argument: String) {
        let lower = argument.lowercased()
        self = lower.hasPrefix("http:") || lower.hasPrefix("https:") ? .url(argument) : .folder(argument)
    }

    /// - Throws: A usage error for an empty path, for what is no URL of a database, and for one with a user or
    ///   password.
    func validate() throws {
        switch self {
        case .folder(let path):
            if path.isEmpty { throw ValidationError("The path of a database folder is empty.") }
        case .url(let url):
            // All users of the machine can see arguments.
            guard !url.contains("@") else {
                throw ValidationError(
                    """
                    A URL here has no user and password. Name the user with --user, and a file with the password with \
                    --password-file.
                    """
                )
            }
            do throws(StorageError) {
                _ = try RemoteEndpoint(url)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    /// For messages.
    var name: String {
        switch self {
        case .folder(let path): path
        case .url(let url): url
        }
    }
}
#endif
