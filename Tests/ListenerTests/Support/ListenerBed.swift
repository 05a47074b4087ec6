internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// A listener's core over a database `db` in a folder of its own, asked without sockets.
struct ListenerBed {
    let folder: TemporaryFolder
    let manager: Manager
    let core: ListenerCore

    static let types: [StorageType] = [.memory, .sqlite, .lmdb]

    init(
        _ type: StorageType,
        options: ListenerOptions = ListenerOptions(),
        keys: DatabaseKeys = DatabaseKeys(),
        access: AccessConfiguration = AccessConfiguration(),
        javaScript: JavaScriptConfiguration = JavaScriptConfiguration(),
        keptMetrics: KeptMetrics? = nil,
        replicator: (any ListenerReplicator)? = nil
    ) throws {
        folder = try TemporaryFolder()
        manager = try Manager(directory: folder.url, options: .init(storageType: type))
        _ = try manager.database(named: "db", options: DatabaseOptions(durability: .normal))
        core = ListenerCore(
            manager,
            options: options,
            keys: keys,
            access: access,
            javaScript: javaScript,
            metrics: ListenerMetrics(keptMetrics),
            keptMetrics: keptMetrics,
            replicator: replicator
        )
    }

    var database: Database {
        get throws { try #require(try manager.existingDatabase(named: "db")) }
    }

    /// Sends a request with a body of JSON, and reads the answer to its end.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ json: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await answer(method, path, json, headers: headers).collected()
    }

    /// Sends a request.
    func answer(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ json: String? = nil,
        headers: HTTPFields = [:]
    ) async -> Answer {
        var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:5984", path: path)
        head.headerFields = headers
        if json != nil, headers[.contentType] == nil { head.headerFields[.contentType] = "application/json" }
        return await core.respond(ListenerRequest(head: head), BodyReader(bytes: Array((json ?? "").utf8)))
    }

    /// Saves a document, and returns its revision.
    @discardableResult
    func put(_ id: String, _ json: String) async throws -> String {
        let reply = try await send(.put, "/db/\(id)", json)
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(try reply.object()["rev"]?.stringValue)
    }

    func close() throws { try manager.close() }
}

/// Runs `body` with a listener over a new database.
func withListener(
    _ type: StorageType,
    options: ListenerOptions = ListenerOptions(),
    access: AccessConfiguration = AccessConfiguration(),
    javaScript: JavaScriptConfiguration = JavaScriptConfiguration(),
    _ body: (ListenerBed) async throws -> Void
) async throws {
    let bed = try ListenerBed(type, options: options, access: access, javaScript: javaScript)
    try await body(bed)
    let problems = try bed.manager.existingDatabase(named: "db")?.check().map(\.description) ?? []
    #expect(problems == [])
    await bed.core.stop()
    try bed.close()
}
