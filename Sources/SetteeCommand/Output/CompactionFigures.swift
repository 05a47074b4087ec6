internal import Foundation
internal import Settee

extension CompactionStatus {
    /// A JSON object.
    var json: [UInt8] {
        var line = JSONLine()
        if let threshold { line = line.json("threshold", Array("\(threshold)".utf8)) }
        line = line.bool("running", isRunning)
        if let progress { line = line.json("progress", Array("\(progress)".utf8)) }
        if let prevented { line = line.string("prevented", prevented) }
        if let last {
            line = line.string("finished", last.finished.formatted(.iso8601)).number("bytesBefore", last.bytesBefore)
                .number("bytesAfter", last.bytesAfter)
        }
        return line.object
    }

    /// Names and values as text.
    var rows: [(name: String, value: String)] {
        var rows: [(name: String, value: String)] = []
        rows.append(("compaction by itself", threshold.map { "from \(CompactionStatus.percent($0)) % free" } ?? "no"))
        if isRunning { rows.append(("compaction", "running, \(CompactionStatus.percent(progress ?? 0)) % done")) }
        if let prevented { rows.append(("compaction prevented", prevented)) }
        if let last {
            let finished = last.finished.formatted(.iso8601)
            rows.append(("last compaction", "\(finished): \(last.bytesBefore) bytes before, \(last.bytesAfter) after"))
        }
        return rows
    }

    private static func percent(_ share: Double) -> Int { Int((min(max(share, 0), 1) * 100).rounded()) }
}

extension [OpenSnapshot] {
    /// JSON objects.
    var json: [JSONLine] {
        map { snapshot in
            var line = JSONLine().number("process", snapshot.process).string("program", snapshot.program)
            if let age = snapshot.age { line = line.json("seconds", [UInt8]("\(age / .seconds(1))".utf8)) }
            if let behind = snapshot.commitsBehind { line = line.number("commitsBehind", behind) }
            return line
        }
    }

    /// Names and values as text.
    var rows: [(name: String, value: String)] {
        map { snapshot in
            var text = "\(snapshot.program) (process \(snapshot.process))"
            if let age = snapshot.age { text += ", for \((age / .seconds(1)).rounded()) s" }
            if let behind = snapshot.commitsBehind { text += ", \(behind) commits behind" }
            return ("open snapshot", text)
        }
    }
}
