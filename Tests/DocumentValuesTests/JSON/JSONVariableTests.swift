import Foundation
import SetteeDocumentValues
import StorageProtocol
import Testing

@Suite("Variables that hold arrays and dictionaries")
struct JSONVariableTests {
    private let words = ["a", "b"]
    private let numbers = [1, 2]
    private let ratios = [0.5, 1.5]
    private let flags = [true, false]
    private let values: [JSONValue] = [1, "two", nil]
    private let counts = ["x": 1]
    private let names = ["x": "y"]
    private let parts: [String: JSONValue] = ["x": [1]]
    private let none: [String]? = nil

    /// Sets each variable under a name.
    private func fill(_ place: inout some JSONMembers) {
        place["words"] = words
        place["numbers"] = numbers
        place["ratios"] = ratios
        place["flags"] = flags
        place["values"] = values
        place["counts"] = counts
        place["names"] = names
        place["parts"] = parts
        place["ids"] = [DocumentID("d")]
        place["none"] = "there"
        place["none"] = none
    }

    private let expected =
        #"{"counts":{"x":1},"flags":[true,false],"ids":["d"],"names":{"x":"y"},"numbers":[1,2],"parts":{"x":[1]},"#
        + #""ratios":[0.5,1.5],"values":[1,"two",null],"words":["a","b"]}"#

    @Test("They can be set under a name: in objects, in values, and in what is still missing")
    func underNames() {
        var object: JSONObject = [:]
        fill(&object)
        #expect(object.description == expected)
        var value: JSONValue = [:]
        fill(&value)
        #expect(value.description == expected)
        fill(&object["made"])
        #expect(object["made"]?.description == expected)
        var direct: JSONObject = [:]
        direct["deep"]["words"] = words
        direct["deep"]["counts"] = counts
        #expect(direct.description == #"{"deep":{"counts":{"x":1},"words":["a","b"]}}"#)
    }

    @Test("And at an index of an array")
    func atPlaces() {
        var object: JSONObject = ["list": [0]]
        object["list"][0] = words
        object["list"][1] = counts
        object["list"][2] = numbers[1]
        #expect(object.description == #"{"list":[["a","b"],{"x":1},2]}"#)
        object["list"][0] = none
        #expect(object.description == #"{"list":[{"x":1},2]}"#)
    }

    @Test("Literals stay values: of mixed types, empty, or nil")
    func literals() {
        var object: JSONObject = [:]
        object["mixed"] = [1, "two", nil, [words[0]], ["x": 1]]
        object["same"] = ["a", "b"]
        object["empty"] = []
        object["members"] = [:]
        object["gone"] = nil
        #expect(
            object.description
                == #"{"empty":[],"members":{},"mixed":[1,"two",null,["a"],{"x":1}],"same":["a","b"]}"#
        )
    }

    /// The processor time that this thread has used.
    private func work(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }

    /// Every element and every member of a container of `count`, two levels down, by value and by variable.
    private func settingAll(_ count: Int) -> Double {
        var value: JSONValue = [
            "a": ["list": .array([JSONValue](repeating: 0, count: count)), "members": [:]], "rest": "x",
        ]
        let keys = (0..<count).map { String(1_000_000 + $0) }
        value["a"]["members"] = .object(JSONObject(keys.map { ($0, 0) }))
        let time = work {
            for index in 0..<count {
                value["a"]["list"][index] = 1
                value["a"]["list"][index] = index
                value["a"]["members"][keys[index]] = 1
                value["a"]["members"][keys[index]] = index
            }
        }
        #expect(value["a"]?["list"]?[count - 1]?.intValue == Int64(count - 1))
        #expect(value["a"]?["members"]?[keys[count - 1]]?.intValue == Int64(count - 1))
        return time
    }

    @Test("Setting in place copies no container: 16 times as many sets take about 16 times as long, not 256 times")
    func inPlace() {
        let large = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 32_000 : 160_000
        _ = settingAll(100)
        let few = settingAll(large / 16)
        let many = settingAll(large)
        #expect(many < few * 64)
    }
}
