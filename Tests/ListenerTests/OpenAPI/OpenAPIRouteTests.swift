internal import Foundation
internal import HTTPTypes
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// docs/openapi.yaml has the listener's paths and methods, all of them and no others.
@Suite struct OpenAPIRouteTests {
    @Test("each path of the file leads to a route, and is the path that the file has for it")
    func paths() throws {
        for path in Set(try OpenAPIFile().operations.map(\.path)) {
            let sample = path == "/" ? "/" : Route.sample(path)
            let target = try RequestTarget(sample)
            #expect(try Route(target.segments).template(target) == path, "\(sample)")
        }
    }

    @Test("each resource of the server and of a database is in the file")
    func resources() throws {
        let paths = Set(try OpenAPIFile().operations.map(\.path))
        for resource in Route.ServerResource.allCases { #expect(paths.contains("/" + resource.rawValue)) }
        for resource in Route.DatabaseResource.allCases {
            #expect(paths.contains("/{db}/" + resource.rawValue))
            if resource.takesQueries { #expect(paths.contains("/{db}/\(resource.rawValue)/queries")) }
        }
    }

    @Test("each name that the router knows is in the file, also those that are not implemented")
    func names() throws {
        let segments = Set(try OpenAPIFile().operations.flatMap { $0.path.split(separator: "/").map(String.init) })
        let router = OpenAPIFile.root.appending(path: "Sources/Listener/Routing/Route.swift")
        let names = try String(contentsOf: router, encoding: .utf8).matches(of: /"(_[a-z_]+)"/).map { String($0.1) }
        #expect(names.count > 30, "The names are not found any more where they were.")
        for name in names { #expect(segments.contains(name), "\(name)") }
    }

    @Test("the methods of each path are those that the listener allows")
    func methods() async throws {
        try await withListener(.memory) { bed in
            let operations = Dictionary(grouping: try OpenAPIFile().operations, by: \.path)
            for (path, operations) in operations {
                let sample = path == "/" ? "/" : Route.sample(path)
                let answer = await bed.answer(HTTPRequest.Method("PATCH")!, sample)
                #expect(answer.status == .methodNotAllowed, "\(path)")
                let allowed = answer.headers[.allow]?.split(separator: ", ").map(String.init) ?? []
                #expect(Set(allowed) == Set(operations.map(\.method)), "\(path)")
            }
        }
    }
}
