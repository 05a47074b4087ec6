internal import Foundation

/// What this process has passed to the system to write.
enum WrittenBytes {
    /// Returns the bytes since the process began; nil where the system does not tell.
    static func current() -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") })
        else { return nil }
        return UInt64(line.dropFirst("wchar:".count).drop(while: { $0 == " " }))
    }
}
