public import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

/// For reduce functions of the application.
extension Reduce {
    /// Returns the sum of numbers, like `sum`; 0 if there are none.
    ///
    /// - Throws: `badRequest` (400) if a value is not a number, or the sum is beyond the range of doubles.
    public static func total(of values: [JSONValue]) throws(StorageError) -> JSONValue {
        var sum = ExactSum()
        for value in values { try sum.add(value) }
        return try sum.value
    }

    /// Returns the mean of numbers; nil if there are none.
    ///
    /// - Throws: `badRequest` (400) if a value is not a number, or the sum is beyond the range of doubles.
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

    static var valueDoesNotAddUp: StorageError {
        StorageError(
            .badRequest,
            "A value cannot be added up with the others. Emit numbers, arrays of numbers, or objects of these, and no "
                + "objects beside others; for `_stats`, numbers or arrays of one length."
        )
    }

    static var sumHasTooManyParts: StorageError {
        StorageError(
            .badRequest,
            "A sum has more than \(MixedSum.mostParts) elements and members. Emit values with the same few members."
        )
    }

    static var sumIsTooLarge: StorageError {
        StorageError(.badRequest, "A sum is beyond the range of numbers. Emit smaller numbers.")
    }
}
