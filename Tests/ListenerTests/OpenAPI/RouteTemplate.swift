internal import SetteeCouchProtocol

@testable internal import SetteeListener

extension Route {
    /// The path of docs/openapi.yaml for a target that leads to this route.
    func template(_ target: RequestTarget) -> String {
        let queries = target.segments.last == "queries" ? "/queries" : ""
        switch self {
        case .server(let resource): return "/" + resource.rawValue
        case .database: return "/{db}"
        case .databaseResource(_, .compact) where target.segments.count == 3: return "/{db}/_compact/{ddoc}"
        case .databaseResource(_, let resource):
            return "/{db}/" + resource.rawValue + (resource.takesQueries ? queries : "")
        case .document(_, let id): return "/{db}/" + Route.template(ofID: id)
        case .attachment(_, let id, _): return "/{db}/" + Route.template(ofID: id) + "/{attname}"
        case .view:
            let isNamed = target.segments.dropLast().last == "_view"
            return "/{db}/_design/{ddoc}/_view/{view}" + (isNamed ? "" : queries)
        case .index: return "/{db}/_index/_design/{ddoc}/json/{name}"
        case .designInfo: return "/{db}/_design/{ddoc}/_info"
        case .notImplemented(let name):
            return target.segments[1] == "_design" ? "/{db}/_design/{ddoc}/\(name)/{name}" : "/{db}/\(name)"
        }
    }

    private static func template(ofID id: String) -> String {
        if id.hasPrefix("_local/") { return "_local/{localid}" }
        return id.hasPrefix("_design/") ? "_design/{ddoc}" : "{docid}"
    }

    /// A target of a path of docs/openapi.yaml.
    static func sample(_ template: String, document: String = "a") -> String {
        let names = [
            "{db}": "db", "{docid}": document, "{localid}": document, "{ddoc}": document, "{attname}": "t.txt",
            "{view}": "v", "{name}": "f",
        ]
        return template.split(separator: "/").reduce("") { $0 + "/" + (names[String($1)] ?? String($1)) }
    }
}
