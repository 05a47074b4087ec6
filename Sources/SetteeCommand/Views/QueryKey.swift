internal import ArgumentParser
internal import Settee

/// View keys on the command line: JSON only.
enum QueryKey {
    /// - Throws: a usage error that explains quoting.
    static func parse(_ text: String) throws -> JSONValue {
        do throws(StorageError) {
            return try JSONValue(parsing: text)
        } catch {
            throw ValidationError(
                """
                Keys are JSON: 1982, null, ["a",1]. A text stands in double quotes, and the shell wants single quotes \
                around them: '"text"'. \(error.message)
                """
            )
        }
    }

    /// - Throws: a usage error that explains quoting.
    static func parseList(_ text: String) throws -> [JSONValue] {
        let value = try? JSONValue(parsing: text)
        guard let keys = value?.arrayValue else {
            throw ValidationError(#"Keys are a JSON array, in single quotes for the shell: '["text",1982]'."#)
        }
        return keys
    }
}
