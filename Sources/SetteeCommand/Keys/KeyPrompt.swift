internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Asks for a key at the terminal, which does not show it.
enum KeyPrompt {
    /// Asks once, for the key of an existing database.
    ///
    /// - Returns: nil if there is no terminal: both standard input and standard error must be one.
    static func ask(for database: String) throws(StorageError) -> StorageKey? {
        try session { (terminal) throws(StorageError) in try ask("Key of '\(Columns.printable(database))': ", terminal)
        }
    }

    /// Asks for a new key, twice.
    ///
    /// - Returns: nil if there is no terminal.
    /// - Throws: `badRequest` (400) if the two keys differ.
    static func askForNew(for database: String) throws(StorageError) -> StorageKey? {
        try session { (terminal) throws(StorageError) in
            let key = try ask("New key of '\(Columns.printable(database))': ", terminal)
            guard try ask("The same key again: ", terminal) == key else {
                throw StorageError(.badRequest, "The two keys differ. Nothing was changed; repeat the command.")
            }
            return key
        }
    }

    private static func session(
        _ body: (HiddenInput) throws(StorageError) -> StorageKey
    ) throws(StorageError) -> StorageKey? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let terminal = try HiddenInput()
        defer { terminal.end() }
        return try body(terminal)
    }

    private static func ask(_ question: String, _ terminal: HiddenInput) throws(StorageError) -> StorageKey {
        try unsafe WipedBuffer.with(HiddenInput.longestLine) { (buffer) throws(StorageError) in
            let count = try unsafe terminal.line(question, into: buffer)
            return try unsafe KeyText.key(
                UnsafeBufferPointer(buffer).span.extracting(first: count),
                in: "What was typed"
            )
        }
    }
}
