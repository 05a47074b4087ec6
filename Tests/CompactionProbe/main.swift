// A process for the tests to kill: CompactionProbe FOLDER ROUND. It keeps updating all documents of a database, prints
// what is committed, and rewrites the files at the same time.

internal import Foundation
internal import Settee

guard CommandLine.arguments.count == 3, let round = Int64(CommandLine.arguments[2]) else { exit(2) }
let documents = 400

do {
    let database = try Database.open(
        at: URL(filePath: CommandLine.arguments[1]),
        options: DatabaseOptions(create: false, durability: .normal, compactionThreshold: 0.05)
    )
    Thread.detachNewThread {
        while true { _ = try? database.compact() }
    }
    for turn in 0... {
        // A number for each commit of each process.
        let commit = round * 1_000_000 + Int64(turn)
        try database.inTransaction {
            for number in 0..<documents where (number + turn) % 4 == 0 {
                try database["d\(number)"].update { properties in
                    properties["commit"] = .int(commit)
                    properties["text"] = .string(String(repeating: "x", count: 100 + (turn * 7 + number) % 900))
                }
            }
            if turn % 5 == 0 { try database["gone-\(commit)"].put(["commit": .int(commit)]) }
            if turn % 5 == 3 { try database["gone-\(commit - 3)"].purge() }
            try database["last"].update { $0["commit"] = .int(commit) }
        }
        FileHandle.standardOutput.write(Data("\(commit)\n".utf8))
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
