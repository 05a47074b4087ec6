package import StorageProtocol

/// What an engine does for a library that encrypts its files. Nil of an engine whose files are plain.
package protocol FileCipher: Sendable {
    /// Gives a connection that has read nothing yet its key, says what the file's pages are like, and sees to it that
    /// the library has understood.
    ///
    /// - Throws: `storage` (590) where it has not: nothing may go into the file then.
    func unlock(_ connection: Connection) throws(StorageError)

    /// Attaches the file at `uri`, which is encrypted with this key, to a connection.
    func attach(_ uri: String, as schema: String, to connection: Connection) throws(StorageError)

    /// The same with another key.
    ///
    /// - Throws: `badParameter` (495) for a key that this library does not take.
    func with(_ key: StorageKey) throws(StorageError) -> any FileCipher

    /// Judges a file by the key, where no connection of this process has it open.
    ///
    /// - Parameters:
    ///   - file: reads up to `count` bytes at an offset; repeated, as a writer of another process may be at work. Nil:
    ///     it cannot be read.
    ///   - log: the same of the log; nil where there is none, or an empty one.
    /// - Throws: `unauthorized` (401) where it was not written with the key; `corrupt` (591) for what is no encrypted
    ///   file.
    func check(
        size: UInt64,
        file: (_ offset: UInt64, _ count: Int) -> [UInt8]?,
        log: ((_ offset: UInt64, _ count: Int) -> [UInt8]?)?
    ) throws(StorageError)

    /// Looks at all pages of the file, used or free, and of its log.
    ///
    /// - Parameters:
    ///   - hasLog: false where the connection reads none.
    ///   - progress: called now and then with bytes done and in all.
    func verify(
        _ connection: Connection,
        hasLog: Bool,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError)

    /// What `StorageStatistics` tells of it.
    var details: [(name: String, value: String)] { get }
}
