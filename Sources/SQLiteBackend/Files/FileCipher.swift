package import StorageProtocol

/// The functions for a library that encrypts its files. Nil in an engine whose files are plain.
package protocol FileCipher: Sendable {
    /// Gives a connection that has read nothing yet its key, sets the properties of the file's pages, and checks that
    /// the library has accepted them.
    ///
    /// - Throws: `storage` (590) if it has not: nothing may be written to the file then.
    func unlock(_ connection: Connection) throws(StorageError)

    /// Attaches the file at `uri`, which is encrypted with this key, to a connection.
    func attach(_ uri: String, as schema: String, to connection: Connection) throws(StorageError)

    /// Returns the same cipher with another key.
    ///
    /// - Throws: `badParameter` (495) for a key that this library does not accept.
    func with(_ key: StorageKey) throws(StorageError) -> any FileCipher

    /// Checks a file against the key, while no connection of this process has it open.
    ///
    /// - Parameters:
    ///   - file: Reads up to `count` bytes at an offset; repeated, because a writer of another process may be active.
    ///     Nil: it cannot be read.
    ///   - log: The same for the log; nil if there is none, or it is empty.
    /// - Throws: `unauthorized` (401) if it was not written with the key; `corrupt` (591) if it is not an encrypted
    ///   file.
    func check(
        size: UInt64,
        file: (_ offset: UInt64, _ count: Int) -> [UInt8]?,
        log: ((_ offset: UInt64, _ count: Int) -> [UInt8]?)?
    ) throws(StorageError)

    /// Returns the content of a page, decrypted; nil if it is not as this key wrote it, with its number.
    ///
    /// - Parameter first: The first page of the file to which the pages must belong.
    func pages(ofFile first: [UInt8]) -> (_ number: UInt32, _ page: ArraySlice<UInt8>) -> ArraySlice<UInt8>?

    /// Checks all pages of the file, used or free, and of its log.
    ///
    /// - Parameters:
    ///   - hasLog: False if the connection reads no log.
    ///   - progress: Called from time to time with the bytes done and the total.
    func verify(
        _ connection: Connection,
        hasLog: Bool,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError)

    /// Details for `StorageStatistics`.
    var details: [(name: String, value: String)] { get }
}
