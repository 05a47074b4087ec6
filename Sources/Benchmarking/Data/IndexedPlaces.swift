internal import Settee

/// JSON pointers to the members of documents that views of the benchmark have as keys.
struct IndexedPlaces {
    /// A number.
    var number: String?
    /// A text.
    var text: String?
    /// Something with few different values.
    var group: String?

    init(number: String? = nil, text: String? = nil, group: String? = nil) {
        self.number = number
        self.text = text
        self.group = group
    }

    /// The name of the member that `number` points to. It is always at the top level of the document.
    var numberMember: String {
        String((number ?? "").dropFirst()).replacing("~1", with: "/").replacing("~0", with: "~")
    }

    enum Kind {
        /// For workloads without a view, which need none.
        case any
        case number
        case text
        case group
    }

    subscript(kind: Kind) -> String? {
        switch kind {
        case .any: ""
        case .number: number
        case .text: text
        case .group: group
        }
    }

    /// Finds members that most of the first hundred documents have. The group is the text or the number with the
    /// fewest different values.
    init(of lines: [[UInt8]]) {
        var values: [String: [JSONValue]] = [:]
        let some = lines.prefix(100)
        for line in some {
            guard case .object(let object)? = try? JSONValue(parsing: line) else { continue }
            for (name, value) in object { values[name, default: []].append(value) }
        }
        func names(_ fits: (JSONValue) -> Bool) -> [String] {
            values.filter { $0.value.count(where: fits) * 2 > some.count }.map(\.key).sorted()
        }
        let numbers = names {
            switch $0 {
            case .int, .double: true
            default: false
            }
        }
        let texts = names {
            if case .string = $0 { true } else { false }
        }
        let group = (texts + numbers).min { distinct(values[$0]) < distinct(values[$1]) }
        self.init(
            number: numbers.first.map(IndexedPlaces.pointer),
            text: texts.first.map(IndexedPlaces.pointer),
            group: group.map(IndexedPlaces.pointer)
        )

        func distinct(_ values: [JSONValue]?) -> Int {
            Set((values ?? []).compactMap { try? $0.canonicalBytes() }).count
        }
    }

    private static func pointer(_ name: String) -> String {
        "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
