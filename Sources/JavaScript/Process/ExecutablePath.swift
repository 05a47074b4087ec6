internal import SetteeSystemLibrary

/// Where the program `settee-js` is.
enum ExecutablePath {
    private static let name = "settee-js"
    private static let folders = ["/usr/local/libexec", "/usr/libexec"]

    /// Where it may be.
    ///
    /// - Parameter given: the path that the configuration names.
    static func candidates(_ given: String?) -> [String] {
        given.map { [$0] } ?? ([ownFolder].compactMap { $0 } + folders).map { "\($0)/\(name)" }
    }

    /// - Throws: `unavailable` if no such program can be run. Clients may read the message, so it has no paths.
    static func find(_ given: String?) throws(JavaScriptError) -> String {
        for path in candidates(given) where !path.utf8.contains(0) {
            if unsafe access(path, X_OK) == 0 { return path }
        }
        throw .unavailable(
            "The program settee-js, which runs functions of design documents, is missing. Install it beside the "
                + "program that needs it, or name its path in `executable`."
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
