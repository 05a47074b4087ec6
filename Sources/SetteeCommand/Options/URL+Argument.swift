internal import Foundation

extension URL {
    /// Creates the URL of a file or folder from a path argument, byte for byte. If a shell passes on `~/x`, it is in a
    /// folder named `~`, but Foundation would replace it with a home folder.
    init(argument path: String, _ hint: DirectoryHint = .inferFromPath) {
        self.init(filePath: path.hasPrefix("~") ? "./" + path : path, directoryHint: hint)
    }
}
