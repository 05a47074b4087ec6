// swift-tools-version: 6.2

import PackageDescription

/// One executable per fuzz target, each in a folder of its own: `Sources/FuzzNAME/FuzzNAME.swift` holds the function
/// that libFuzzer calls, `Corpus/name` its seeds. A new target is one more name here and one more case in `run.sh`,
/// which builds with coverage and links libFuzzer without its own entry point.
let targets = [
    "FuzzJSON", "FuzzSplitter", "FuzzTree", "FuzzCollation", "FuzzSchema", "FuzzMultipart", "FuzzTarget",
    "FuzzSelector", "FuzzGzip", "FuzzHeaders", "FuzzWorker",
]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "settee", path: "..")],
    targets: [.target(name: "FuzzDriver")]
        + targets.map { name in
            .executableTarget(
                name: name,
                dependencies: [
                    "FuzzDriver", .product(name: "StorageProtocol", package: "settee"),
                    .product(name: "SetteeDocumentValues", package: "settee"),
                    .product(name: "SetteeJSONSchema", package: "settee"),
                    .product(name: "SetteeFuzzed", package: "settee"),
                ],
                swiftSettings: [.unsafeFlags(["-parse-as-library"])]
            )
        },
    swiftLanguageModes: [.v6]
)
