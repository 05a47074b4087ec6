internal import Settee

/// The arguments of the program.
enum ProgramArguments {
    /// Returns the arguments without the program's name.
    ///
    /// - Throws: `fileSystem` (498) if the system does not provide them; `badEncoding` (490) if one is not UTF-8:
    ///   `CommandLine.arguments` would silently repair it, and so name another document or folder.
    static func checked() throws(StorageError) -> [String] {
        guard CommandLine.argc > 0 else {
            throw StorageError(
                .fileSystem,
                "The program cannot see its arguments: Swift reads them in /proc/self/cmdline. Mount /proc, or allow "
                    + "reading it."
            )
        }
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let text = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let argument = unsafe String(validatingCString: text) else {
                throw StorageError(.badEncoding, "Argument \(index) is not UTF-8. Write IDs and paths in UTF-8.")
            }
            arguments.append(argument)
        }
        return arguments
    }
}
