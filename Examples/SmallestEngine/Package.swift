// swift-tools-version: 6.2

import PackageDescription

// A storage engine of somebody else: a package of its own that depends on the contract, on the kit for
// authors of engines, and on the suite that tests it.
let package = Package(
    name: "smallest-engine",
    platforms: [.macOS(.v15)],
    products: [.library(name: "SmallestEngine", targets: ["SmallestEngine"])],
    dependencies: [.package(name: "settee", path: "../..")],
    targets: [
        .target(
            name: "SmallestEngine",
            dependencies: [
                .product(name: "StorageProtocol", package: "settee"),
                .product(name: "StorageEngineKit", package: "settee"),
            ]
        ),
        // The other process of tests with two.
        .executableTarget(
            name: "SmallestEngineProbe",
            dependencies: ["SmallestEngine", .product(name: "StorageConformance", package: "settee")],
            path: "Tests/Probe"
        ),
        .testTarget(
            name: "SmallestEngineTests",
            dependencies: [
                "SmallestEngine", "SmallestEngineProbe", .product(name: "StorageConformance", package: "settee"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
