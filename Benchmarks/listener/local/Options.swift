import Foundation

/// `local --workload W --folder F --storage-type T [--database NAME] [--data FILE] [--times N]`.
struct Options {
    struct Wrong: LocalizedError {
        var text: String
        var errorDescription: String? { text }
    }

    var workload = ""
    var folder = ""
    var storageType = ""
    /// A file with a document a line.
    var data: String?
    var times = 1
    var database = "people"

    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            guard let value = rest.next() else { throw Wrong(text: "\(name) needs a value.") }
            switch name {
            case "--workload": workload = value
            case "--folder": folder = value
            case "--storage-type": storageType = value
            case "--data": data = value
            case "--database": database = value
            case "--times": times = Int(value) ?? 1
            default: throw Wrong(text: "There is no option \(name).")
            }
        }
    }
}
