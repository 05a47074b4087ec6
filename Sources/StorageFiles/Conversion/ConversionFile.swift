internal import StorageProtocol

/// The file `.settee-conversion`. It names the generation, not named in the manifest, that a conversion was making when
/// it was killed.
///
/// A file with any kind of fault is treated as missing. Its format is described in docs/internals/generation-switch.md.
package struct ConversionFile: Sendable, Equatable {
    /// What is being made, and from which state.
    struct Place: Sendable, Equatable {
        /// The current run of the system. Unsynced data survives until its end.
        var boot: String
        /// The checksum of the manifest that was in effect.
        var manifest: String
        /// The number of the next data folder.
        var data: UInt64
        /// The folder itself, because a copy of it is a different folder.
        var folder: FileIdentity
        /// The number of the next folder of blobs; nil: the current ones stay.
        var blobs: UInt64?

        var dataName: String { Manifest.generationName(.data, data) }
        var blobName: String? { blobs.map { Manifest.generationName(.blobs, $0) } }
        var names: [String] { [dataName] + (blobName.map { [$0] } ?? []) }
    }

    static let name = ".settee-conversion"
    /// The maximum length of the file in bytes.
    static let largestSize = 16 << 10

    let place: Place
    package let note: ConversionNote
    /// The bytes before the MAC, which covers them.
    package let sealedText: ArraySlice<UInt8>
    /// The digits of the MAC; nil for a plain generation.
    package let code: ArraySlice<UInt8>?
    let text: [UInt8]

    /// Whether the contents of attachments are also encoded again.
    package var hasContents: Bool { place.blobs != nil }

    package static func == (a: ConversionFile, b: ConversionFile) -> Bool { a.text == b.text }

    // MARK: - In a folder

    /// Reads the file in a folder; nil if there is none, or it is not valid.
    static func read(in folder: String) -> ConversionFile? {
        let entry = FolderEntry(base: folder, name: name)
        do throws(StorageError) {
            guard let file = try entry.openFile() else { return nil }
            let size = try file.info(entry.path).size
            guard size <= UInt64(largestSize) else { return nil }
            return ConversionFile(try file.read(at: 0, count: Int(size), entry.path))
        } catch {
            return nil
        }
    }

    /// Writes the file, replacing an earlier one. It is not synced, because it is void after the system's current run.
    func write(in folder: String) throws(StorageError) {
        let (path, lock) = try Staging.makeFile(in: folder)
        do {
            try unsafe lock.descriptor.write(text.span.bytes, path)
            try Files.rename(path, to: folder + "/" + ConversionFile.name)
        } catch {
            _ = try? Files.remove(path)
            throw error
        }
    }

    /// Removes whatever has this name, unless it is a folder.
    static func remove(in folder: String) { _ = try? Files.remove(folder + "/" + name) }

    /// Whether it is from this run of the system and for this state of the folder, and its generation exists and was
    /// made by Settee. A plain generation beside an encrypted database is never kept.
    ///
    /// - Parameter names: The names in the folder.
    func isValid(in folder: String, for manifest: ManifestCopy, names: [String]) -> Bool {
        guard place.boot == Host.bootIdentity, place.manifest == manifest.checksum,
            note.encryption != nil || !manifest.manifest.isEncrypted
        else { return false }
        for name in place.names {
            guard names.contains(name), names.contains(GenerationMark.name(of: name)),
                name != manifest.manifest.dataName, name != manifest.manifest.blobName
            else { return false }
        }
        guard let info = try? Files.info(folder + "/" + place.dataName, follow: false) else { return false }
        return info.isDirectory && info.identity == place.folder
    }
}

extension ManifestCopy {
    /// The digits of its checksum, which covers all of it.
    var checksum: String { String(decoding: text.suffix(67).prefix(64), as: UTF8.self) }
}
