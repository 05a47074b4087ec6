internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Gives the database the files of another engine, other keys, or another compression. Documents with all
    /// revisions, sequences, attachments, local documents, expiries, info values, UUIDs, views and their indexes stay
    /// as they are.
    ///
    /// A plain database becomes encrypted if a key is given; `.sqlite` is then `.sqlcipher`. An encrypted one keeps its
    /// keys, or gets a new data key that `key` opens. It becomes plain only with `decrypt`.
    ///
    /// Others may write while attachments are rewritten, if that is necessary, and wait while the rest is copied. Other
    /// processes must not have the database open, and cannot open it during the conversion. Open snapshots continue to
    /// work; the old files are removed with the last of them. After a kill the old database or the new one is there,
    /// complete. If the database already is as requested, nothing is done.
    ///
    /// - Parameters:
    ///   - type: the storage type, of an engine that the manager has.
    ///   - key: the key of the new files. Nil: as they are now.
    ///   - keyDerivation: how slowly a key is derived from a passphrase.
    ///   - compression: nil: as now, if the engine supports it.
    ///   - decrypt: must be set if the database is encrypted and the new files are not.
    ///   - progress: called now and then, on the calling thread. It must not call the database.
    /// - Throws: `badRequest` (400) without `decrypt`, for a key together with it, and for a type that requires a key
    ///   if there is none; `invalidStorageType` (497) for a type that the manager has no engine for or that has no
    ///   files; `notImplemented` (501) for a key or compression that the type does not support, and for a database in
    ///   memory; `inUse` (423) naming the processes that have it open; `conflict` (409) if another thread converts it;
    ///   `full` (507) if the disk has no room for a second copy; `readOnly` (403), `callback` (593) inside a
    ///   transaction or snapshot, `corrupt` (591) for what cannot be read, `notOpen` (503). After an error the database
    ///   is unchanged.
    /// - Complexity: O(size of the database), and of its attachments if their keys change. Memory does not depend on
    ///   the size.
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

    /// Returns what `convert` would do, without doing it.
    ///
    /// - Throws: what `convert` would throw before it begins, except `full` (507).
    /// - Complexity: O(attachments), because their references are read.
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
