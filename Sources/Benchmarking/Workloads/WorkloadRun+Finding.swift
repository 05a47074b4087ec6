internal import Settee

extension WorkloadRun {
    private static let indexName = "bench"

    /// The field that a value index or a selector names; a point in the name of a member has a backslash before it.
    func path(of place: IndexedPlaces.Kind) throws -> String {
        guard let pointer = documents.places[place] else { throw WorkloadRun.missing }
        return pointer.split(separator: "/")
            .map { $0.replacing("~1", with: "/").replacing("~0", with: "~").replacing(".", with: "\\.") }
            .joined(separator: ".")
    }

    /// Defines a value index without building it.
    func defineIndex(_ place: IndexedPlaces.Kind) throws {
        try database.createIndex(WorkloadRun.indexName, on: [.ascending(path(of: place))])
    }

    func updateIndex() throws { try database.updateIndex(named: WorkloadRun.indexName) }

    func makeIndex(_ place: IndexedPlaces.Kind) throws {
        try defineIndex(place)
        try updateIndex()
    }

    /// Makes queries for the values of up to `count` documents, which are spread over all.
    func makeQuestions(_ place: IndexedPlaces.Kind, _ count: Int) throws {
        let path = try path(of: place)
        let pointer = try JSONPointer(documents.places[place] ?? "")
        questions = try (0..<min(count, self.count)).compactMap { number in
            let document = try JSONValue(parsing: documents.body(People.randomDocument(number, of: self.count)))
            return try document[pointer].map { try database.find([path: ["$eq": $0]]) }
        }
        guard !questions.isEmpty else { throw WorkloadRun.missing }
    }
}
