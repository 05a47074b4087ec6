internal import StorageEngineKit
internal import StorageProtocol

extension BlobReference {
    /// The length in bytes of a digest, the key of `blobs`.
    static let digestLength = 20

    /// The value of `blobs`.
    var stored: [UInt8] {
        var numbers = [UInt8](repeating: 0, count: 20)
        var count = 0
        unsafe numbers.withUnsafeMutableBytes { buffer in
            unsafe Varint.write(length, to: buffer, &count)
            unsafe Varint.write(self.count, to: buffer, &count)
        }
        return numbers[..<count] + Array(storageName.utf8)
    }

    /// - Throws: `corrupt` (591) for bytes that `stored` does not produce, or another key.
    init(storedKey key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard key.count == BlobReference.digestLength, let length = unsafe Varint.read(bytes, &offset),
            let count = unsafe Varint.read(bytes, &offset),
            let name = unsafe String(validating: bytes[offset...], as: UTF8.self)
        else { throw .corrupt("A stored reference of a blob is damaged") }
        self.init(digest: unsafe Array(key), storageName: name, length: length, count: count)
    }
}
