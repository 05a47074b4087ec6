/// All the damage found in the files of a store that could not be opened. It is the cause of that `StorageError`.
public struct DamageList: Error, Sendable {
    public var problems: [StorageProblem]

    public init(_ problems: [StorageProblem]) { self.problems = problems }
}
