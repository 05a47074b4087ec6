internal import Settee

/// Documents about people, the same for the same seed.
struct People {
    private var state: UInt64
    private static let cities = ["Aix", "Łódź", "bonn", "Bonn", "東京"]

    init(seed: UInt64) { state = seed }

    private mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func next() -> JSONObject {
        var person: JSONObject = ["age": .int(Int64(next(90))), "weight": .double(Double(next(1000)) / 8)]
        if next(5) > 0 { person["city"] = .string(People.cities[next(People.cities.count)]) }
        if next(3) > 0 { person["type"] = "person" }
        person["tags"] = .array((0..<next(4)).map { _ in .string("tag \(next(7))\n\"") })
        return person
    }

    /// Two rows for each tag of a person, and one of the city.
    static let map = """
        function (doc) {
            if (doc.type !== 'person') return;
            emit([doc.city, doc.age], doc.weight);
            doc.tags.forEach(function (tag) {
                emit(tag, {city: doc.city || null, id: doc._id});
                emit(doc.age, null);
            });
        }
        """

    static let swiftMap: @Sendable (MapDocument, MapEmitter) throws -> Void = { document, emit in
        guard document["type"] == "person" else { return }
        emit(.array([document["city"] ?? .null, document["age"] ?? .null]), document["weight"])
        for tag in document["tags"]?.arrayValue ?? [] {
            emit(tag, ["city": document["city"] ?? .null, "id": .string(document.id.string)])
            emit(document["age"], .some(.null))
        }
    }
}
