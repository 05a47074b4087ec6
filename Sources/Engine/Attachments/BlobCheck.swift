internal import StorageProtocol

/// Checks that the contents named by references exist and are intact.
struct BlobCheck {
    let database: Database
    let store: any BlobStore

    /// Returns what is wrong with the content of a reference, or nil.
    func fault(of reference: BlobReference) throws(StorageError) -> String? {
        try naming { () throws(StorageError) in try contentFault(of: reference) }
    }

    private func contentFault(of reference: BlobReference) throws(StorageError) -> String? {
        let name = reference.storageName
        let fault = try store.verify(name)
        // It may have been moved to the trash since the snapshot that is checked.
        guard let reader = try store.readerAnywhere(name) else { return "is missing" }
        guard reader.length == reference.length else {
            return "has \(reader.length) bytes instead of \(reference.length)"
        }
        if let fault, try store.size(name) != nil { return "is damaged: \(fault)" }
        guard try database.attachmentSHA1(of: reader) == reference.digest else {
            return "has another SHA-1 than its reference"
        }
        return nil
    }

    /// Returns what is wrong with the lengths that attachments state for a content, or nil.
    func fault(of reference: BlobReference, _ lengths: AttachmentLengths) throws(StorageError) -> String? {
        guard lengths.stored == reference.length else {
            return "has \(reference.length) bytes, but attachments say \(lengths.stored)"
        }
        guard let decoded = lengths.decoded else { return nil }
        return try naming { () throws(StorageError) in
            guard let reader = try store.readerAnywhere(reference.storageName) else { return "is missing" }
            if try DecodedLength.of(reader, upTo: decoded) == decoded { return nil }
            return "does not decode to the \(decoded) bytes that attachments say"
        }
    }

    /// Reports damage found while reading as a fault, too.
    private func naming(_ look: () throws(StorageError) -> String?) throws(StorageError) -> String? {
        do throws(StorageError) {
            return try look()
        } catch {
            guard error.code == .corrupt else { throw error }
            return "is damaged: \(error.message)"
        }
    }
}
