internal import ArgumentParser
internal import Settee

/// Paths to fields in one argument, separated by commas. A comma in a name is written with a backslash before it, which
/// paths drop.
enum FieldList {
    /// - Throws: a usage error for an empty path.
    static func paths(_ text: String) throws -> [String] {
        let paths = split(text)
        guard !paths.contains("") else {
            throw ValidationError(
                #"Fields are separated by single commas: type,address.city. A comma in a name is written '\,'."#
            )
        }
        return paths
    }

    /// Paths, each with its direction: the values descend where there is a dash before it.
    ///
    /// - Throws: a usage error for an empty path.
    static func orders(_ text: String) throws -> [FindOrder] {
        try paths(text).map { path in
            guard path.utf8.first == UInt8(ascii: "-") else { return .ascending(path) }
            guard path != "-" else { throw ValidationError("A dash stands before the field that descends: -total.") }
            return .descending(String(Substring(path.utf8.dropFirst())))
        }
    }

    /// The argument that gives these orders.
    static func text(_ orders: [FindOrder]) -> String {
        orders.map { order in
            // Where a name begins with a dash, a backslash keeps it from standing for a direction.
            let isMarked = !order.descending && order.field.utf8.first == UInt8(ascii: "-")
            return (order.descending ? "-" : isMarked ? #"\"# : "") + escaped(order.field)
        }.joined(separator: ",")
    }

    private static func split(_ text: String) -> [String] {
        var paths: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: ","), !isEscaped {
                paths.append([])
            } else {
                paths[paths.count - 1].append(byte)
            }
            isEscaped = byte == UInt8(ascii: #"\"#) && !isEscaped
        }
        return paths.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func escaped(_ path: String) -> String {
        var text: [UInt8] = []
        var isEscaped = false
        for byte in path.utf8 {
            if byte == UInt8(ascii: ","), !isEscaped { text.append(UInt8(ascii: #"\"#)) }
            text.append(byte)
            isEscaped = byte == UInt8(ascii: #"\"#) && !isEscaped
        }
        return String(decoding: text, as: UTF8.self)
    }
}
