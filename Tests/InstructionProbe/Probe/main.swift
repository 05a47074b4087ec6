// The paths that everybody pays for, on each engine, many times each: Scripts/check-instructions.sh counts their
// instructions. InstructionProbe FOLDER, where the folder is empty.

internal import Foundation
internal import Settee

guard CommandLine.arguments.count == 2 else { exit(2) }

do {
    for type in [StorageType.memory, .sqlite, .lmdb] {
        try HotPaths(type, in: URL(filePath: CommandLine.arguments[1])).run()
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
