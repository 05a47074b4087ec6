/// Where and how results were measured.
public struct BenchmarkEnvironment: Codable, Equatable, Sendable {
    /// Settee's version.
    public var settee: String
    /// The commit that was built; nil if it is not known.
    public var commit: String?
    /// `release` or `debug`.
    public var build: String
    /// When the run began, in the form of RFC 3339.
    public var date: String
    public var system: String
    public var processor: String
    public var cores: Int
    public var memoryBytes: UInt64?
    /// The type of the file system of the temporary folder.
    public var fileSystem: String?
    /// The versions of the engines' libraries, by the library's name.
    public var libraries: [String: String]
    public var durability: String
    /// `ordered` or `random`.
    public var documentIDs: String
    /// What the documents are: `people`, `people, 1024 bytes each`, or the user's own.
    public var data: String
    public var seed: UInt64
    public var rounds: Int
    public var commandLine: [String]

    public init(
        settee: String,
        commit: String? = nil,
        build: String,
        date: String,
        system: String,
        processor: String,
        cores: Int,
        memoryBytes: UInt64? = nil,
        fileSystem: String? = nil,
        libraries: [String: String] = [:],
        durability: String,
        documentIDs: String,
        data: String,
        seed: UInt64,
        rounds: Int,
        commandLine: [String] = []
    ) {
        self.settee = settee
        self.commit = commit
        self.build = build
        self.date = date
        self.system = system
        self.processor = processor
        self.cores = cores
        self.memoryBytes = memoryBytes
        self.fileSystem = fileSystem
        self.libraries = libraries
        self.durability = durability
        self.documentIDs = documentIDs
        self.data = data
        self.seed = seed
        self.rounds = rounds
        self.commandLine = commandLine
    }
}
