import SetteeStorageFiles
import StorageProtocol

/// Writes and publishes a blob, in pieces.
@discardableResult
func publish(_ text: String, in store: FileBlobStore) throws(StorageError) -> BlobContent {
    let writer = try store.makeWriter()
    for byte in text.utf8 { try append([byte], to: writer) }
    let content = try writer.finish()
    try writer.publish()
    return content
}

func append(_ bytes: [UInt8], to writer: any BlobWriter) throws(StorageError) {
    try unsafe writer.append(bytes.span.bytes)
}
