internal import Foundation

extension URL {
    /// The file or folder of a path that was given as an argument, byte for byte: what a shell passes on as `~/x` is a
    /// folder called `~`, which Foundation would take for somebody's home.
    init(argument path: String, _ hint: DirectoryHint = .inferFromPath) {
        self.init(filePath: path.hasPrefix("~") ? "./" + path : path, directoryHint: hint)
    }
}
