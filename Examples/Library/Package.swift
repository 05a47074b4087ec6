// swift-tools-version: 6.2

import PackageDescription

// An app whose targets and types have the names that apps like to give: they must not clash with those of Settee.
let package = Package(
    name: "library",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "settee", path: "../..")],
    targets: [
        .target(name: "Models", dependencies: [.product(name: "Settee", package: "settee")]),
        .target(name: "Engine", dependencies: ["Models", .product(name: "Settee", package: "settee")]),
        .executableTarget(
            name: "Library",
            dependencies: ["Engine", "Models", .product(name: "Settee", package: "settee")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
