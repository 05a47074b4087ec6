internal import HTTPTypes

extension Answer {
    /// Adds the headers of an access. What the answer has itself counts: the cookie of a login or logout, not one that
    /// was renewed before. `Vary` may have both.
    mutating func add(_ access: HTTPFields) {
        for field in access {
            let own = headers[values: field.name]
            if own.isEmpty || (field.name == .vary && !own.contains(field.value)) { headers.append(field) }
        }
    }
}
