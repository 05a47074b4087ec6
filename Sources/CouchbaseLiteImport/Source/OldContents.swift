internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// The contents of an old database's attachments: files named by the SHA-1 of their contents.
final class OldContents {
    /// Why a content is not available.
    enum Fault: String, Error {
        case missing = "the file of an attachment's content is missing"
        case unusable = "what is in the place of an attachment's content is no file"
        case damaged = "the file of an attachment's content is damaged"
        case encrypted = "the content of an attachment is encrypted in a way, or with a key, that is not known"
    }

    private let layout: OldLayout
    private let keys: [StorageKey]
    private let marker: String?
    private static let markerName = "_encryption"
    private static let piece = 1 << 18

    init(_ layout: OldLayout, keys: [StorageKey], marker: String?) {
        self.layout = layout
        self.keys = keys
        self.marker = marker
    }

    /// Returns the text of the marker of encrypted contents; nil if there is none.
    ///
    /// - Throws: a failure to read it.
    static func marker(in layout: OldLayout) throws(StorageError) -> String? {
        for place in layout.attachmentFolders {
            guard let file = try file("\(place)/\(markerName)", in: layout, ifUnusable: {}) else { continue }
            return String(decoding: try file.read(at: 0, count: 64), as: UTF8.self)
        }
        return nil
    }

    /// Opens a file of the old database; nil if there is none. Calls `ifUnusable` if something else has its name.
    private static func file(
        _ name: String,
        in layout: OldLayout,
        ifUnusable: () -> Void
    ) throws(StorageError) -> OutsideFile? {
        do throws(StorageError) {
            return try OutsideFile(in: layout.folder, name)
        } catch {
            guard error.code == .badParameter else { throw error }
            ifUnusable()
            return nil
        }
    }

    /// Imports a content. Its file name is its digest, by which each attempt is checked, with and without decryption:
    /// releases of Couchbase Lite differ in whether they left contents encrypted.
    ///
    /// - Parameter bring: takes the content piece by piece; returns false if its SHA-1 differs.
    /// - Throws: failures to read the file, and whatever `bring` throws. Only a content that is known to be at fault
    ///   may be left out: one that could not be read or written this time may be whole.
    func bring(
        _ digest: [UInt8],
        _ bring: (() throws(StorageError) -> [UInt8]?) throws(StorageError) -> Bool
    ) throws(StorageError) -> Fault? {
        guard digest.count == 20 else { return .missing }
        var fault = Fault.missing
        for file in try files(digest, &fault) {
            fault = marker == nil ? .damaged : .encrypted
            // The state that the marker indicates is tried first.
            var attempts: [StorageKey?] = keys
            if marker == nil { attempts.insert(nil, at: 0) } else { attempts.append(nil) }
            for key in attempts {
                var stream = try ContentStream(file, key: key)
                do throws(StorageError) {
                    if try bring({ () throws(StorageError) in try stream.next() }) { return nil }
                } catch {
                    guard stream.isUndecryptable else { throw error }
                }
                if key != nil { fault = .damaged }
            }
        }
        return fault
    }

    private func files(_ digest: [UInt8], _ fault: inout Fault) throws(StorageError) -> [OutsideFile] {
        let digits = Array("0123456789ABCDEF")
        let upper = String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        var files: [OutsideFile] = []
        for place in layout.attachmentFolders {
            for name in [upper, upper.lowercased()] {
                let found = try OldContents.file("\(place)/\(name).blob", in: layout) { fault = .unusable }
                if let found { files.append(found) }
            }
        }
        return files
    }

    /// A file's content, decrypted if there is a key.
    private struct ContentStream {
        private let file: OutsideFile
        private var decryptor: LegacyBlobDecryptor?
        private var offset: UInt64 = 0
        private var isOver = false
        /// Whether `next` threw because the bytes cannot be decrypted with the key.
        private(set) var isUndecryptable = false

        init(_ file: OutsideFile, key: StorageKey?) throws(StorageError) {
            self.file = file
            if let key { decryptor = try LegacyBlobDecryptor(key: key) }
        }

        mutating func next() throws(StorageError) -> [UInt8]? {
            guard !isOver else { return nil }
            let bytes = try file.read(at: offset, count: OldContents.piece)
            offset += UInt64(bytes.count)
            isOver = bytes.isEmpty
            guard decryptor != nil else { return isOver ? nil : bytes }
            do throws(StorageError) {
                return isOver ? try decryptor?.finish() : try decryptor?.decrypt(bytes)
            } catch {
                isUndecryptable = true
                throw error
            }
        }
    }
}
