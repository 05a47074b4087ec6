#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeReplicator

/// Which documents `settee replicate` passes on.
struct ReplicateChoice: ParsableArguments {
    @Option(help: "A filter function of the source, as design/name.")
    var filter: String?
    @Option(
        help: ArgumentHelp("A parameter of the filter; may be repeated.", valueName: "name=value"),
        transform: ReplicateChoice.parameter
    )
    var param: [Parameter] = []
    @Option(help: ArgumentHelp("Only the document with this ID; may be repeated.", valueName: "id"))
    var docIds: [String] = []
    @Option(
        help: ArgumentHelp("Only documents of this channel of Sync Gateway; may be repeated.", valueName: "channel")
    )
    var channels: [String] = []
    @Option(
        help: ArgumentHelp("Only documents that a selector (Mango) selects.", valueName: "json"),
        transform: ReplicateChoice.object
    )
    var selector: JSONObject?

    struct Parameter {
        var name: String
        var value: String
    }

    func validate() throws {
        let ways = [filter != nil, !docIds.isEmpty, !channels.isEmpty, selector != nil].count { $0 }
        if ways > 1 { throw ValidationError("--filter, --doc-ids, --channels and --selector exclude each other.") }
        if filter == nil, !param.isEmpty { throw ValidationError("--param is for a --filter.") }
    }

    func apply(to configuration: inout ReplicatorConfiguration) throws {
        if !docIds.isEmpty { configuration.documentIDs = docIds }
        configuration.selector = selector
        configuration.pull.channels = channels
        guard let filter else { return }
        let parameters = JSONObject(param.map { ($0.name, .string($0.value)) })
        if configuration.direction == .pull {
            configuration.pull.remoteFilter = RemoteFilter(filter, parameters)
        } else {
            let (version, function) = try DesignViews.filter(filter, of: configuration.database)
            configuration.push.filter = try .function(version: version, function, with: parameters)
        }
    }

    private static func parameter(_ argument: String) throws -> Parameter {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw ValidationError("'\(argument)' is no NAME=VALUE.")
        }
        return Parameter(name: String(parts[0]), value: String(parts[1]))
    }

    private static func object(_ argument: String) throws -> JSONObject {
        guard let object = (try? JSONValue(parsing: Array(argument.utf8)))?.objectValue else {
            throw ValidationError("The selector is no JSON object.")
        }
        return object
    }
}
#endif
