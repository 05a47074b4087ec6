// swift-tools-version: 6.2

import PackageDescription

/// Every target gets the same settings. `make check` and CI set SETTEE_STRICT, which turns warnings into errors.
let strict = Context.environment["SETTEE_STRICT"] != nil

let memberImports = SwiftSetting.enableUpcomingFeature("MemberImportVisibility")  // SE-0444
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
        .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
        .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// `make test` and `make check` set SETTEE_OPTIMIZED: what is tested is optimised, or the tests would take twice the
/// time. Not for packages that depend on this one, where SwiftPM allows no such flags.
let optimized: [SwiftSetting] =
    Context.environment["SETTEE_OPTIMIZED"] != nil ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []

/// Packages that depend on this one get no RocksDB unless they ask for it. `make` sets SETTEE_ROCKSDB.
let traits: Set = Context.environment["SETTEE_ROCKSDB"] != nil ? ["Sync", "RocksDB"] : ["Sync"]

/// These take longer to optimise than the tests spend in them.
let unoptimized: Set = [
    "SetteeStorageFiles", "SetteeEncryption", "SetteeTransfer", "SetteeModels", "SetteeJSONSchema",
    "SetteeCouchbaseLiteImport", "Settee", "SetteeBenchmarking", "SetteeBenchmarkResults", "SetteeCommand",
    "SetteeListener", "SetteeReplicator", "SetteeDesignDocuments", "SetteeDiscovery",
    "StorageConformance", "SetteeTestSupport", "SetteeProgramSupport",
]

let package = Package(
    name: "settee",
    // Linux is tested, macOS not yet. Apps for iOS, tvOS, watchOS and visionOS cannot link the system libraries.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Settee", targets: ["Settee"]),
        .library(name: "SetteeEngine", targets: ["SetteeEngine"]),
        .library(name: "SetteeTransfer", targets: ["SetteeTransfer"]),
        .library(name: "SetteeViews", targets: ["SetteeViews"]),
        .library(name: "SetteeQueries", targets: ["SetteeQueries"]),
        .library(name: "SetteeDocumentValues", targets: ["SetteeDocumentValues"]),
        .library(name: "SetteeModels", targets: ["SetteeModels"]),
        .library(name: "SetteeJSONSchema", targets: ["SetteeJSONSchema"]),
        .library(name: "SetteeSQLite", targets: ["SetteeSQLite"]),
        .library(name: "SetteeSQLCipher", targets: ["SetteeSQLCipher"]),
        .library(name: "SetteeKV", targets: ["SetteeKV"]),
        .library(name: "SetteeMemory", targets: ["SetteeMemory"]),
        .library(name: "SetteeCouchbaseLiteImport", targets: ["SetteeCouchbaseLiteImport"]),
        .library(name: "StorageProtocol", targets: ["StorageProtocol"]),
        .library(name: "StorageEngineKit", targets: ["StorageEngineKit"]),
        .library(name: "StorageConformance", targets: ["StorageConformance"]),
        .library(name: "SetteeBenchmarking", targets: ["SetteeBenchmarking"]),
        .library(name: "SetteeListener", targets: ["SetteeListener", "SetteeJavaScript"]),
        .library(name: "SetteeReplicator", targets: ["SetteeReplicator"]),
        .library(name: "SetteeDiscovery", targets: ["SetteeDiscovery"]),
        .executable(name: "settee", targets: ["SetteeCommand"]),
        .executable(name: "settee-js", targets: ["SetteeJSWorker"]),
    ],
    traits: [
        .default(enabledTraits: traits),
        .trait(name: "Sync", description: "The HTTP listener and the replicator: `settee serve`, `settee replicate`."),
        .trait(name: "RocksDB", description: "Databases of type `rocksdb`. The library is loaded when one is opened."),
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // System libraries and C shims.
        .systemLibrary(
            name: "CSetteeICU",
            pkgConfig: "icu-i18n",
            providers: [.apt(["libicu-dev"]), .brew(["icu4c"])]
        ),
        .systemLibrary(
            name: "CSetteeSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CSetteeZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CSetteeLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "CSetteeLZ4",
            pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]
        ),
        // Loads RocksDB at run time. Its header, where there is one, is only compared with.
        .target(
            name: "CSetteeRocksDB",
            cSettings: [.define("SETTEE_ROCKSDB", .when(traits: ["RocksDB"]))],
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),
        .target(name: "CSetteeUnicode", dependencies: ["CSetteeICU"]),
        .target(name: "CSetteeSQLiteAPI", dependencies: ["CSetteeSQLite"]),
        .target(name: "CSetteeVectors"),
        .target(name: "CSetteeOwnership"),
        .target(name: "CSetteeReferences"),
        .target(name: "CSetteeStorageFiles", dependencies: ["CSetteeOwnership"]),

        // The floors of docs/internals/architecture.md; arrows point down only. No two targets of an app and its
        // packages may have one name, so ours carry the project's, and a target of ours is imported by the name of its
        // product.
        .target(name: "SetteeSystemLibrary", path: "Sources/SystemLibrary"),
        .target(name: "StorageProtocol", dependencies: ["SetteeSystemLibrary"]),
        .target(name: "StorageEngineKit", dependencies: ["StorageProtocol"]),
        .target(
            name: "SetteeDocumentValues",
            dependencies: ["StorageProtocol", "SetteeSystemLibrary", "CSetteeUnicode", "CSetteeVectors"],
            path: "Sources/DocumentValues"
        ),
        .target(
            name: "SetteeStorageFiles",
            dependencies: [
                "StorageProtocol", "SetteeSystemLibrary", "CSetteeStorageFiles",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/StorageFiles"
        ),
        .target(
            name: "SetteeEncryption",
            dependencies: [
                "StorageProtocol", "SetteeStorageFiles", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Sources/Encryption"
        ),
        .target(
            name: "SetteeSQLite",
            dependencies: [
                "StorageProtocol", "StorageEngineKit", "SetteeSystemLibrary", "CSetteeOwnership", "CSetteeSQLiteAPI",
            ],
            path: "Sources/SQLiteBackend"
        ),
        .target(
            name: "SetteeSQLCipher",
            dependencies: [
                "StorageProtocol", "SetteeSQLite", "CSetteeSQLiteAPI",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Sources/SQLCipherBackend"
        ),
        .target(
            name: "SetteeKV",
            dependencies: [
                "StorageProtocol", "StorageEngineKit", "SetteeSystemLibrary", "CSetteeOwnership", "CSetteeLMDB",
                "CSetteeLZ4", "CSetteeRocksDB", "CSetteeZlib",
            ],
            path: "Sources/KVBackend"
        ),
        .target(
            name: "SetteeMemory",
            dependencies: ["StorageProtocol", "StorageEngineKit", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/MemoryBackend"
        ),
        .target(
            name: "SetteeJSONSchema",
            dependencies: ["StorageProtocol", "SetteeDocumentValues"],
            path: "Sources/JSONSchema"
        ),
        .target(
            name: "SetteeExpressions",
            dependencies: ["StorageProtocol", "SetteeDocumentValues", "CSetteeUnicode"],
            path: "Sources/Expressions"
        ),
        .target(
            name: "SetteeCouchProtocol",
            dependencies: ["StorageProtocol", "SetteeSystemLibrary", "SetteeDocumentValues", "CSetteeZlib"],
            path: "Sources/CouchProtocol"
        ),
        .target(
            name: "StorageConformance",
            dependencies: ["StorageProtocol", "StorageEngineKit", "SetteeSystemLibrary"]
        ),
        .target(name: "SetteeBenchmarkResults", path: "Sources/BenchmarkResults"),
        .target(
            name: "SetteeEngine",
            dependencies: [
                "StorageProtocol", "SetteeSystemLibrary", "SetteeDocumentValues", "SetteeStorageFiles",
                "SetteeEncryption", "CSetteeReferences", "CSetteeZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Engine"
        ),
        .target(
            name: "SetteeTransfer",
            dependencies: [
                "StorageProtocol", "SetteeSystemLibrary", "SetteeDocumentValues", "SetteeStorageFiles",
                "SetteeEncryption", "SetteeEngine", .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Transfer"
        ),
        .target(
            name: "SetteeIndexes",
            dependencies: ["StorageProtocol", "StorageEngineKit", "SetteeDocumentValues", "SetteeEngine"],
            path: "Sources/Indexes"
        ),
        .target(
            name: "SetteeViews",
            dependencies: [
                "StorageProtocol", "SetteeSystemLibrary", "SetteeDocumentValues", "SetteeExpressions", "SetteeEngine",
                "SetteeIndexes",
            ],
            path: "Sources/Views"
        ),
        .target(
            name: "SetteeQueries",
            dependencies: [
                "StorageProtocol", "SetteeDocumentValues", "SetteeEngine", "SetteeExpressions", "SetteeIndexes",
            ],
            path: "Sources/Queries"
        ),
        .target(
            name: "SetteeModels",
            dependencies: ["StorageProtocol", "SetteeDocumentValues", "SetteeEngine", "SetteeViews", "SetteeQueries"],
            path: "Sources/Models"
        ),
        .target(
            name: "SetteeCouchbaseLiteImport",
            dependencies: [
                "StorageProtocol", "SetteeDocumentValues", "SetteeStorageFiles", "SetteeEncryption", "SetteeEngine",
                "SetteeTransfer", "SetteeSystemLibrary", "SetteeSQLite", "SetteeSQLCipher", "CSetteeSQLiteAPI",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/CouchbaseLiteImport"
        ),
        .target(name: "CSetteeJavaScript", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "SetteeJavaScript",
            dependencies: [
                "StorageProtocol", "SetteeSystemLibrary", "SetteeDocumentValues", "CSetteeJavaScript",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/JavaScript"
        ),
        .target(
            name: "SetteeDesignDocuments",
            dependencies: [
                "StorageProtocol", "SetteeDocumentValues", "SetteeEngine", "SetteeViews", "SetteeJavaScript",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/DesignDocuments"
        ),
        // The program in which functions of design documents run.
        .executableTarget(name: "SetteeJSWorker", dependencies: ["SetteeSystemLibrary", "CSetteeJavaScript"]),
        .target(
            name: "SetteeListener",
            dependencies: [
                "SetteeCouchProtocol", "SetteeExpressions", "SetteeEngine", "SetteeIndexes", "SetteeViews",
                "SetteeQueries", "SetteeDesignDocuments", "SetteeJavaScript", "SetteeDocumentValues",
                "StorageProtocol", "SetteeSystemLibrary",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            path: "Sources/Listener"
        ),
        .target(
            name: "SetteeReplicator",
            dependencies: [
                "SetteeCouchProtocol", "SetteeExpressions", "SetteeEngine", "SetteeDocumentValues", "StorageProtocol",
                "SetteeSystemLibrary",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Replicator"
        ),
        .target(name: "CSetteeAvahi", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "SetteeDiscovery",
            dependencies: ["StorageProtocol", "SetteeSystemLibrary", "CSetteeAvahi"],
            path: "Sources/Discovery"
        ),
        .target(
            name: "Settee",
            dependencies: [
                "SetteeDocumentValues", "SetteeEngine", "SetteeTransfer", "SetteeIndexes", "SetteeViews",
                "SetteeQueries", "SetteeModels",
                "SetteeJSONSchema", "SetteeSQLite", "SetteeSQLCipher", "SetteeKV", "SetteeMemory",
                "SetteeCouchbaseLiteImport",
            ]
        ),
        .target(
            name: "SetteeBenchmarking",
            dependencies: [
                "Settee", "SetteeBenchmarkResults", "StorageProtocol", "SetteeSystemLibrary",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Sources/Benchmarking"
        ),
        .executableTarget(
            name: "SetteeCommand",
            dependencies: [
                "Settee", "SetteeBenchmarking", "SetteeBenchmarkResults", "StorageProtocol", "SetteeSystemLibrary",
                "SetteeDesignDocuments", "SetteeJavaScript",
                .target(name: "SetteeListener", condition: .when(traits: ["Sync"])),
                .target(name: "SetteeReplicator", condition: .when(traits: ["Sync"])),
                .target(name: "SetteeDiscovery", condition: .when(traits: ["Sync"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .testTarget(name: "StorageProtocolTests", dependencies: ["StorageProtocol", "StorageConformance"]),
        .testTarget(
            name: "StorageEngineKitTests",
            dependencies: ["StorageEngineKit", "StorageProtocol", "StorageConformance"]
        ),
        .testTarget(
            name: "DocumentValuesTests",
            dependencies: ["SetteeDocumentValues", "StorageProtocol", "StorageConformance"]
        ),
        // A program that the tests start, trace and kill; no product.
        .executableTarget(
            name: "SetteeStorageFilesProbe",
            dependencies: ["SetteeStorageFiles", "StorageProtocol", "SetteeSystemLibrary"],
            path: "Tests/StorageFilesProbe"
        ),
        .testTarget(
            name: "StorageFilesTests",
            dependencies: [
                "SetteeStorageFiles", "StorageProtocol", "StorageConformance", "SetteeStorageFilesProbe",
                "CSetteeStorageFiles", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "EncryptionTests",
            dependencies: [
                "SetteeEncryption", "SetteeStorageFiles", "StorageProtocol", "StorageConformance",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "JSONSchemaTests",
            dependencies: ["SetteeJSONSchema", "SetteeDocumentValues", "StorageProtocol"],
            // The official tests of draft 4, with their licence.
            resources: [.copy("Suite")]
        ),
        .testTarget(
            name: "ExpressionsTests",
            dependencies: [
                "SetteeExpressions", "SetteeDocumentValues", "StorageProtocol", "StorageConformance",
                "SetteeSelectorSupport",
            ]
        ),
        // Random selectors, and a plain evaluator of them.
        .target(
            name: "SetteeSelectorSupport",
            dependencies: ["SetteeDocumentValues", "StorageProtocol", "StorageConformance"],
            path: "Tests/SelectorSupport"
        ),
        .testTarget(
            name: "QueriesTests",
            dependencies: [
                "Settee", "SetteeQueries", "SetteeCommand", "SetteeTestSupport", "SetteeSelectorSupport",
                "StorageConformance", "StorageProtocol", "SetteeProgramSupport", "SetteeDocumentValues",
            ]
        ),
        .testTarget(
            name: "CouchProtocolTests",
            dependencies: ["SetteeCouchProtocol", "SetteeDocumentValues", "StorageProtocol", "StorageConformance"]
        ),
        .testTarget(
            name: "JavaScriptTests",
            dependencies: [
                "SetteeJavaScript", "SetteeJSWorker", "SetteeDocumentValues", "SetteeSystemLibrary", "StorageProtocol",
                "StorageConformance",
            ]
        ),
        .testTarget(
            name: "DesignDocumentsTests",
            dependencies: [
                "SetteeDesignDocuments", "SetteeJavaScript", "SetteeJSWorker", "Settee", "SetteeEngine",
                "SetteeTestSupport", "StorageProtocol",
            ]
        ),
        .testTarget(
            name: "ReplicatorTests",
            dependencies: [
                "SetteeReplicator", "SetteeListener", "SetteeCouchProtocol", "Settee", "SetteeDocumentValues",
                "SetteeTestSupport", "StorageProtocol", "StorageConformance", "SetteeSystemLibrary",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "DiscoveryTests",
            dependencies: ["SetteeDiscovery", "StorageProtocol", "StorageConformance"]
        ),
        .testTarget(
            name: "ListenerTests",
            dependencies: [
                "SetteeListener", "SetteeCouchProtocol", "Settee", "SetteeDocumentValues", "SetteeTestSupport",
                "SetteeDesignDocuments", "SetteeJavaScript", "SetteeJSWorker", "SetteeQueries", "StorageProtocol",
                "StorageConformance",
                "SetteeSystemLibrary",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        .testTarget(
            name: "SQLiteBackendTests",
            dependencies: [
                "SetteeSQLite", "StorageProtocol", "StorageEngineKit", "StorageConformance", "CSetteeSQLiteAPI",
                "CheckpointRace",
            ]
        ),
        .target(name: "CheckpointRace", dependencies: ["CSetteeSQLite"], path: "Tests/CheckpointRace"),
        .testTarget(
            name: "KVBackendTests",
            dependencies: [
                "SetteeKV", "StorageProtocol", "StorageEngineKit", "StorageConformance", "CSetteeLMDB",
                "SetteeKVBackendProbe",
            ]
        ),
        // Reads data files through LMDB in a process of its own, which a damaged one may end.
        .executableTarget(
            name: "SetteeKVBackendProbe",
            dependencies: ["CSetteeLMDB", "SetteeSystemLibrary"],
            path: "Tests/KVBackendProbe"
        ),
        .testTarget(
            name: "SQLCipherBackendTests",
            dependencies: ["SetteeSQLCipher", "SetteeSQLite", "StorageProtocol", "SetteeSQLCipherBackendProbe"]
        ),
        // Killed, watched, or given another library.
        .executableTarget(
            name: "SetteeSQLCipherBackendProbe",
            dependencies: ["SetteeSQLCipher", "SetteeSQLite", "StorageProtocol"],
            path: "Tests/SQLCipherBackendProbe"
        ),
        // The other process of tests with two.
        .executableTarget(
            name: "SetteeConformanceProbe",
            dependencies: ["StorageConformance", "StorageProtocol", "SetteeSQLite", "SetteeSQLCipher", "SetteeKV"],
            path: "Tests/ConformanceProbe"
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "StorageConformance", "StorageProtocol", "SetteeStorageFiles", "SetteeSQLite", "SetteeSQLCipher",
                "SetteeKV",
                "SetteeMemory", "SetteeConformanceProbe",
            ]
        ),
        // Starts the built `settee`, for all tests that need it.
        .target(name: "SetteeProgramSupport", dependencies: ["SetteeSystemLibrary"], path: "Tests/ProgramSupport"),
        // Killed while files are rewritten.
        .executableTarget(name: "SetteeCompactionProbe", dependencies: ["Settee"], path: "Tests/CompactionProbe"),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "SetteeCompactionProbe", "Settee", "SetteeBenchmarkResults", "SetteeCommand", "SetteeTestSupport",
                "StorageConformance",
                "StorageProtocol", "SetteeProgramSupport", "SetteeSystemLibrary",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // What the tests of Engine and of what stands above it have in common.
        .target(
            name: "SetteeTestSupport",
            dependencies: [
                "Settee", "SetteeEngine", "StorageConformance", "StorageProtocol",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/TestSupport"
        ),
        .testTarget(
            name: "TransferTests",
            dependencies: [
                "Settee", "SetteeCommand", "SetteeTestSupport", "StorageConformance", "StorageProtocol",
                "SetteeProgramSupport",
            ]
        ),
        .testTarget(
            name: "IndexesTests",
            dependencies: ["Settee", "SetteeIndexes", "SetteeTestSupport", "StorageProtocol"]
        ),
        .testTarget(
            name: "ViewsTests",
            dependencies: [
                "Settee", "SetteeIndexes", "SetteeCommand", "SetteeTestSupport", "StorageConformance",
                "StorageProtocol",
                "SetteeProgramSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "BenchmarkingTests",
            dependencies: [
                "SetteeBenchmarking", "SetteeBenchmarkResults", "Settee", "SetteeTestSupport", "StorageConformance",
                "StorageProtocol",
            ]
        ),
        .testTarget(
            name: "BenchmarkResultsTests",
            dependencies: ["SetteeBenchmarkResults", "SetteeProgramSupport", "StorageConformance"]
        ),
        // Writes the databases of FormatTests; no test runs it.
        .executableTarget(name: "SetteeCorpusMaker", dependencies: ["Settee"], path: "Tests/CorpusMaker"),
        .testTarget(
            name: "FormatTests",
            dependencies: ["Settee", "SetteeTestSupport", "StorageProtocol"],
            resources: [.copy("Databases")]
        ),
        .testTarget(name: "ModelsTests", dependencies: ["Settee", "SetteeTestSupport", "StorageConformance"]),
        // Killed while an old database takes the place of another.
        .executableTarget(name: "SetteeReplaceProbe", dependencies: ["Settee"], path: "Tests/ReplaceProbe"),
        .testTarget(
            name: "CouchbaseLiteImportTests",
            dependencies: [
                "Settee", "SetteeReplaceProbe", "SetteeCouchbaseLiteImport", "SetteeSQLite", "SetteeSQLCipher",
                "SetteeProgramSupport", "SetteeCommand", "SetteeEncryption", "SetteeSystemLibrary",
                "StorageConformance", "CSetteeSQLiteAPI",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Settee", "SetteeCommand", "SetteeProgramSupport", "SetteeSystemLibrary", "StorageConformance",
                // Run by the program where JavaScript is needed.
                "SetteeJSWorker",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    guard !target.name.hasPrefix("CSettee") else { continue }
    // The macros of swift-testing cannot mark unsafe expressions, so tests go without SE-0458.
    if target.type == .test {
        target.swiftSettings = settings + [memberImports]
    } else {
        let isOptimized = !unoptimized.contains(target.name)
        // Beside the listener's packages the compiler takes `stat` for CoreFoundation's in release builds of the
        // program, and would have it imported from there.
        let visible: [SwiftSetting] = target.name == "SetteeCommand" ? [] : [memberImports]
        target.swiftSettings = settings + visible + [.strictMemorySafety()] + (isOptimized ? optimized : [])
    }
}

// `make check` also builds the examples here, with what is built for the tests; `make example` builds them as what they
// are, packages of their own. They see no more of this package than those do.
if strict {
    let app: [Target.Dependency] = ["Settee"]
    let library = "Examples/Library/Sources"
    let smallest = "Examples/SmallestEngine"
    let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]
    // What Scripts/check-instructions.sh counts.
    package.targets += [
        .target(name: "InstructionCounter", path: "Tests/InstructionProbe/Counter"),
        .executableTarget(
            name: "InstructionProbe",
            dependencies: ["InstructionCounter"] + app,
            path: "Tests/InstructionProbe/Probe",
            packageAccess: false,
            swiftSettings: swift
        ),
    ]
    package.targets += [
        .target(
            name: "Models",
            dependencies: app,
            path: "\(library)/Models",
            packageAccess: false,
            swiftSettings: swift
        ),
        .target(
            name: "Engine",
            dependencies: ["Models"] + app,
            path: "\(library)/Engine",
            packageAccess: false,
            swiftSettings: swift
        ),
        .executableTarget(
            name: "Library",
            dependencies: ["Engine", "Models"] + app,
            path: "\(library)/Library",
            packageAccess: false,
            swiftSettings: swift
        ),
        .target(
            name: "SmallestEngine",
            dependencies: ["StorageProtocol", "StorageEngineKit"],
            path: "\(smallest)/Sources/SmallestEngine",
            packageAccess: false,
            swiftSettings: swift
        ),
        .executableTarget(
            name: "SmallestEngineProbe",
            dependencies: ["SmallestEngine", "StorageConformance"],
            path: "\(smallest)/Tests/Probe",
            packageAccess: false,
            swiftSettings: swift
        ),
        .testTarget(
            name: "SmallestEngineTests",
            dependencies: ["SmallestEngine", "SmallestEngineProbe", "StorageConformance"],
            path: "\(smallest)/Tests/SmallestEngineTests",
            packageAccess: false,
            swiftSettings: swift
        ),
    ]
}

// What Fuzz/run.sh fuzzes and no product has alone.
if Context.environment["SETTEE_FUZZ"] != nil {
    package.products.append(
        .library(name: "SetteeFuzzed", targets: ["SetteeCouchProtocol", "SetteeExpressions", "SetteeJavaScript"])
    )
}
