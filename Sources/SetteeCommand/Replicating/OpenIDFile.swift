#if Sync
internal import Foundation
internal import Settee
internal import SetteeReplicator
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The file in which `settee replicate` keeps the tokens of OpenID Connect, readable for its owner alone.
struct OpenIDFile {
    private static let longestURL = 64 << 10

    private let path: String
    private let asJSON: Bool
    private let tokens: OpenIDTokens

    /// - Throws: `badParameter` (495) for a file that holds something else.
    init(_ path: String, asJSON: Bool) throws(StorageError) {
        (self.path, self.asJSON) = (path, asJSON)
        guard FileManager.default.fileExists(atPath: path) else {
            tokens = OpenIDTokens()
            return
        }
        let members = try SecretFile.members(path, [], asJSON: asJSON)
        tokens = OpenIDTokens(idToken: members["id_token"], refreshToken: members["refresh_token"])
    }

    var authenticator: Authenticator {
        .openIDConnect(tokens) { page in
            try await logIn(page)
        } changed: { tokens in
            do throws(StorageError) {
                try save(tokens)
            } catch {
                Failure.report(error, asJSON: asJSON)
            }
        }
    }

    private func logIn(_ page: URL) async throws -> URL {
        Failure.note(
            "Log in at this page, then enter the URL that the browser ends at: \(page.absoluteString)",
            asJSON: asJSON
        )
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\n")), line.count < OpenIDFile.longestURL {
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // A thread that waited for the terminal could not be stopped.
            guard unsafe poll(&waiting, 1, 0) > 0 else {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            guard let more = try InputFile(path: "-").read() else { break }
            line += more
        }
        let text = String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let end = URL(string: text.trimmingCharacters(in: .whitespaces)) else {
            throw StorageError(.badParameter, "No URL was entered.")
        }
        return end
    }

    private func save(_ tokens: OpenIDTokens) throws(StorageError) {
        var line = JSONLine()
        if let token = tokens.idToken { line = line.string("id_token", token) }
        if let token = tokens.refreshToken { line = line.string("refresh_token", token) }
        let file = try AtomicFile(path: path)
        try file.output.append(line.bytes)
        try file.commit()
    }
}
#endif
