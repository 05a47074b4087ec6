internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Ranges of contents, and contents that are stored with gzip.
@Suite struct AttachmentRangeTests {
    @Test(arguments: AttachmentBed.types) func sendsRanges(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            var random = SeededGenerator(seed: 1)
            let content = random.bytes(200_000)
            try await bed.attach("/db/d/a", content)
            let tag = try #require(await bed.send(.head, "/db/d/a").header("ETag"))
            for (range, bounds) in [
                ("bytes=0-0", 0...0), ("bytes=5-9", 5...9), ("bytes=65530-131080", 65_530...131_080),
                ("bytes=199999-", 199_999...199_999), ("bytes=-3", 199_997...199_999),
                ("bytes=100-18446744073709551615", 100...199_999), ("bytes=-18446744073709551615", 0...199_999),
            ] {
                let part = await bed.send(.get, "/db/d/a", ["Range": range, "If-Range": tag])
                #expect(part.status == 206, "\(range)")
                #expect(part.has(Array(content[bounds])), "\(range)")
                #expect(part.length == bounds.count)
                #expect(part.header("Content-Range") == "bytes \(bounds.lowerBound)-\(bounds.upperBound)/200000")
                #expect(part.header("Content-MD5") == nil)
            }
            for range in ["bytes=200000-", "bytes=-0", "bytes=200000-200001", "bytes=9-5"] {
                let refused = await bed.send(.get, "/db/d/a", ["Range": range])
                #expect(refused.status == 416, "\(range)")
                #expect(refused.header("Content-Range") == "bytes */200000")
                #expect(refused.member("error") == "requested_range_not_satisfiable")
            }
            // What cannot be a range, or is one of another version, gets the whole.
            for headers in [
                ["Range": "bytes=0-"], ["Range": "bytes=0-", "If-Range": tag], ["Range": "bytes=a-b"],
                ["Range": "lines=1-2"], ["Range": "bytes=1-2,x"],
                ["Range": "bytes=1-2", "If-Range": "\"x\""], ["Range": "bytes=1-2", "If-Range": "W/\(tag)"],
                ["Range": "bytes=1-2", "If-Range": "Wed, 21 Oct 2015 07:28:00 GMT"],
            ] {
                let whole = await bed.send(.get, "/db/d/a", headers)
                #expect(whole.status == 200 && whole.has(content), "\(headers)")
            }
            #expect(await bed.send(.head, "/db/d/a", ["Range": "bytes=1-2"]).length == content.count)
            try await bed.attach("/db/e/a", [])
            #expect(await bed.send(.get, "/db/e/a", ["Range": "bytes=0-"]).status == 200)
            #expect(await bed.send(.get, "/db/e/a", ["Range": "bytes=0-0"]).status == 416)
            #expect(await bed.send(.get, "/db/e/a", ["Range": "bytes=-5"]).status == 200)
        }
    }

    @Test(arguments: AttachmentBed.types) func sendsSeveralRanges(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let content = Array("Little, Big".utf8)
            try await bed.attach("/db/d/a", content, ["Content-Type": "text/plain"])
            let answer = await bed.send(.get, "/db/d/a", ["Range": "bytes=0-1, 20-30, 5-3, 8-,-2"])
            #expect(answer.status == 206)
            let type = try #require(answer.header("Content-Type"))
            #expect(type.hasPrefix("multipart/byteranges; boundary="))
            #expect(answer.length == answer.body.count && answer.header("Content-Range") == nil)
            let boundary = type.split(separator: "\"")[1]
            let parts = [("0-1", "Li"), ("8-10", "Big"), ("9-10", "ig")].map { range, text in
                "--\(boundary)\r\nContent-Type: text/plain\r\nContent-Range: bytes \(range)/11\r\n\r\n\(text)"
            }
            #expect(answer.text == parts.joined(separator: "\r\n") + "\r\n--\(boundary)--")
            // One that asks for everything many times gets it once.
            for ranges in ["0-,0-", "3-4,0-", "0-5,3-9", (0..<10).map { "\($0)-\($0)" }.joined(separator: ",")] {
                let whole = await bed.send(.get, "/db/d/a", ["Range": "bytes=\(ranges)"])
                #expect(whole.status == 200 && whole.has(content), "\(ranges)")
            }
            #expect(await bed.send(.get, "/db/d/a", ["Range": "bytes=20-,30-31"]).status == 416)
        }
    }

    @Test(arguments: AttachmentBed.types) func keepsGzipAsItIs(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let content = Array(String(repeating: "Little, Big ", count: 20_000).utf8)
            let encoded = try gzip(content)
            let headers = ["Content-Encoding": "gzip", "Content-Type": "text/plain"]
            try await bed.attach("/db/d/a", encoded, headers)
            for accept in ["gzip", "deflate, x-gzip;q=0.5", "*"] {
                let got = await bed.send(.get, "/db/d/a", ["Accept-Encoding": accept, "Range": "bytes=1-2"])
                #expect(got.status == 200 && got.has(encoded) && got.length == encoded.count, "\(accept)")
                #expect(got.header("Content-Encoding") == "gzip")
                #expect(got.header("Accept-Ranges") == "none")
                #expect(got.header("Content-MD5").map { "\"\($0)\"" } == got.header("ETag"))
                #expect(await bed.send(.head, "/db/d/a", ["Accept-Encoding": accept]).length == encoded.count)
            }
            for accept in [nil, "identity", "gzip;q=0", "deflate"] {
                let got = await bed.send(.get, "/db/d/a", accept.map { ["Accept-Encoding": $0] } ?? [:])
                #expect(got.status == 200 && got.has(content) && got.length == content.count)
                #expect(got.header("Content-Encoding") == nil && got.header("Content-MD5") == nil)
                #expect(got.header("Vary") == "Accept-Encoding")
            }
            let stub = await bed.send(.get, "/db/d?att_encoding_info=true").json["_attachments"]?["a"]
            #expect(stub?["encoding"] == "gzip" && stub?["length"]?.intValue == Int64(content.count))
            #expect(stub?["encoded_length"]?.intValue == Int64(encoded.count))
        }
    }

    @Test(arguments: AttachmentBed.types) func refusesWhatIsNoGzip(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let encoded = try gzip(Array("Little, Big".utf8))
            var damaged = encoded
            damaged[12] ^= 0xFF
            for content in [[], Array("Little, Big".utf8), encoded.dropLast(), encoded + [1], damaged] {
                let answer = await bed.send(.put, "/db/d/a", ["Content-Encoding": "gzip"], Array(content))
                #expect(answer.status == 400)
            }
            for coding in ["deflate", "br", "gzip, gzip"] {
                #expect(await bed.send(.put, "/db/d/a", ["Content-Encoding": coding], encoded).status == 415)
            }
            try bed.expectContents(0)
            // Gzip that does not say so is content like any other.
            try await bed.attach("/db/d/a", encoded)
            #expect(await bed.send(.get, "/db/d/a", ["Accept-Encoding": "gzip"]).header("Content-Encoding") == nil)
            #expect(await bed.send(.get, "/db/d/a", ["Range": "bytes=0-1"]).body == [0x1F, 0x8B])
        }
    }
}
