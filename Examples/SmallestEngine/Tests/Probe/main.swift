// The other process of the suite's tests with two: SmallestEngineProbe PART DIRECTORY.

import Foundation
import SmallestEngine
import StorageConformance

do {
    let row = EngineCase(name: "smallest", factory: try SmallestEngineFactory())
    guard CommandLine.arguments.count == 3 else { exit(2) }
    try Conformance.runPart(CommandLine.arguments[1], directory: CommandLine.arguments[2], on: row)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
