internal import SetteeStorageFiles
internal import StorageProtocol

/// The description of the content at the end of a file.
struct BlobTrailer: Equatable {
    var sha1: [UInt8]
    var sha256: [UInt8]
    var length: UInt64

    init(_ content: BlobContent) {
        sha1 = content.sha1
        sha256 = content.sha256
        length = content.length
    }

    /// Reads and opens the trailer.
    ///
    /// - Throws: `corrupt` (591) if it was changed, or the file's length differs from the recorded one.
    init(of file: BlobFile, _ layout: BlobLayout, _ cipher: BlobFileCipher) throws(StorageError) {
        let sealed = try file.read(at: layout.trailerOffset, count: BlobLayout.sealedTrailerLength)
        let opened = unsafe sealed.withUnsafeBytes { unsafe cipher.open(.trailer, $0) }
        guard let bytes = opened.map({ Array($0) }), bytes.count == BlobLayout.trailerLength else {
            throw file.damage("its end was changed")
        }
        sha1 = Array(bytes[..<20])
        sha256 = Array(bytes[20..<52])
        length = bytes[52...].reduce(0) { $0 << 8 | UInt64($1) }
        guard length == layout.length else { throw file.damage("it has lost bytes, or has some that are not its own") }
    }

    var bytes: [UInt8] {
        sha1 + sha256 + (0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * $0)) }
    }
}
