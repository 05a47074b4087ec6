internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// docs/openapi.yaml has the options of each route, all of them and no others.
@Suite struct OpenAPIOptionTests {
    /// The names of all options that the code reads, from its text.
    private static func namesInCode() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Sources/CouchProtocol/Options", "Sources/Listener"] {
            let path = OpenAPIFile.root.appending(path: folder).path
            for file in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? []
            where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: path + "/" + file, encoding: .utf8)
                let reads = /\.(?:text|flag|count|json|revision|revisions|number|isGiven)\("([a-z_-]+)"\)/
                for match in text.matches(of: reads) { names.insert(String(match.1)) }
                for list in text.matches(of: /for name in \[([^\]]+)\] as \[TargetText\]/) {
                    for match in list.1.matches(of: /"([a-z_-]+)"/) { names.insert(String(match.1)) }
                }
                for match in text.matches(of: /"([a-z_]+)": "[a-z_]+"/) where file == "RequestOptions.swift" {
                    names.insert(String(match.1))
                }
            }
        }
        return names
    }

    @Test("each option that the code reads is in the file")
    func all() throws {
        let names = try OpenAPIOptionTests.namesInCode()
        #expect(names.isSuperset(of: ["rev", "startkey", "last-event-id", "include_docs", "all_or_nothing"]))
        #expect(names.count > 50, "The options are not found any more where they were.")
        #expect(names.subtracting(try OpenAPIFile().optionNames) == [])
    }

    /// Options without a value that changes the status of an answer.
    private static let silent: Set = [
        "view", "start_key_doc_id", "startkey_docid", "end_key_doc_id", "endkey_docid", "batch",
    ]

    @Test("each route reads the options that the file has for it")
    func each() async throws {
        let file = try OpenAPIFile()
        let names = try OpenAPIOptionTests.namesInCode().union(file.operations.flatMap(\.options))
        try await withListener(.memory) { bed in
            let requests = SampleRequests(bed)
            // HEAD is as GET, and has no status of its own.
            for operation in file.operations where operation.method != "HEAD" {
                let status = try await requests.send(operation).status
                #expect(
                    status < 400 || operation.answers["501"] != nil || operation.path == "/_session",
                    "\(operation)"
                )
                guard status < 400 else { continue }
                let documented = operation.options.union(operation.unusedOptions)
                for name in names {
                    // A wrong value of an option is an error where the option is read.
                    let query = name == "batch" ? "?batch=ok" : "?\(name)=~"
                    let isRead = try await requests.send(operation, query: query).status != status
                    if isRead { #expect(documented.contains(name), "\(operation) reads \(name).") }
                    if !isRead, !OpenAPIOptionTests.silent.contains(name) {
                        #expect(!documented.contains(name), "\(operation) does not read \(name).")
                    }
                }
            }
        }
    }
}
