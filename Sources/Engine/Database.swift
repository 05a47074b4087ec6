public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

/// A database: documents by ID, in one folder (or in memory), stored by one engine.
///
/// All of it may be used from many threads. A transaction or snapshot belongs to the thread that began it, and calls
/// from inside join it. Readers do not wait for the writer, nor it for them; writers wait for each other.
///
/// After `close`, or when the database was deleted, every call throws `notOpen` (503), and observations end.
public final class Database: Sendable {
    /// The name a manager knows it by, or the folder's.
    public let name: String
    /// Its folder, an absolute file URL without symbolic links; nil for a database in memory.
    public var url: URL? { path.map { URL(filePath: $0, directoryHint: .isDirectory) } }
    package let path: String?
    /// The engine that stores it.
    public var storageType: StorageType { setup.factory.storageType }
    /// Whether every write is refused (403).
    public let isReadOnly: Bool
    /// What a commit survives: at least what was asked for when it was opened.
    public var durability: Durability { store.durability.withLock { $0 } }
    /// How it keeps the bodies of documents: chosen when it was made, or converted.
    public var compression: Compression { store.state.withLock { $0.compression } }

    let store: OpenStore
    /// The handle that keeps the store open; nil for that one itself.
    let origin: Database?
    let hasEnded = Atomic(false)
    let busyTimeout: Duration
    let validations: ValidationRegistry
    /// How many threads map functions run on.
    package let mappingThreads: Int
    /// Asked once: the system answers from files.
    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount
    /// What upper floors keep here.
    let companions = CompanionShelf()
    /// The same, for all handles of the same rights.
    let sharedCompanions: CompanionShelf

    init(
        name: String,
        folder: DatabaseFolder?,
        setup: StorageSetup,
        engine: any StorageEngine,
        engines: [any StorageEngineFactory],
        isReadOnly: Bool,
        durability: Durability,
        busyTimeout: Duration,
        mappingThreads: Int? = nil,
        closed: Latch = Latch(),
        whenClosed: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.path = folder?.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = nil
        self.validations = ValidationRegistry()
        self.sharedCompanions = CompanionShelf()
        self.store = OpenStore(
            folder: folder,
            setup: setup,
            engine: engine,
            engines: engines,
            durability: durability,
            closed: closed,
            whenClosed: whenClosed
        )
        store.handles.withLock { $0.append(WeakDatabase(self)) }
        changeFeed.attach(self)
    }

    /// Another handle on the store of `origin`, with rights and options of its own.
    init(sharing origin: Database, isReadOnly: Bool, busyTimeout: Duration, mappingThreads: Int?) {
        self.name = origin.name
        self.path = origin.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = origin.origin ?? origin
        // Who may only read sets no functions for those who write.
        let isOfSameRights = isReadOnly == origin.isReadOnly
        self.validations = isOfSameRights ? origin.validations : ValidationRegistry()
        self.sharedCompanions = isOfSameRights ? origin.sharedCompanions : CompanionShelf()
        self.store = origin.store
    }

    /// A handle for the document of an ID, whether it exists or not. Nothing is read: an ID that is not allowed is
    /// refused by the handle's calls.
    public subscript(id: String) -> Document { Document(DocumentID(unchecked: id), in: self) }

    /// A handle for the document of an ID, whether it exists or not.
    public subscript(id: DocumentID) -> Document { Document(id, in: self) }

    /// As the form above, for rows that may be of no document (grouped and reduced ones): nil for nil.
    public subscript(id: DocumentID?) -> Document? { id.map { self[$0] } }

    /// A handle for a new document with a generated ID (a UUID). Nothing is written until it is saved.
    public func makeDocument() -> Document { self[Database.makeID()] }

    /// The document of an ID if it exists and is not deleted, else nil.
    ///
    /// - Throws: `badID` (494) where the ID is not allowed.
    public func existingDocument(_ id: some DocumentIDConvertible) throws(StorageError) -> Document? {
        let document = self[id.documentIDText]
        return try document.exists ? document : nil
    }

    /// Whether the database can be used: neither closed nor deleted.
    public var isOpen: Bool {
        !hasEnded.load(ordering: .acquiring) && store.state.withLock { $0.generation != nil }
    }

    deinit {
        if origin == nil { try? close() }
    }
}
