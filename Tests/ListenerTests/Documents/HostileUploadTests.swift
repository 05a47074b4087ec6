internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Documents as multipart/related that are wrong, cut or meant to do harm.
@Suite struct HostileUploadTests {
    private let type = ["Content-Type": "multipart/related; boundary=b"]
    private let json = #"{"_attachments":{"a":{"follows":true},"b":{"follows":true}}}"#

    private func put(_ bed: AttachmentBed, _ parts: [(headers: [String: String], content: [UInt8])]) async throws -> Int
    {
        await bed.send(.put, "/db/d", type, try message(parts)).status
    }

    @Test(arguments: AttachmentBed.types) func refusesAndKeepsNothing(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let document = (headers: [String: String](), content: Array(json.utf8))
            let a = (headers: [String: String](), content: Array("A".utf8))
            // Parts missing, surplus, none at all.
            #expect(try await put(bed, [document]) == 400)
            #expect(try await put(bed, [document, a]) == 400)
            #expect(try await put(bed, [document, a, a, a]) == 400)
            #expect(try await put(bed, [a]) == 400)
            #expect(try await put(bed, [a, document]) == 400)
            #expect(try await put(bed, []) == 400)
            #expect(try await put(bed, [([:], Array("[]".utf8))]) == 400)
            // Two parts of one name: the second one takes the other place.
            let named = (headers: ["Content-Disposition": "attachment; filename=a"], content: a.content)
            #expect(try await put(bed, [document, named, named, named]) == 400)
            // Another content than the digest's, another length, a name or member that is not allowed.
            for (entry, status) in [
                (#""a":{"follows":true,"digest":"md5-rL0Y20zC+Fzt72VPzMSk2A=="}"#, 400),
                (#""a":{"follows":true,"length":2}"#, 400), (#""_a":{"follows":true}"#, 400),
                (#""":{"follows":true}"#, 400), (#""a":{"follows":true,"encoding":"gzip"}"#, 400),
                (#""a":{"follows":true,"encoding":"br"}"#, 400), (#""a":{"follows":true},"b":{"stub":true}"#, 412),
                (#""a":{"follows":true,"data":"QQ=="}"#, 400), (#""a":5"#, 400),
            ] {
                let document = (headers: [String: String](), content: Array("{\"_attachments\":{\(entry)}}".utf8))
                #expect(try await put(bed, [document, a]) == status, "\(entry)")
            }
            #expect(try await put(bed, [([:], Array(#"{"_attachments":[1]}"#.utf8)), a]) == 400)
            #expect(try await put(bed, [document, (["Content-Encoding": "br"], a.content), a]) == 415)
            try bed.expectContents(0)
            #expect(await bed.send(.get, "/db/d").status == 404)
        }
    }

    @Test(arguments: AttachmentBed.types) func refusesBoundaries(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            for boundary in [
                "", "; boundary=", "; boundary=\"\"", "; boundary=\"a\"b",
                "; boundary=" + String(repeating: "a", count: 71),
                "; boundary=\"a\\\"", "; boundary=b; boundary=c", "; boundary=\"a \"",
            ] {
                let answer = await bed.send(
                    .put,
                    "/db/d",
                    ["Content-Type": "multipart/related" + boundary],
                    Array("--b--".utf8)
                )
                #expect((400..<500).contains(answer.status), "\(boundary): \(answer.status)")
            }
            try bed.expectContents(0)
        }
    }

    @Test(arguments: AttachmentBed.types) func limitsParts(_ storage: StorageType) async throws {
        var options = ListenerOptions()
        options.documentBytes = 1_000
        options.attachmentBytes = 2_000
        try await withAttachments(storage, options: options) { bed in
            let document = (headers: [String: String](), content: Array(json.utf8))
            let long = (headers: [String: String](), content: [UInt8](repeating: 32, count: 1_001))
            #expect(try await put(bed, [long]) == 413)
            #expect(try await put(bed, [(["Content-Encoding": "gzip"], gzip(long.content))]) == 413)
            let tooLong = (headers: [String: String](), content: [UInt8](repeating: 32, count: 2_001))
            #expect(try await put(bed, [document, long, tooLong]) == 413)
            try bed.expectContents(0)
            #expect(try await put(bed, [document, long, long]) == 201)
        }
    }

    /// Cut anywhere, nothing is stored; changed anywhere, nothing breaks.
    @Test(arguments: AttachmentBed.types) func survivesCutsAndChanges(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let whole = try message([
                (["Content-Type": "application/json"], Array(json.utf8)),
                (["Content-Disposition": "attachment; filename=\"a\""], Array("A\r\n--bb".utf8)),
                ([:], Array("B".utf8)),
            ])
            for count in 0..<whole.count {
                #expect(await bed.send(.put, "/db/d", type, Array(whole[..<count])).status == 400, "cut at \(count)")
            }
            for count in stride(from: 0, through: whole.count, by: 20) {
                let body = BodyReader(isHeld: false) {}
                _ = body.append(ByteBuffer(bytes: whole[..<count]))
                body.end(CouchError.badRequest("The client is gone."))
                #expect(await bed.send(.put, "/db/d", type, body).status == 400)
            }
            try bed.expectContents(0)
            var random = SeededGenerator(seed: 20)
            for number in 0..<300 {
                var bytes = whole
                for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                let status = await bed.send(.put, "/db/r\(number)", type, bytes).status
                #expect([201, 400, 412, 415].contains(status), "seed 20, number \(number): \(status)")
            }
            #expect(bed.stagedFiles == [])
        }
    }
}
