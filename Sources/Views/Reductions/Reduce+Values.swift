public import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

/// For reduce functions of the application.
extension Reduce {
    /// The sum of numbers, as `sum` yields it. 0 for none.
    ///
    /// - Throws: `badRequest` (400) where a value is no number, or the sum is beyond the range of doubles.
    public static func total(of values: [JSONValue]) throws(StorageError) -> JSONValue {
        var sum = ExactSum()
        for value in values { try sum.add(value) }
        return try sum.value
    }

    /// The mean of numbers, nil for none.
    ///
    /// - Throws: `badRequest` (400) where a value is no number, or the sum is beyond the range of doubles.
    public static func average(of values: [JSONValue]) throws(StorageError) -> Double? {
        guard !values.isEmpty else { return nil }
        let total = try total(of: values)
        return (total.doubleValue ?? 0) / Double(values.count)
    }
}

extension StorageError {
    static var valueIsNoNumber: StorageError {
        StorageError(
            .badRequest,
            "A value that is no number cannot be added up. Emit numbers, or use another reduce function."
        )
    }

    static var sumIsTooLarge: StorageError {
        StorageError(.badRequest, "A sum is beyond the range of numbers. Emit smaller numbers.")
    }
}
