internal import StorageProtocol

/// The file `.settee-conversion`: which generation without a name in the manifest a conversion was making when it was
/// killed.
///
/// Whatever is wrong with the file, it is as if there were none. docs/internals/generation-switch.md has its form.
package struct ConversionFile: Sendable, Equatable {
    /// What is being made, and of what.
    struct Place: Sendable, Equatable {
        /// The run of the system: what it has not synced is there until its end.
        var boot: String
        /// The checksum of the manifest that counted.
        var manifest: String
        /// The number of the next data folder.
        var data: UInt64
        /// The folder itself: a copy of it is another one.
        var folder: FileIdentity
        /// The number of the next folder of blobs; nil: the present ones stay.
        var blobs: UInt64?

        var dataName: String { Manifest.generationName(.data, data) }
        var blobName: String? { blobs.map { Manifest.generationName(.blobs, $0) } }
        var names: [String] { [dataName] + (blobName.map { [$0] } ?? []) }
    }

    static let name = ".settee-conversion"
    /// No such file is longer.
    static let largestSize = 16 << 10

    let place: Place
    package let note: ConversionNote
    /// The bytes before the MAC, which it covers.
    package let sealedText: ArraySlice<UInt8>
    /// The digits of the MAC; nil for a plain generation.
    package let code: ArraySlice<UInt8>?
    let text: [UInt8]

    /// Whether contents of attachments are made anew as well.
    package var hasContents: Bool { place.blobs != nil }

    package static func == (a: ConversionFile, b: ConversionFile) -> Bool { a.text == b.text }

    // MARK: - In a folder

    /// What the folder has; nil where that is nothing, or cannot be read as such a file.
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

    /// Puts the file in the place of an earlier one. It is not synced: after the end of the system's run it is void.
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

    /// Takes the name away, whatever has it but a folder.
    static func remove(in folder: String) { _ = try? Files.remove(folder + "/" + name) }

    /// Whether it is of this run of the system and of this state of the folder, and its generation is there and is
    /// Settee's.
    ///
    /// - Parameter names: what the folder holds.
    func isValid(in folder: String, for manifest: ManifestCopy, names: [String]) -> Bool {
        guard place.boot == Host.bootIdentity, place.manifest == manifest.checksum else { return false }
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
