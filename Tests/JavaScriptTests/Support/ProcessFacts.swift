import Foundation
import SetteeSystemLibrary
import Testing

/// What the system says of processes.
enum ProcessFacts {
    static func status(_ identifier: Int32) throws -> [String: String] {
        let text = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return fields
    }

    /// Whether there is such a process, zombies included.
    static func exists(_ identifier: Int32) -> Bool { access("/proc/\(identifier)", F_OK) == 0 }

    /// Whether there is such a process that has not ended.
    static func runs(_ identifier: Int32) -> Bool {
        guard let state = try? status(identifier)["State"] else { return false }
        return !state.hasPrefix("Z")
    }

    static func descriptors(_ identifier: Int32) throws -> [String: String] {
        let folder = "/proc/\(identifier)/fd"
        var targets: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            targets[name] = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
        return targets
    }

    /// Waits until a condition holds, at most for two minutes.
    static func wait(until condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 120)
        while !condition() {
            guard Date() < end else { return false }
            usleep(2000)
        }
        return true
    }
}
