internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// GET, HEAD, PUT and DELETE of an attachment.
@Suite struct AttachmentTests {
    private let content = Array("Little, Big".utf8)
    private var md5: String { Data(Insecure.MD5.hash(data: content)).base64EncodedString() }

    @Test(arguments: AttachmentBed.types) func keepsWhatIsPut(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let first = try await bed.put("/db/d", #"{"a":1}"#)
            let put = await bed.send(
                .put,
                "/db/d/b%2Fc.txt?rev=\(first)",
                ["Content-Type": "text/plain; charset=utf-8"],
                content
            )
            #expect(put.status == 201)
            #expect(put.member("id") == "d" && put.json["ok"] == true)
            let second = try #require(put.member("rev"))
            #expect(second.hasPrefix("2-"))
            #expect(put.header("ETag") == "\"\(second)\"")
            #expect(put.header("Location") == "http://localhost:5984/db/d/b%2Fc.txt")
            for path in ["/db/d/b%2Fc.txt", "/db/d/b/c.txt?rev=\(second)"] {
                let got = await bed.send(.get, path)
                #expect(got.status == 200)
                #expect(got.body == content && got.length == content.count)
                #expect(got.header("Content-Type") == "text/plain; charset=utf-8")
                #expect(got.header("ETag") == "\"\(md5)\"")
                #expect(got.header("Content-MD5") == md5)
                #expect(got.header("Accept-Ranges") == "bytes")
                #expect(got.header("Content-Security-Policy") == "sandbox")
                #expect(got.header("Content-Encoding") == nil)
                let head = await bed.send(.head, path)
                #expect(head.status == 200 && head.length == content.count && head.body == [])
                #expect(head.headers == got.headers)
            }
            #expect(await bed.send(.get, "/db/d").json["a"] == 1)
            // The attachment and body stay when another one comes and goes.
            let third = try await bed.attach("/db/d/e", [], ["If-Match": "\"\(second)\""])
            #expect(await bed.send(.get, "/db/d/e").body == [])
            #expect(await bed.send(.get, "/db/d/e").header("Content-Type") == "application/octet-stream")
            let deleted = await bed.send(.delete, "/db/d/e?rev=\(third)")
            #expect(deleted.status == 200 && deleted.member("rev")?.hasPrefix("4-") == true)
            #expect(await bed.send(.get, "/db/d/e").status == 404)
            #expect(await bed.send(.get, "/db/d/e?rev=\(third)").status == 200)
            #expect(await bed.send(.get, "/db/d/b%2Fc.txt").body == content)
            #expect(await bed.send(.get, "/db/d").json["a"] == 1)
        }
    }

    @Test(arguments: AttachmentBed.types) func makesADocument(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let first = try await bed.attach("/db/new/a", content)
            #expect(first.hasPrefix("1-"))
            #expect(await bed.send(.put, "/db/new/a", [:], content).status == 409)
            #expect(await bed.send(.put, "/db/new/b", [:], content).status == 409)
            #expect(await bed.send(.put, "/db/new/b?rev=1-abc", [:], content).status == 409)
            #expect(await bed.send(.put, "/db/none/b?rev=\(first)", [:], content).status == 409)
            let twice = await bed.send(.put, "/db/new/b?rev=\(first)", ["If-Match": "1-abc"], content)
            #expect(twice.status == 400)
            try bed.expectContents(1)
            // A deleted document is made anew.
            let tombstone = try #require(await bed.send(.delete, "/db/new?rev=\(first)").member("rev"))
            #expect(await bed.send(.get, "/db/new/a").member("reason") == "deleted")
            #expect(await bed.send(.get, "/db/new/a?rev=\(first)").body == content)
            #expect(try await bed.attach("/db/new/c", content).hasPrefix("3-"))
            #expect(tombstone.hasPrefix("2-"))
        }
    }

    @Test(arguments: AttachmentBed.types) func saysWhatIsMissing(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let first = try await bed.put("/db/d", "{}")
            for (method, path, reason) in [
                (.get, "/db/none/a", "missing"), (.head, "/db/none/a", nil), (.get, "/db/d/a?rev=1-abc", "missing"),
                (.get, "/db/d/a", "Document is missing attachment"), (.delete, "/db/none/a", "missing"),
                (.delete, "/db/d/a?rev=\(first)", "Document is missing attachment"),
                (.delete, "/db/d/a", "Document is missing attachment"),
            ] as [(HTTPMethod, String, String?)] {
                let answer = await bed.send(method.method, path)
                #expect(answer.status == 404, "\(path)")
                if let reason { #expect(answer.member("reason") == reason, "\(path)") }
            }
            let second = try await bed.attach("/db/d/a?rev=\(first)", content)
            #expect(await bed.send(.delete, "/db/d/a").status == 409)
            #expect(await bed.send(.delete, "/db/d/a?rev=\(first)").status == 404)
            #expect(await bed.send(.delete, "/db/d/a?rev=2-abc").status == 409)
            #expect(await bed.send(.delete, "/db/d/a?rev=\(second)").status == 200)
            #expect(await bed.send(.post, "/db/d/a").header("Allow") == "GET, HEAD, PUT, DELETE")
        }
    }

    enum HTTPMethod {
        case get
        case head
        case delete

        var method: HTTPRequest.Method {
            switch self {
            case .get: .get
            case .head: .head
            case .delete: .delete
            }
        }
    }

    @Test(arguments: AttachmentBed.types) func refusesNames(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            for name in ["_a", "_", "a%00b", "%00", "_a/b"] {
                let answer = await bed.send(.put, "/db/d/\(name)", [:], content)
                #expect(answer.status == 400, "\(name)")
            }
            #expect(await bed.send(.put, "/db/_x/a", [:], content).status == 404)
            #expect(await bed.send(.put, "/db/d/a%FF", [:], content).status == 400)
            try bed.expectContents(0)
            for name in [
                "a_b", "%20", "..", "%22", "%0A", "%F0%9F%9B%8B", "a%2F", String(repeating: "n", count: 4_000),
            ] {
                let id = UInt64.random(in: 0 ... .max)
                try await bed.attach("/db/\(id)/\(name)", content)
                #expect(await bed.send(.get, "/db/\(id)/\(name)").body == content, "\(name)")
            }
        }
    }

    @Test(arguments: AttachmentBed.types) func checksTheMD5(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            for wrong in ["", "x", "rL0Y20zC+Fzt72VPzMSk2A==", md5.lowercased()] {
                let answer = await bed.send(.put, "/db/d/a", ["Content-MD5": wrong], content)
                #expect(answer.status == 400 && answer.member("error") == "content_md5_mismatch")
            }
            try bed.expectContents(0)
            #expect(await bed.send(.put, "/db/d/a", ["Content-MD5": md5], content).status == 201)
        }
    }

    @Test(arguments: AttachmentBed.types) func limitsTheLength(_ type: StorageType) async throws {
        var options = ListenerOptions()
        options.attachmentBytes = 1_000
        try await withAttachments(type, options: options) { bed in
            let tooMuch = [UInt8](repeating: 1, count: 1_001)
            #expect(await bed.send(.put, "/db/d/a", [:], tooMuch).status == 413)
            #expect(await bed.send(.put, "/db/d/a", ["Content-Length": "1001"], tooMuch).status == 413)
            // What it decodes to counts, too.
            let bomb = try gzip(tooMuch)
            #expect(await bed.send(.put, "/db/d/a", ["Content-Encoding": "gzip"], bomb).status == 400)
            try bed.expectContents(0)
            #expect(await bed.send(.put, "/db/d/a", [:], Array(tooMuch.dropLast())).status == 201)
        }
    }

    @Test(arguments: AttachmentBed.types) func answersConditions(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            try await bed.attach("/db/d/a", content)
            for tag in ["\"\(md5)\"", "W/\"\(md5)\"", "*", "\"x\", \"\(md5)\""] {
                for method in [HTTPMethod.get, .head] {
                    let answer = await bed.send(method.method, "/db/d/a", ["If-None-Match": tag])
                    #expect(answer.status == 304 && answer.body == [])
                    #expect(answer.header("ETag") == "\"\(md5)\"")
                }
            }
            #expect(await bed.send(.get, "/db/d/a", ["If-None-Match": "\"x\""]).status == 200)
            #expect(await bed.send(.get, "/db/d/a", ["If-None-Match": "\""]).status == 400)
        }
    }

    @Test(arguments: AttachmentBed.types) func isReadOnly(_ type: StorageType) async throws {
        var access = AccessConfiguration()
        access.isReadOnly = true
        let bed = try AttachmentBed(type, access: access)
        _ = try bed.manager.database(named: "db")["d"].setAttachment(named: "a", content: content)
        #expect(await bed.send(.get, "/db/d/a").body == content)
        #expect(await bed.send(.get, "/db/d/a").header("ETag") == "\"\(md5)\"")
        #expect(await bed.send(.put, "/db/d/b", [:], content).status == 403)
        #expect(await bed.send(.delete, "/db/d/a").status == 403)
        try bed.manager.close()
    }

    /// The client goes away, or the stream ends in an error, after any number of bytes.
    @Test(arguments: AttachmentBed.types) func anUploadThatEndsEarlyLeavesNothing(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            for count in [0, 1, 65_536, 300_000] {
                let body = BodyReader(isHeld: false) {}
                let sending = Task { [count] in
                    var left = count
                    while left > 0 {
                        let piece = min(left, 10_000)
                        _ = body.append(.init(repeating: 7, count: piece))
                        left -= piece
                    }
                    body.end(.badRequest("The client is gone."))
                }
                let answer = await bed.send(.put, "/db/d/a", [:], body)
                await sending.value
                #expect(answer.status == 400)
                try bed.expectContents(0)
            }
            #expect(await bed.send(.get, "/db/d").status == 404)
        }
    }
}
