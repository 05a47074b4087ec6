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

    /// Joins the values behind each `--keys` of `ls`: the parser's time grows with the square of their number.
    static func joiningKeys(_ arguments: [String]) -> [String] {
        guard arguments.first == "ls" else { return arguments }
        var joined: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            joined.append(argument)
            if argument == "--" { break }
            guard argument == "--keys" else { continue }
            // The parser, too, takes a single dash for a value.
            let keys = rest.prefix { !$0.hasPrefix("-") || $0 == "-" }
            guard !keys.isEmpty else { continue }
            // No argument of a program can have this character.
            joined.append(keys.joined(separator: "\0"))
            rest = rest.dropFirst(keys.count)
        }
        return joined + rest
    }

    /// Returns the keys that were joined.
    static func keys(_ joined: String) -> [String] {
        joined.utf8.split(separator: 0, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}
