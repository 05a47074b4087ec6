// swift-tools-version: 6.2

import PackageDescription

/// Every target gets the same settings. `make check` and CI set SETTEE_STRICT, which turns warnings into errors.
let strict = Context.environment["SETTEE_STRICT"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
        .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
        .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "settee",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Settee", targets: ["Settee"]),
        .library(name: "SetteeEngine", targets: ["Engine"]),
        .library(name: "SetteeModels", targets: ["Models"]),
        .library(name: "SetteeJSONSchema", targets: ["JSONSchema"]),
        .library(name: "SetteeSQLite", targets: ["SQLiteBackend"]),
        .library(name: "SetteeKV", targets: ["KVBackend"]),
        .library(name: "SetteeMemory", targets: ["MemoryBackend"]),
        .library(name: "StorageProtocol", targets: ["StorageProtocol"]),
        .library(name: "StorageConformance", targets: ["StorageConformance"]),
        .executable(name: "settee", targets: ["SetteeCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // System libraries and C shims.
        .systemLibrary(
            name: "CICU",
            pkgConfig: "icu-i18n",
            providers: [.apt(["libicu-dev"]), .brew(["icu4c"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "CLZ4",
            pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]
        ),
        .target(name: "CCollation", dependencies: ["CICU"]),
        .target(name: "CSQLiteAPI", dependencies: ["CSQLite"]),
        .target(name: "CStorageFiles"),

        // The floors of docs/architecture.md; arrows point down only.
        .target(name: "StorageProtocol", dependencies: ["CCollation"]),
        .target(
            name: "StorageFiles",
            dependencies: ["StorageProtocol", "CStorageFiles", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(name: "SQLiteBackend", dependencies: ["StorageProtocol", "CSQLiteAPI"]),
        .target(name: "KVBackend", dependencies: ["StorageProtocol", "CLMDB", "CLZ4", "CZlib"]),
        .target(
            name: "MemoryBackend",
            dependencies: ["StorageProtocol", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(name: "JSONSchema", dependencies: ["StorageProtocol"]),
        .target(name: "StorageConformance", dependencies: ["StorageProtocol"]),
        .target(
            name: "Engine",
            dependencies: [
                "StorageProtocol", "StorageFiles", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "Models", dependencies: ["StorageProtocol", "Engine"]),
        .target(
            name: "Settee",
            dependencies: ["Engine", "Models", "JSONSchema", "SQLiteBackend", "KVBackend", "MemoryBackend"]
        ),
        .executableTarget(
            name: "SetteeCommand",
            dependencies: [
                "Settee", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .testTarget(name: "StorageProtocolTests", dependencies: ["StorageProtocol"]),
        // A program that the tests start, trace and kill; no product.
        .executableTarget(
            name: "StorageFilesProbe",
            dependencies: ["StorageFiles", "StorageProtocol"],
            path: "Tests/StorageFilesProbe"
        ),
        .testTarget(
            name: "StorageFilesTests",
            dependencies: [
                "StorageFiles", "StorageProtocol", "StorageFilesProbe", "CStorageFiles",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "JSONSchemaTests",
            dependencies: ["JSONSchema", "StorageProtocol"],
            // The official tests of draft 4, with their licence.
            resources: [.copy("Suite")]
        ),
        .testTarget(name: "SQLiteBackendTests", dependencies: ["SQLiteBackend", "StorageProtocol", "CSQLiteAPI"]),
        .testTarget(
            name: "KVBackendTests",
            dependencies: ["KVBackend", "StorageProtocol", "StorageConformance", "CLMDB", "KVBackendProbe"]
        ),
        // Reads data files through LMDB in a process of its own, which a damaged one may end.
        .executableTarget(name: "KVBackendProbe", dependencies: ["CLMDB"], path: "Tests/KVBackendProbe"),
        // The other process of tests with two.
        .executableTarget(
            name: "ConformanceProbe",
            dependencies: ["StorageConformance", "SQLiteBackend", "KVBackend"],
            path: "Tests/ConformanceProbe"
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "StorageConformance", "StorageFiles", "SQLiteBackend", "KVBackend", "MemoryBackend", "ConformanceProbe",
            ]
        ),
        // Starts the built `settee`, for all tests that need it.
        .target(name: "ProgramSupport", path: "Tests/ProgramSupport"),
        // Killed while files are rewritten.
        .executableTarget(name: "CompactionProbe", dependencies: ["Settee"], path: "Tests/CompactionProbe"),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "CompactionProbe", "Settee", "SetteeCommand", "StorageConformance", "ProgramSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(name: "ModelsTests", dependencies: ["Settee"]),
        .testTarget(name: "CommandTests", dependencies: ["Settee", "SetteeCommand", "ProgramSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    guard !target.name.hasPrefix("C") || target.name.hasSuffix("Tests") else { continue }
    // The macros of swift-testing cannot mark unsafe expressions, so tests go without SE-0458.
    target.swiftSettings = target.type == .test ? settings : settings + [.strictMemorySafety()]
}
