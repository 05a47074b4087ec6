internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import Testing

extension TestDatabase {
    /// The functions of the design documents of the present database, with short limits.
    func functions(
        time: Duration = .seconds(5),
        memory: Int = 256 << 20,
        pause: Duration = .seconds(300),
        executable: String? = nil
    ) -> DesignDocuments {
        let configuration = JavaScriptConfiguration(
            executable: executable,
            timeLimit: time,
            memoryLimit: memory,
            pause: pause
        )
        return DesignDocuments(database, pool: JavaScriptPool(configuration))
    }

    /// Saves a design document, in place of the one that there is.
    func putDesign(_ name: String, _ body: JSONObject) throws {
        let document = database["_design/\(name)"]
        let present = try document.revision()
        try document.put(body, parent: present?.isDeleted == false ? present?.id : nil)
    }

    /// Saves a design document `d` with one view `v`.
    func putView(_ map: String, reduce: String? = nil, options: JSONObject? = nil) throws {
        var view: JSONObject = ["map": .string(map)]
        view["reduce"] = reduce.map { .string($0) }
        view["options"] = options.map { .object($0) }
        try putDesign("d", ["views": ["v": .object(view)]])
    }
}

/// Expects `body` to throw this very `DesignError`.
func expectDesignError<R>(
    _ error: DesignError,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) {
    #expect(throws: error, sourceLocation: sourceLocation) { _ = try body() }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
