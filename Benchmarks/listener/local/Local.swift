import Foundation
import Settee
import SetteeBenchmarking
import StorageProtocol

/// What the listener's figures are compared with: the same work by calls of the engine.
@main
enum Local {
    static func main() throws {
        let options = try Options(CommandLine.arguments.dropFirst())
        let manager = try Manager(
            directory: URL(filePath: options.folder, directoryHint: .isDirectory),
            options: .init(storageType: StorageType(options.storageType))
        )
        let database = try manager.database(named: options.database)
        let documents = try options.data.map(Local.lines) ?? []
        var sum = 0
        var count = 0
        let processor = Local.processorSeconds
        let time = try ContinuousClock().measure {
            for _ in 0..<options.times {
                switch options.workload {
                case "insert": count += try insert(documents, in: database)
                case "force-insert": count += try forceInsert(documents, in: database)
                case "scan-json": count += try scanJSON(database, &sum)
                case "scan": count += try scan(database, &sum)
                case "view": count += try buildView(database, &sum)
                case "changes-leaves": count += try changesWithLeaves(database, &sum)
                default: throw Options.Wrong(text: "There is no workload '\(options.workload)'.")
                }
            }
        }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        print(
            #"{"workload":"\#(options.workload)","documents":\#(count),"seconds":\#(seconds),"#
                + #""perSecond":\#(Double(count) / seconds),"cpuSeconds":\#(Local.processorSeconds - processor),"#
                + #""sum":\#(sum)}"#
        )
        try manager.close()
    }

    /// What this process has taken.
    private static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    private static func lines(_ path: String) throws -> [[UInt8]] {
        try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    private static let batch = 1_000

    private static func batches(_ count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: batch).map { $0..<min($0 + batch, count) }
    }

    private static func insert(_ documents: [[UInt8]], in database: Database) throws -> Int {
        for range in batches(documents.count) {
            try database.inTransaction {
                for index in range {
                    try database[People.documentID(index, random: false)].put(json: documents[index])
                }
            }
        }
        return documents.count
    }

    private static func forceInsert(_ documents: [[UInt8]], in database: Database) throws -> Int {
        var added = 0
        for range in batches(documents.count) {
            let revisions = try range.map { index in
                try ForeignRevision(People.documentID(index, random: false), json: documents[index])
            }
            for case .added in try database.forceInsert(revisions) { added += 1 }
        }
        return added
    }

    /// All documents as JSON with `_id` and `_rev`, 64 KiB at a time.
    private static func scanJSON(_ database: Database, _ sum: inout Int) throws -> Int {
        var rows = 0
        var bytes = 0
        var text: [UInt8] = []
        text.reserveCapacity(80_000)
        try database.read { snapshot in
            try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                rows += 1
                text.append(contentsOf: #"{"_id":""#.utf8)
                text.append(contentsOf: try row.documentID().string.utf8)
                text.append(contentsOf: #"","_rev":""#.utf8)
                text.append(contentsOf: try row.winnerID().string.utf8)
                text.append(contentsOf: #"","#.utf8)
                row.withBody { body in
                    unsafe body.withUnsafeBytes { unsafe text.append(contentsOf: $0.dropFirst()) }
                }
                if text.count >= 65_536 {
                    bytes += text.count
                    text.removeAll(keepingCapacity: true)
                }
                return true
            }
        }
        sum += bytes + text.count
        return rows
    }

    /// All documents, copied as they are stored.
    private static func scan(_ database: Database, _ sum: inout Int) throws -> Int {
        var rows = 0
        var bytes = 0
        try database.read { snapshot in
            try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                rows += 1
                bytes += try row.documentID().string.utf8.count + row.bodyCopy().count
                return true
            }
        }
        sum += bytes
        return rows
    }

    /// The first query of a view, whose index it builds.
    private static func buildView(_ database: Database, _ sum: inout Int) throws -> Int {
        let view = database.view("score")
        try view.setMap(version: "1") { document, emit in
            if let score = document["score"] { emit(score, .null) }
        }
        for row in try view.query(limit: 1).run() { sum += row.documentID?.string.utf8.count ?? 0 }
        return Int(try database.documentCount)
    }

    private static func changesWithLeaves(_ database: Database, _ sum: inout Int) throws -> Int {
        var rows = 0
        try database.changes(since: 0, includeLeaves: true).forEach { row in
            rows += 1
            sum += row.leaves?.count ?? 0
        }
        return rows
    }
}
