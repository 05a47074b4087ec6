internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Gives the database the files of another engine, other keys, or another compression. Documents with all
    /// revisions, sequences, attachments, local documents, expiries, info values, UUIDs, views and their indexes stay
    /// as they are.
    ///
    /// A plain database becomes encrypted where a key is given; `.sqlite` is `.sqlcipher` then. An encrypted one keeps
    /// its keys, or gets a new data key that `key` opens; it becomes plain with `decrypt` alone.
    ///
    /// Others may write while attachments are written anew, where that is needed, and wait while the rest is copied.
    /// Other processes must not have the database open, and cannot open it meanwhile. Snapshots that are open go on;
    /// the old files go with the last of them. After a kill the old database is there or the new one, whole. Nothing is
    /// done where the database is already so.
    ///
    /// - Parameters:
    ///   - type: the engine, one of the manager's.
    ///   - key: what the new files are encrypted with. Nil: as they are now.
    ///   - keyDerivation: how slowly, where the key is a passphrase.
    ///   - compression: nil: as now, where the engine can.
    ///   - decrypt: must be set where the database is encrypted and is not to be any more.
    ///   - progress: told now and then, on the calling thread. It must not call the database.
    /// - Throws: `badRequest` (400) without `decrypt`, for a key together with it, and for a type that needs a key
    ///   where there is none; `invalidStorageType` (497) for a type that the manager has no engine for or that has no
    ///   files; `notImplemented` (501) for a key or compression that the type cannot have, and for a database in
    ///   memory; `inUse` (423) naming the processes that have it open; `conflict` (409) where another thread converts
    ///   it; `full` (507) where the disk has no room for a second copy; `readOnly` (403), `callback` (593) inside a
    ///   transaction or snapshot, `corrupt` (591) for what cannot be read, `notOpen` (503). The database is as it was
    ///   then.
    /// - Complexity: O(size of the database), and of its attachments where their keys change. Memory is flat.
    public func convert(
        to type: StorageType,
        key: StorageKey? = nil,
        keyDerivation: KeyDerivation = .standard,
        compression: Compression? = nil,
        decrypt: Bool = false,
        progress: @escaping (ConversionProgress) -> Void = { _ in }
    ) throws(StorageError) {
        try requireConvertible("The database cannot be converted from inside its own transaction or closure.")
        let request = ConversionRequest(
            type: type,
            key: key,
            derivation: keyDerivation,
            compression: compression,
            decrypt: decrypt
        )
        let before = storageType
        guard let target = try request.target(for: self) else { return }
        try DatabaseConversion(of: self, to: target, progress: progress).run()
        Log.log(.info, .database, "\(name) was '\(before)' and is '\(storageType)' now")
    }

    /// What `convert` would do, without doing it.
    ///
    /// - Throws: what `convert` would throw before it begins, but for `full` (507).
    /// - Complexity: O(attachments): their references are gone over.
    public func conversionPlan(
        to type: StorageType,
        key: StorageKey? = nil,
        compression: Compression? = nil,
        decrypt: Bool = false
    ) throws(StorageError) -> ConversionPlan {
        guard isOpen else { throw StorageError(.notOpen, "The database is closed.") }
        let request = ConversionRequest(type: type, key: key, compression: compression, decrypt: decrypt)
        return try ConversionPlan(request, for: self)
    }
}
