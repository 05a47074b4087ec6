// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "settee-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "settee", path: ".."),
        // Without its traits: they replace malloc and the reference counting of the measured process.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // As in the package of Settee.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Values",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SetteeBenchmarking", package: "settee"),
                .product(name: "SetteeDocumentValues", package: "settee"),
                .product(name: "StorageProtocol", package: "settee"),
            ],
            path: "Benchmarks/Values",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        .executableTarget(
            name: "Engines",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "SetteeBenchmarking", package: "settee"),
                .product(name: "SetteeMemory", package: "settee"),
                .product(name: "SetteeSQLite", package: "settee"),
                .product(name: "StorageProtocol", package: "settee"),
            ],
            path: "Benchmarks/Engines",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // What the listener is compared with: listener/README.md.
        .executableTarget(
            name: "Bare",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "listener/bare",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Local",
            dependencies: [
                .product(name: "Settee", package: "settee"),
                .product(name: "SetteeBenchmarking", package: "settee"),
                .product(name: "StorageProtocol", package: "settee"),
            ],
            path: "listener/local",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
