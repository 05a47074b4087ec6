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
    static func marker(in layout: OldLayout) -> String? {
        for place in layout.attachmentFolders {
            guard let file = try? OutsideFile(in: layout.folder, "\(place)/\(markerName)"),
                let bytes = try? file.read(at: 0, count: 64)
            else { continue }
            return String(decoding: bytes, as: UTF8.self)
        }
        return nil
    }

    /// Imports a content. Its file name is its digest, by which each attempt is checked, with and without decryption:
    /// releases of Couchbase Lite differ in whether they left contents encrypted.
    ///
    /// - Parameter bring: takes the content piece by piece; returns false if its SHA-1 differs.
    /// - Throws: failures that are not faults of the content.
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
                do throws(StorageError) {
                    var stream = try ContentStream(file, key: key)
                    if try bring({ () throws(StorageError) in try stream.next() }) { return nil }
                    if key != nil { fault = .damaged }
                } catch {
                    // Reading the file or decrypting it failed.
                    guard [.corrupt, .storage, .fileSystem].contains(error.code) else { throw error }
                    fault = .damaged
                }
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
                do throws(StorageError) {
                    if let file = try OutsideFile(in: layout.folder, "\(place)/\(name).blob") { files.append(file) }
                } catch {
                    fault = .unusable
                }
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
            return isOver ? try decryptor?.finish() : try decryptor?.decrypt(bytes)
        }
    }
}
