// Opens or writes an encrypted store in a process of its own, which may load another library, or be killed.
//
// open DIRECTORY      says "open", or the status and the message of what was thrown
// write DIRECTORY     commits documents for ever, and prints the number of each that was committed
// spill DIRECTORY     writes in one transaction more than memory holds pages, and copies the store beside it

internal import Foundation
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageProtocol

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(2) }
let (command, directory) = (arguments[1], arguments[2])
let key = try unsafe StorageKey(bytes: [UInt8](repeating: 0x5E, count: StorageKey.rawLength).span.bytes)

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

func add(_ number: Int, _ body: String, to transaction: any WriteTransaction) throws(StorageError) {
    try transaction.insert(
        RecordDraft(
            documentID: DocumentID("document-\(number)"),
            flags: [],
            sequence: try transaction.counters().lastSequence + 1,
            winner: RevisionID("1-cd809becc169215072fd567eebd8b8de"),
            tree: [1, 2, 3],
            body: .replace(Array(body.utf8))
        )
    )
}

do throws(StorageError) {
    let options = StorageOptions(create: true, durability: .normal, key: key)
    let engine = try SQLCipherEngineFactory().open(directory: directory, options: options)
    switch command {
    case "write":
        var number = 0
        while true {
            try engine.write { (tx) throws(StorageError) in
                for _ in 0..<10 {
                    try add(number, #"{"text":"\#(String(repeating: "x", count: number % 9000))"}"#, to: tx)
                    number += 1
                }
            }
            say("\(number)")
        }
    case "spill":
        try engine.write { (tx) throws(StorageError) in
            let text = String(repeating: "MarkerOfThisTest", count: 4000)
            for number in 0..<600 {
                try add(number, #"{"text":"\#(text)"}"#, to: tx)
                try tx.setExpiration(Int64(number * 7919 % 600), of: DocumentID("document-\(number)"))
            }
        }
        let copy = directory + "-copy"
        try? FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        try engine.copy(toDirectory: copy, options: StorageCopyOptions(key: .other(key))) {
            (_, _) throws(StorageError) in
        }
        try engine.verify { say($0.message) }
    default: break
    }
    engine.close()
    say("open")
} catch {
    say("\(error.status) \(error.message)")
}
if command == "open" {
    // The other engines do not need the library.
    let plain = directory + "-plain"
    try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    let engine = try SQLiteEngineFactory().open(directory: plain, options: StorageOptions(create: true))
    try engine.write { (tx) throws(StorageError) in try add(1, "{}", to: tx) }
    engine.close()
    say("plain")
}
