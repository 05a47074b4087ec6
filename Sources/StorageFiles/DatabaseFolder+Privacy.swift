extension DatabaseFolder {
    /// Whether an encrypted database's folder lets others than its owner in. Its modes could not be set, or its owner
    /// has opened it.
    package var isOpenToOthers: Bool {
        manifest.isEncrypted && (try? Files.info(path))?.map { $0.mode & 0o077 != 0 } ?? false
    }

    /// What the owner of an encrypted database should know; nil if nobody else is let in.
    package var privacyWarning: String? {
        guard isOpenToOthers else { return nil }
        return "The database is encrypted, and others than the owner are let into its folder '\(path)'. They can copy "
            + "its files, and with the permission to write they can delete and replace them. If that is not meant: "
            + "chmod -R go= and the path; if it stays so, the file system keeps no permissions."
    }
}
