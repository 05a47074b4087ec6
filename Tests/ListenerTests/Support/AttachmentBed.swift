internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// A listener without sockets over databases in a folder of its own. `db` is one of them.
final class AttachmentBed {
    let core: ListenerCore
    let manager: Manager
    private let folder: URL

    static let types: [StorageType] = [.memory, .sqlite]

    init(
        _ type: StorageType,
        options: ListenerOptions = ListenerOptions(),
        access: AccessConfiguration = AccessConfiguration()
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "settee-listener-\(UUID().uuidString)")
        manager = try Manager(directory: folder, options: .init(storageType: type))
        core = ListenerCore(manager, options: options, access: access)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: [String: String] = [:],
        _ body: [UInt8] = []
    ) async -> CollectedAnswer {
        await send(method, path, headers, BodyReader(bytes: body))
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: [String: String],
        _ body: BodyReader
    ) async -> CollectedAnswer {
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost:5984", path: path)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else {
                Issue.record("\(name) is no header.")
                continue
            }
            head.headerFields[name] = value
        }
        return await CollectedAnswer(core.respond(ListenerRequest(head: head), body), to: method)
    }

    /// Saves a document, and returns its revision.
    @discardableResult
    func put(_ path: String, _ json: String) async throws -> String {
        let answer = await send(.put, path, ["Content-Type": "application/json"], Array(json.utf8))
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.member("rev"))
    }

    /// Saves an attachment, and returns the new revision.
    @discardableResult
    func attach(_ path: String, _ content: [UInt8], _ headers: [String: String] = [:]) async throws -> String {
        let answer = await send(.put, path, headers, content)
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.member("rev"))
    }

    func database(_ name: String = "db") throws -> Database { try core.databases.database(name).database }

    /// Expects that no content is there but those of `count` attachments: none that is staged, none that is waste.
    func expectContents(
        _ count: UInt64,
        in name: String = "db",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let space = try database(name).attachmentSpace()
        #expect(space.contents == count, sourceLocation: sourceLocation)
        #expect(space.unusedContents == 0 && space.trashed == 0, sourceLocation: sourceLocation)
        #expect(stagedFiles == [], sourceLocation: sourceLocation)
    }

    /// The files of contents that are being written, or wait for their revision. What a request has staged goes with
    /// the last reference to it, which may be a little later than its answer.
    var stagedFiles: [String] {
        let end = ContinuousClock.now + .seconds(5)
        while true {
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            let staged = files.filter { $0.contains(".settee-staging-") }
            if staged.isEmpty || ContinuousClock.now >= end { return staged }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}

/// Runs `body` with a listener that has an empty database `db`; afterwards all its databases must be healthy, and
/// nothing may be staged.
func withAttachments(
    _ type: StorageType,
    options: ListenerOptions = ListenerOptions(),
    databases: [String] = ["db"],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (AttachmentBed) async throws -> Void
) async throws {
    let bed = try AttachmentBed(type, options: options)
    for name in databases { #expect(await bed.send(.put, "/\(name)").status == 201, sourceLocation: sourceLocation) }
    try await body(bed)
    for name in databases {
        #expect(try bed.database(name).check().map(\.description) == [], sourceLocation: sourceLocation)
    }
    #expect(bed.stagedFiles == [], sourceLocation: sourceLocation)
    await bed.core.threads.stop()
    try bed.manager.close()
}
