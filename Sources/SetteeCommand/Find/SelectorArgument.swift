internal import ArgumentParser
internal import Settee

/// Selectors on the command line.
enum SelectorArgument {
    /// - Throws: a usage error that explains quoting.
    static func parse(_ text: [UInt8]) throws -> JSONObject {
        let value: JSONValue
        do throws(StorageError) {
            value = try JSONValue(parsing: text)
        } catch {
            throw ValidationError(
                """
                A selector is JSON, and the shell wants single quotes around it: '{"type":"invoice"}'. \(error.message)
                """
            )
        }
        guard let selector = value.objectValue else {
            throw ValidationError(#"A selector is a JSON object: '{"type":"invoice"}'. '{}' stands for all documents."#)
        }
        return selector
    }

    /// Parses a selector of an option.
    static func parse(option text: String) throws -> JSONObject { try parse(Array(text.utf8)) }

    /// Runs what checks a selector, a path or an order. What is refused in them is a usage error.
    static func check<Result>(_ body: () throws(StorageError) -> Result) throws -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            guard error.code == .badRequest || error.code == .badParameter else { throw error }
            throw ValidationError(error.message)
        }
    }
}
