internal import StorageProtocol

/// One attachment's reference to a blob.
package struct AttachmentUse {
    /// The SHA-1 of the stored bytes, 20 bytes.
    var digest: [UInt8]
    /// The name and length of the blob in the store of the generation that is being written.
    var storageName: String
    var length: UInt64
    /// The content, if it may not be in the store yet.
    var staged: StagedAttachment?

    package init(digest: [UInt8], storageName: String, length: UInt64, staged: StagedAttachment? = nil) {
        self.digest = digest
        self.storageName = storageName
        self.length = length
        self.staged = staged
    }
}
