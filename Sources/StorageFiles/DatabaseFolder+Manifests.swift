package import StorageProtocol

extension DatabaseFolder {
    /// What is known of a folder before anything in it is changed.
    package struct Reading {
        package let identity: FileIdentity
        /// The copies of the manifest with a right checksum, the highest serial first; at least one. Nothing else of
        /// them has been judged.
        package let copies: [ManifestCopy]
        /// Those of them whose generations do not exist.
        private let incomplete: [ManifestCopy]
        private let path: String

        init(path: String, identity: FileIdentity, _ found: ManifestFiles.Found) {
            self.path = path
            self.identity = identity
            copies = found.copies
            incomplete = found.incomplete
        }

        /// The path of the engine's files that a copy names.
        package func dataDirectory(of copy: ManifestCopy) -> String { path + "/" + copy.manifest.dataName }

        /// Returns those of some copies that can be in effect, in the same order. In an encrypted database only
        /// authentic copies may be given, because the others say what anybody wrote into them.
        ///
        /// - Parameter copies: The highest serial first; at least one.
        /// - Throws: `unsupportedFormat` (591) if the newest one requires a newer program, `corrupt` (591) if the
        ///   generations of all of them are missing.
        package func usable(_ copies: [ManifestCopy]) throws(StorageError) -> [ManifestCopy] {
            let newest = copies[0].manifest
            guard newest.minReader <= Manifest.knownVersion else { throw newerFormat(newest) }
            let usable = copies.filter { !incomplete.contains($0) }
            guard !usable.isEmpty else {
                throw StorageError(
                    .corrupt,
                    "'\(path)' lacks the folder '\(newest.dataName)' or '\(newest.blobName)' that its manifest names. "
                        + "Restore the database from a copy or an export."
                )
            }
            return usable
        }

        /// Refuses a folder of which every copy that may count requires a newer program, whatever key opens it.
        ///
        /// - Throws: `unsupportedFormat` (591).
        package func requireKnownFormat() throws(StorageError) {
            let encrypted = copies.filter(\.manifest.isEncrypted)
            let counting = encrypted.isEmpty ? [copies[0]] : encrypted
            guard counting.contains(where: { $0.manifest.minReader <= Manifest.knownVersion }) else {
                throw newerFormat(counting[0].manifest)
            }
        }

        /// Returns the copy in effect if none is encrypted: the one with the highest serial.
        ///
        /// - Throws: `unauthorized` (401) if one is encrypted; as `usable`.
        package func plain() throws(StorageError) -> Choice {
            try requireKnownFormat()
            guard !copies.contains(where: \.manifest.isEncrypted) else {
                throw StorageError(.unauthorized, "The database is encrypted. Give its key.")
            }
            return Choice(try usable(copies)[0])
        }

        /// Returns a copy to be replaced together with the database. It need not be authentic, because none of it is
        /// kept.
        ///
        /// - Throws: As `usable`.
        package func toBeReplaced() throws(StorageError) -> Choice {
            try requireKnownFormat()
            let replaceable = copies.first { copy in
                copy.manifest.isEncrypted && copy.manifest.canBeReplaced && !incomplete.contains(copy)
            }
            if let replaceable { return Choice(replaceable) }
            return Choice(try usable(copies)[0])
        }

        private func newerFormat(_ manifest: Manifest) -> StorageError {
            StorageError(
                .unsupportedFormat,
                "'\(path)' has format version \(manifest.formatVersion), which asks for a program that reads version "
                    + "\(manifest.minReader); this one reads \(Manifest.knownVersion). Use a newer version of Settee."
            )
        }
    }

    /// The manifest in effect.
    package struct Choice {
        package let copy: ManifestCopy
        /// Makes the MACs of later manifests, if the database is encrypted.
        package let seal: (any ManifestSealing)?
        /// The copies that were not written with this database's key, or are of another database.
        package let rejected: [ManifestCopy]

        package init(_ copy: ManifestCopy, seal: (any ManifestSealing)? = nil, rejected: [ManifestCopy] = []) {
            self.copy = copy
            self.seal = seal
            self.rejected = rejected
        }
    }
}

extension Manifest {
    /// Whether this program can write a next manifest after it.
    fileprivate var canBeReplaced: Bool {
        minReader <= Manifest.knownVersion && minWriter <= Manifest.knownVersion && serial < .max
    }
}
