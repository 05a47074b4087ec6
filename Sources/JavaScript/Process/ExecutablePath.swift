internal import SetteeSystemLibrary

/// Where the program `settee-js` is.
enum ExecutablePath {
    private static let name = "settee-js"
    private static let folders = ["/usr/local/libexec", "/usr/libexec"]

    /// - Parameter given: the path that the configuration names.
    /// - Throws: `unavailable` if no such program can be run.
    static func find(_ given: String?) throws(JavaScriptError) -> String {
        let candidates = given.map { [$0] } ?? ([ownFolder].compactMap { $0 } + folders).map { "\($0)/\(name)" }
        for path in candidates where !path.utf8.contains(0) {
            if unsafe access(path, X_OK) == 0 { return path }
        }
        throw .unavailable(
            "The program settee-js, which runs functions of design documents, is not at "
                + candidates.joined(separator: ", ") + ". Install it there, or name its path in `executable`."
        )
    }

    /// The folder of the running program.
    private static var ownFolder: String? {
        #if os(Linux)
        var bytes = [CChar](repeating: 0, count: 4096)
        let length = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        #else
        var bytes = [CChar](repeating: 0, count: 4096)
        var size = UInt32(bytes.count)
        let length = unsafe _NSGetExecutablePath(&bytes, &size) == 0 ? (bytes.firstIndex(of: 0) ?? 0) : -1
        #endif
        guard length > 0, length < bytes.count else { return nil }
        let path = bytes[..<length].map { UInt8(bitPattern: $0) }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: path[..<slash], as: UTF8.self)
    }
}
