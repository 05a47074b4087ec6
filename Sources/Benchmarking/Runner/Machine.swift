internal import Foundation
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// What the result file says of the machine.
enum Machine {
    static var processor: String {
        let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = cpuinfo.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
    }

    /// The type of the file system that `path` is on; nil where the system does not tell.
    static func fileSystem(of path: String) -> String? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
        let place = URL(filePath: path).resolvingSymlinksInPath().path
        var best: (length: Int, type: String)?
        for line in mounts.split(separator: "\n") {
            // The fifth field is where it is mounted, the first behind " - " its type.
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let point = fields[4].replacing("\\040", with: " ")
            let isAbove = point == "/" || place == point || place.hasPrefix(point + "/")
            if isAbove, point.count >= best?.length ?? 0 { best = (point.count, String(fields[dash + 1])) }
        }
        return best?.type
    }

    static func environment(_ settings: BenchmarkSettings, libraries: [String: String]) -> BenchmarkEnvironment {
        #if DEBUG
        let build = "debug"
        #else
        let build = "release"
        #endif
        return BenchmarkEnvironment(
            settee: settings.version,
            commit: settings.commit,
            build: build,
            date: Date.now.formatted(.iso8601),
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            processor: processor,
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory,
            fileSystem: fileSystem(of: settings.folder.path),
            libraries: libraries,
            durability: settings.durability.rawValue,
            documentIDs: settings.randomIDs ? "random" : "ordered",
            data: settings.source.name,
            seed: settings.seed,
            rounds: settings.rounds,
            commandLine: settings.commandLine
        )
    }
}
