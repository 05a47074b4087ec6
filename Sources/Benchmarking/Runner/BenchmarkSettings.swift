public import Foundation
public import StorageProtocol

/// What to measure, and how.
public struct BenchmarkSettings: Sendable {
    public var storageTypes: [StorageType]
    public var workloads: [Workload] = Workload.all
    /// How many documents; several numbers give results for each.
    public var documents = [100_000]
    public var source = DocumentSource.people
    public var rounds = 3
    public var durability = Durability.normal
    public var randomIDs = false
    public var seed: UInt64 = 42
    /// With how many documents each workload that writes is warmed up; 0: none is.
    public var warmUp = 2000
    /// The folder of the plain C programs; nil: nothing is compared with them.
    public var baselines: URL?
    /// The folder in which a new one is made for the databases, and removed at the end.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// What the result file says of the program.
    public var version = ""
    public var commit: String?
    public var commandLine: [String] = []

    public init(storageTypes: [StorageType]) { self.storageTypes = storageTypes }
}
