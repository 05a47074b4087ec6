import SetteeDocumentValues
import StorageProtocol
import Testing

@Suite("Setting inside JSON values")
struct JSONSettingTests {
    private func object(_ text: String) throws -> JSONObject { try #require(JSONValue(parsing: text).objectValue) }

    @Test("Elements of arrays are set in place")
    func elements() throws {
        var object = try object(#"{"list":[1,2,[3,{"a":4}]]}"#)
        object["list"][0] = "one"
        object["list"][2][1]["a"] = 5
        object["list"]?[2][0] = 6
        object["list"][3] = true
        #expect(object.description == #"{"list":["one",2,[6,{"a":5}],true]}"#)
        object["list"][1] = nil
        #expect(object.description == #"{"list":["one",[6,{"a":5}],true]}"#)
        var value: JSONValue = [1, 2]
        let name = "x"
        value[1] = name
        value[2] = .null
        #expect(value == [1, "x", .null])
    }

    @Test("A missing object or array is made, null counts as missing, and setting nil makes nothing")
    func missing() throws {
        var object = JSONObject()
        let city = "Edgewood"
        object["address"]["city"] = city
        object["address"]["lines"][0] = "House"
        object["address"]["lines"][1]["floor"] = 2
        #expect(object.description == #"{"address":{"city":"Edgewood","lines":["House",{"floor":2}]}}"#)
        object["gone"]["a"]["b"] = nil
        object["gone"][3] = nil
        #expect(object["gone"] == nil)
        object["null"] = .null
        object["null"]["a"] = 1
        #expect(object["null"] == ["a": 1])
        #expect(object["address"]["lines"][1]["floor"] == 2)
        #expect(object["address"]["no"]["such"][4] == nil)
    }

    @Test(
        "What cannot be set has no text: writing it gives the reason",
        arguments: [
            (#"{"n":5}"#, "member"), (#"{"n":"text"}"#, "member"), (#"{"n":true}"#, "member"),
            (#"{"n":[1]}"#, "member"),
        ]
    )
    func memberOfNoObject(text: String, word: String) throws {
        var object = try object(text)
        object["n"]["x"] = 1
        let error = try #require(throws: StorageError.self) { try object.canonicalBytes() }
        #expect(error.code == .badJSON && error.message.contains(word))
    }

    @Test(
        "The same for elements of an object or a number, and beyond the end",
        arguments: [0, 1, -1, 4, Int.max, Int.min]
    )
    func elementOutOfPlace(index: Int) throws {
        for text in [#"{"n":5}"#, #"{"n":{}}"#, #"{"n":[1,2,3]}"#]
        where !(text.contains("[") && (0...1).contains(index)) {
            var object = try object(text)
            object["n"][index] = 1
            let error = try #require(throws: StorageError.self) { try object.canonicalBytes() }
            #expect(error.code == .badJSON && error.message.contains("element"), "\(text), \(index)")
        }
        if index != 0 {
            var object = JSONObject()
            object["n"][index] = 1
            #expect(throws: StorageError.self) { try object.canonicalBytes() }
        }
    }

    @Test("Removing what is not there is not an error")
    func removing() throws {
        var object = try object(#"{"n":5,"list":[1]}"#)
        object["n"]["x"] = nil
        object["n"][0] = nil
        object["list"][4] = nil
        object["list"]["x"] = nil
        #expect(object.description == #"{"list":[1],"n":5}"#)
    }

    @Test("Setting by pointer makes objects, and throws without a change if it cannot be done")
    func pointers() throws {
        var object = try object(#"{"n":5,"list":[1,{"a":2}]}"#)
        let title = "x"
        try object.set(title, at: JSONPointer("/new/deep/title"))
        try object.set(3, at: JSONPointer("/list/1/a"))
        try object.set(["b": title], at: JSONPointer("/list/-"))
        try object.set(1, at: JSONPointer("/made/-"))
        try object.set(nil, at: JSONPointer("/list/0"))
        try object.set(nil, at: JSONPointer("/n/no/such"))
        let text = #"{"list":[{"a":3},{"b":"x"}],"made":[1],"n":5,"new":{"deep":{"title":"x"}}}"#
        #expect(object.description == text)
        for place in ["/n/x", "/list/3", "/list/x", "/list/01", "/list/0/a/b", ""] {
            let error = try #require(throws: StorageError.self) { try object.set(1, at: JSONPointer(place)) }
            #expect(error.code == .badParameter, "\(place)")
        }
        #expect(object.description == text)
        #expect(object[try JSONPointer("/list/1/b")] == "x")
    }

    @Test("The pointer's subscript does the same; what it cannot set has no text")
    func pointerSubscript() throws {
        var value: JSONValue = ["n": 5]
        value[try JSONPointer("/a/b")] = 1
        #expect(value == ["a": ["b": 1], "n": 5])
        value[JSONPointer(names: [])] = ["x": [1]]
        value[try JSONPointer("/x/0")] = 2
        #expect(value == ["x": [2]])
        value[try JSONPointer("/x/0/y")] = 2
        #expect(throws: StorageError.self) { try value.canonicalBytes() }
    }

    @Test("A pointer of a hundred thousand names does not crash")
    func longPointer() throws {
        let pointer = JSONPointer(names: Array(repeating: "a", count: 100_000))
        var value: JSONValue = [:]
        #expect(throws: StorageError.self) { try value.set(1, at: pointer) }
        try value.set(nil, at: pointer)
        #expect(value == [:])
        value[pointer] = 1
        #expect(throws: StorageError.self) { try value.canonicalBytes() }
    }

    @Test("A hundred thousand elements are set without copying the array each time")
    func inPlace() {
        var object: JSONObject = ["a": ["list": .array(Array(repeating: JSONValue.int(0), count: 100_000))]]
        let clock = ContinuousClock()
        let all = clock.measure { for i in 0..<100_000 { object["a"]["list"][i] = .int(Int64(i)) } }
        #expect(object["a"]["list"][99_999] == 99_999)
        // Copying would be 10^10 values.
        #expect(all < .seconds(30))
    }
}
