internal import Crypto
package import StorageProtocol

/// The MD5s of contents by their SHA-1s, as entries of an index.
///
/// CouchDB and its clients name contents by MD5, and nothing else needs it. An index can be left out, dropped or lost:
/// what it lacks is computed from the contents when it is asked for.
enum ContentMD5 {
    /// Views' indexes have a prefix of their own.
    static let index = "attachments-md5"

    /// Returns the MD5 (16 bytes) of a content that is known, nil if it is not.
    static func known(_ sha1: [UInt8], in transaction: any ReadTransaction) throws(StorageError) -> [UInt8]? {
        guard let md5 = try transaction.indexEntry(index, key: sha1), md5.count == 16 else { return nil }
        return md5
    }

    /// Reads a content and returns its MD5.
    static func computed(_ content: any BlobReader) throws(StorageError) -> [UInt8] {
        var md5 = Insecure.MD5()
        try content.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe md5.update(bufferPointer: $0) } }
        return Array(md5.finalize())
    }
}

extension WriteSession {
    /// Keeps the MD5 of a content.
    func keep(md5: [UInt8], of sha1: [UInt8]) throws(StorageError) {
        if try direct.indexState(ContentMD5.index) == nil {
            try direct.setIndexState(ContentMD5.index, IndexState(version: "1", collationVersion: ""))
        }
        try direct.putIndexEntry(ContentMD5.index, key: sha1, value: md5)
    }

    /// Forgets the MD5 of a content that goes.
    func forgetMD5(of sha1: [UInt8]) throws(StorageError) {
        guard try direct.indexState(ContentMD5.index) != nil else { return }
        let only = ByteRange(lower: .including(sha1), upper: .including(sha1))
        try direct.removeIndexEntries(ContentMD5.index, in: only)
    }

    /// Returns the MD5 of a content, nil if the content is lost. One that is not known is computed and kept.
    func md5(of sha1: [UInt8]) throws(StorageError) -> [UInt8]? {
        if let known = try ContentMD5.known(sha1, in: direct) { return known }
        guard let reference = try direct.blobReference(sha1),
            let content = try database.blobReader(reference.storageName)
        else { return nil }
        let md5 = try ContentMD5.computed(content)
        try keep(md5: md5, of: sha1)
        return md5
    }
}

extension Database {
    /// Returns the MD5s (16 bytes) of contents of attachments, in the order of their SHA-1s (20 bytes).
    ///
    /// What is not known yet is computed by reading the content, and kept: unless the database is read-only, or the
    /// thread is inside a transaction or closure of it. Inside a snapshot it waits for `keepComputedMD5s`.
    ///
    /// - Throws: `attachmentNotFound` (492) if no kept revision refers to one of them any more, or if it is lost.
    /// - Complexity: O(log n) for each that is known, else O(bytes).
    package func md5(ofContents sha1s: [[UInt8]]) throws(StorageError) -> [[UInt8]] {
        var found = try withReadTransaction { (transaction) throws(StorageError) in
            var found: [[UInt8]?] = []
            for sha1 in sha1s { found.append(try ContentMD5.known(sha1, in: transaction)) }
            return found
        }
        let missing = found.indices.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found.compactMap(\.self) }
        for place in missing { found[place] = try ContentMD5.computed(attachmentReader(sha1s[place])) }
        if !isReadOnly {
            let computed = missing.compactMap { place in found[place].map { (sha1s[place], $0) } }
            switch ThreadContext.current.activity(on: self) {
            // Without it they are computed again.
            case nil: try? keep(computed)
            case .snapshot: store.computedMD5s.add(computed)
            case .write, .closure: break
            }
        }
        return found.compactMap(\.self)
    }

    /// Whether MD5s were computed inside snapshots and are not kept yet.
    package var hasComputedMD5s: Bool { !store.computedMD5s.isEmpty }

    /// Keeps the MD5s that were computed inside snapshots, in a transaction of its own. Does nothing if there are none.
    ///
    /// - Throws: as any write. They are computed again then.
    package func keepComputedMD5s() throws(StorageError) {
        let computed = store.computedMD5s.take()
        if !computed.isEmpty { try keep(computed) }
    }

    private func keep(_ md5s: [ComputedMD5s.Entry]) throws(StorageError) {
        try change { (session) throws(StorageError) in
            for (sha1, md5) in md5s {
                guard let use = try session.direct.blobReference(sha1), use.count > 0 else { continue }
                session.noteChange()
                try session.keep(md5: md5, of: sha1)
            }
        }
    }
}
