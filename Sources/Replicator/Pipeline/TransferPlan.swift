internal import SetteeDocumentValues
internal import StorageProtocol

/// What one direction of a run passes on, and how.
struct TransferPlan: Sendable {
    var direction: ReplicatedDocument.Direction
    var isContinuous: Bool
    /// What the source leaves out.
    var feedFilter: FeedFilter?
    /// What is left out of what the source tells: all documents but these; nil: none.
    var documentIDs: Set<DocumentID>?
    /// What is left out of what was read.
    var revisionFilter: PullOptions.Filter?
    var resetsCheckpoint: Bool
    var limits: ReplicationLimits

    /// - Throws: `ReplicationError` with `badConfiguration` for ways to choose documents that exclude each other, and
    ///   for a parameter of a filter that is an option of the protocol.
    init(
        _ configuration: ReplicatorConfiguration,
        _ direction: ReplicatedDocument.Direction,
        _ limits: ReplicationLimits
    ) throws(ReplicationError) {
        self.direction = direction
        self.limits = limits
        isContinuous = configuration.isContinuous
        resetsCheckpoint = configuration.resetsCheckpoint
        try configuration.checkChoice(direction)
        guard direction == .pull else { return }
        revisionFilter = configuration.pull.filter
        if !configuration.pull.channels.isEmpty { feedFilter = .channels(configuration.pull.channels) }
        if let filter = configuration.pull.remoteFilter { feedFilter = .named(filter.name, filter.parameters) }
        if let selector = configuration.selector { feedFilter = .selector(selector) }
        let names = configuration.pull.remoteFilter?.parameters.map { $0.0 } ?? []
        if let name = names.first(where: ChangesQuery.reservedNames.contains) {
            throw ReplicationError(
                .badConfiguration,
                "'\(name)' is an option of the protocol and no parameter of a filter. Give that another name."
            )
        }
        guard let ids = configuration.documentIDs else { return }
        feedFilter = .documentIDs(ids)
        documentIDs = Set(ids.map { DocumentID(unchecked: $0) })
    }
}
