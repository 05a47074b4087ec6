internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Asks for a key at the terminal, which does not show it.
enum KeyPrompt {
    /// The terminal between two questions of one command. Only the thread that runs the command uses it.
    nonisolated(unsafe) private static var held: HiddenInput?

    /// Asks once, for the key of an existing database.
    ///
    /// - Parameter isFollowed: whether a new key will be asked for. The terminal then shows nothing until that is done,
    ///   or until `release`; what is typed ahead of the next question is its answer.
    /// - Returns: nil if there is no terminal: both standard input and standard error must be one.
    static func ask(for database: String, isFollowed: Bool = false) throws(StorageError) -> StorageKey? {
        try session(isFollowed: isFollowed) { (terminal) throws(StorageError) in
            try ask("Key of '\(Columns.printable(database))': ", terminal)
        }
    }

    /// Lets the terminal show again what is typed, if the next question is not asked after all.
    static func release() {
        unsafe held?.end()
        unsafe held = nil
    }

    /// Asks for a new key, twice.
    ///
    /// - Returns: nil if there is no terminal.
    /// - Throws: `badRequest` (400) if the two keys differ.
    static func askForNew(for database: String) throws(StorageError) -> StorageKey? {
        try session(isFollowed: false) { (terminal) throws(StorageError) in
            let key = try ask("New key of '\(Columns.printable(database))': ", terminal)
            guard try ask("The same key again: ", terminal) == key else {
                throw StorageError(.badRequest, "The two keys differ. Nothing was changed; repeat the command.")
            }
            return key
        }
    }

    private static func session(
        isFollowed: Bool,
        _ body: (HiddenInput) throws(StorageError) -> StorageKey
    ) throws(StorageError) -> StorageKey? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        let terminal: HiddenInput
        if let held = unsafe held { terminal = held } else { terminal = try HiddenInput() }
        unsafe held = terminal
        defer { if !isFollowed { release() } }
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
