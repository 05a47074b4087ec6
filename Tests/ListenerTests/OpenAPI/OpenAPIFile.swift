internal import Foundation
internal import SetteeDocumentValues
internal import Testing
internal import Yams

/// docs/openapi.yaml.
struct OpenAPIFile {
    /// What the file says of a path and a method.
    struct Operation: Sendable, CustomStringConvertible {
        /// With the names of its parts in braces, as `/{db}/{docid}`.
        let path: String
        let method: String
        /// Options of the query that have a meaning.
        let options: Set<String>
        /// Options of the query that are only looked at.
        let unusedOptions: Set<String>
        /// By their status.
        let answers: JSONObject

        var description: String { "\(method) \(path)" }
    }

    /// The folder of the repository.
    static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }

    let document: JSONObject
    let operations: [Operation]

    init() throws {
        let text = try String(contentsOf: OpenAPIFile.root.appending(path: "docs/openapi.yaml"), encoding: .utf8)
        let document = try #require(OpenAPIFile.value(Yams.load(yaml: text)).objectValue)
        self.document = document
        operations = try (document["paths"]?.objectValue ?? JSONObject()).flatMap { path, item in
            try OpenAPIFile.operations(path, item.objectValue ?? JSONObject(), document)
        }
    }

    private static let methods = ["get", "head", "post", "put", "delete", "x-copy"]

    private static func operations(_ path: String, _ item: JSONObject, _ file: JSONObject) throws -> [Operation] {
        for name in item.keys { try #require(methods.contains(name) || name == "parameters", "\(path): \(name)") }
        return try methods.compactMap { name in
            guard let operation = item[name]?.objectValue else { return nil }
            let parameters = try (operation["parameters"]?.arrayValue ?? []).map { try resolved($0, in: file) }
            let options = parameters.filter { $0["in"]?.stringValue == "query" }.compactMap { $0["name"]?.stringValue }
            let unused = operation["x-unused-options"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let answers = try (operation["responses"]?.objectValue ?? JSONObject()).map { status, answer in
                (status, JSONValue.object(try resolved(answer, in: file)))
            }
            return Operation(
                path: path,
                method: name == "x-copy" ? "COPY" : name.uppercased(),
                options: Set(options),
                unusedOptions: Set(unused),
                answers: JSONObject(answers)
            )
        }
    }

    /// The object itself, or the one that it refers to.
    private static func resolved(_ value: JSONValue, in file: JSONObject) throws -> JSONObject {
        let object = try #require(value.objectValue)
        guard let reference = object["$ref"]?.stringValue else { return object }
        var found = JSONValue.object(file)
        for name in reference.dropFirst(2).split(separator: "/") {
            found = try #require(found.objectValue?[String(name)], "\(reference) leads nowhere.")
        }
        return try #require(found.objectValue)
    }

    private static func value(_ any: Any?) throws -> JSONValue {
        switch any {
        case nil, is NSNull: .null
        case let flag as Bool: .bool(flag)
        case let number as Int: .int(Int64(number))
        case let number as Double: .double(number)
        case let text as String: .string(text)
        case let list as [Any]: .array(try list.map(value))
        case let members as [AnyHashable: Any]:
            .object(JSONObject(try members.map { ("\($0.key.base)", try value($0.value)) }))
        default: try #require(nil as JSONValue?, "The file has a value that JSON has not.")
        }
    }

    func operation(_ method: String, _ path: String) -> Operation? {
        operations.first { $0.method == method && $0.path == path }
    }

    /// The names of all options that the file has, in queries and in bodies.
    var optionNames: Set<String> {
        var names: Set<String> = []
        func collect(_ value: JSONValue) {
            if let list = value.arrayValue { list.forEach(collect) }
            for (name, value) in value.objectValue ?? JSONObject() {
                if name == "properties" { names.formUnion(value.objectValue?.keys ?? []) }
                collect(value)
            }
        }
        collect(.object(document))
        for operation in operations { names.formUnion(operation.options.union(operation.unusedOptions)) }
        return names
    }
}
