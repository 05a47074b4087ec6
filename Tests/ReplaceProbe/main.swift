// A process for the tests to kill: ReplaceProbe DIRECTORY SOURCE. In a manager of the directory, the database `app` is
// replaced by the one at SOURCE.

internal import Foundation
internal import Settee

guard CommandLine.arguments.count == 3 else { exit(2) }
do {
    let manager = try Manager(directory: URL(filePath: CommandLine.arguments[1]))
    try manager.replaceDatabase(named: "app", from: URL(filePath: CommandLine.arguments[2]))
    try manager.close()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
