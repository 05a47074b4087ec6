public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

/// A database: documents by ID, stored by one engine in one folder or in memory.
///
/// All of it may be used from many threads. A transaction or snapshot belongs to the thread that began it, and calls
/// from inside join it. Readers and the writer never wait for each other; writers wait for their turn.
///
/// After `close`, or after the database was deleted, every call throws `notOpen` (503), and observations end.
public final class Database: Sendable {
    /// The name by which its manager opens it, or the name of its folder.
    public let name: String
    /// The database folder, an absolute file URL without symbolic links; nil for a database in memory.
    public var url: URL? { path.map { URL(filePath: $0, directoryHint: .isDirectory) } }
    package let path: String?
    /// The type of the engine that stores it.
    public var storageType: StorageType { setup.factory.storageType }
    /// What its engine can do.
    package var capabilities: StorageCapabilities { setup.capabilities }
    /// Whether every write is refused (403).
    public let isReadOnly: Bool
    /// What a commit survives: at least what was asked for when the database was opened.
    public var durability: Durability { store.durability.withLock { $0 } }
    /// How the bodies of documents are stored. Chosen when the database was created or converted.
    public var compression: Compression { store.state.withLock { $0.compression } }

    let store: OpenStore
    /// The handle that keeps the store open; nil if it is this one.
    let origin: Database?
    let hasEnded = Atomic(false)
    let busyTimeout: Duration
    let validations: NameRegistry<Validation>
    let filters: NameRegistry<NamedFilter>
    /// What it does is recorded there; nil: nowhere.
    package let trace: DatabaseTrace?
    /// How many threads run map functions.
    package let mappingThreads: Int
    /// Read once, because the system reads files to answer.
    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount
    /// State that upper modules keep for this handle.
    let companions = CompanionShelf()
    /// What refers to this handle without keeping it alive.
    package let reference = DatabaseReference()
    /// State that upper modules share between all handles with the same rights.
    let sharedCompanions: CompanionShelf

    init(
        name: String,
        folder: DatabaseFolder?,
        setup: StorageSetup,
        engine: any StorageEngine,
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule],
        isReadOnly: Bool,
        durability: Durability,
        busyTimeout: Duration,
        mappingThreads: Int? = nil,
        recorder: TraceRecorder? = nil,
        closed: Latch = Latch(),
        whenClosed: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.path = folder?.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = nil
        self.trace = recorder.map { DatabaseTrace($0, uuid: folder?.databaseUUID) }
        self.validations = NameRegistry()
        self.filters = NameRegistry()
        self.sharedCompanions = CompanionShelf()
        self.store = OpenStore(
            folder: folder,
            setup: setup,
            engine: engine,
            engines: engines,
            modules: modules,
            durability: durability,
            closed: closed,
            whenClosed: whenClosed
        )
        reference.begin(self)
        store.handles.withLock { $0.append(reference) }
        changeFeed.attach(reference)
    }

    /// Makes another handle on the store of `origin`, with its own rights and options.
    init(sharing origin: Database, isReadOnly: Bool, busyTimeout: Duration, mappingThreads: Int?) {
        self.name = origin.name
        self.path = origin.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = origin.origin ?? origin
        self.trace = origin.trace
        // A handle that can only read must not set functions for handles that write.
        let isOfSameRights = isReadOnly == origin.isReadOnly
        self.validations = isOfSameRights ? origin.validations : NameRegistry()
        self.filters = isOfSameRights ? origin.filters : NameRegistry()
        self.sharedCompanions = isOfSameRights ? origin.sharedCompanions : CompanionShelf()
        self.store = origin.store
        reference.begin(self)
    }

    /// A handle for the document with an ID, whether the document exists or not. Nothing is read. If the ID is not
    /// allowed, the calls of the handle throw.
    public subscript(id: String) -> Document { Document(DocumentID(unchecked: id), in: self) }

    /// A handle for the document with an ID, whether the document exists or not.
    public subscript(id: DocumentID) -> Document { Document(id, in: self) }

    /// A handle for the document of a row, as above. Nil for nil, because grouped and reduced rows belong to no
    /// document.
    public subscript(id: DocumentID?) -> Document? { id.map { self[$0] } }

    /// Makes a handle for a new document with a generated ID. Nothing is written until it is saved.
    ///
    /// The ID is a UUID of version 7 (RFC 9562) in lower case. It begins with the time, so that documents that are made
    /// one after the other are stored side by side. Whoever sees the ID can read the time in it.
    public func makeDocument() -> Document { self[Database.makeID()] }

    /// Returns the document with an ID if it exists and is not deleted, else nil.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed.
    public func existingDocument(_ id: some DocumentIDConvertible) throws(StorageError) -> Document? {
        let document = self[id.documentIDText]
        return try document.exists ? document : nil
    }

    /// Whether the database can be used: it is neither closed nor deleted.
    public var isOpen: Bool {
        !hasEnded.load(ordering: .acquiring) && store.state.withLock { $0.generation != nil }
    }

    deinit {
        reference.end()
        if origin == nil { try? close() }
    }
}
