import Settee
import StorageConformance
import StorageProtocol

/// Opens another factory's stores, whose blobs tell when somebody begins to read their contents, before they are read.
final class GatedBlobs: ForwardingEngineFactory {
    let base: any StorageEngineFactory
    /// Called with the name of the blob.
    private let whenReading: @Sendable (String) -> Void

    init(_ base: any StorageEngineFactory, whenReading: @escaping @Sendable (String) -> Void) {
        self.base = base
        self.whenReading = whenReading
    }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        let engine = try base.open(directory: directory, options: options)
        return Engine(base: engine, blobStore: engine.blobStore.map { Store(base: $0, whenReading: whenReading) })
    }

    private final class Engine: ForwardingEngine {
        let base: any StorageEngine
        let blobStore: (any BlobStore)?

        init(base: any StorageEngine, blobStore: (any BlobStore)?) {
            self.base = base
            self.blobStore = blobStore
        }
    }

    private final class Reader: BlobReader {
        let base: any BlobReader
        let whenReading: () -> Void

        init(base: any BlobReader, whenReading: @escaping () -> Void) {
            self.base = base
            self.whenReading = whenReading
        }

        var length: UInt64 { base.length }

        func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
            // Who reads to the end also reads behind it.
            if offset == 0 { whenReading() }
            return try base.read(at: offset, count: count)
        }
    }

    private final class Store: BlobStore {
        let base: any BlobStore
        let whenReading: @Sendable (String) -> Void

        init(base: any BlobStore, whenReading: @escaping @Sendable (String) -> Void) {
            self.base = base
            self.whenReading = whenReading
        }

        func reader(_ name: String) throws(StorageError) -> (any BlobReader)? {
            guard let reader = try base.reader(name) else { return nil }
            let whenReading = whenReading
            return Reader(base: reader) { whenReading(name) }
        }

        func makeWriter() throws(StorageError) -> any BlobWriter { try base.makeWriter() }
        func name(ofSHA256 digest: [UInt8]) -> String { base.name(ofSHA256: digest) }
        func size(_ name: String) throws(StorageError) -> UInt64? { try base.size(name) }
        func filePath(_ name: String) throws(StorageError) -> String? { try base.filePath(name) }
        func names(_ body: (String) throws(StorageError) -> Bool) throws(StorageError) { try base.names(body) }
        func restore(_ name: String) throws(StorageError) -> Bool { try base.restore(name) }
        func removeAbandoned() throws(StorageError) { try base.removeAbandoned() }
        func verify(_ name: String) throws(StorageError) -> String? { try base.verify(name) }

        func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool {
            try base.moveToTrash(name, epoch: epoch)
        }

        func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)? { try base.trashedReader(name) }

        func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64) {
            try base.emptyTrash(before: epoch)
        }

        func trash(
            _ body: (_ name: String, _ epoch: UInt64, _ bytes: UInt64) throws(StorageError) -> Bool
        ) throws(StorageError) { try base.trash(body) }
    }
}
