import SetteeDocumentValues
import StorageProtocol
import Testing

@Suite("Variables in JSON literals")
struct JSONLiteralTests {
    private let name = "Little, Big"
    private let count = 3
    private let ratio = 0.5
    private let flag = true
    private let missing: String? = nil
    private let present: Int? = 7

    @Test("Strings, numbers, truth values and optionals can be used in objects as they are")
    func scalars() {
        let object: JSONObject = [
            "name": name, "count": count, "ratio": ratio, "flag": flag, "missing": missing, "present": present,
            "half": Float(0.5), "small": UInt8(5), "large": UInt64.max, "part": name.prefix(6),
        ]
        #expect(
            object.description
                == #"{"count":3,"flag":true,"half":0.5,"large":18446744073709551615,"missing":null,"name":"Little, Big","#
                + #""part":"Little","present":7,"ratio":0.5,"small":5}"#
        )
    }

    @Test("The same inside nested literals whose elements differ")
    func nested() {
        let value: JSONValue = [
            "list": [1, "x", name, nil, flag, [count, [:], []], missing],
            "object": ["a": name, "b": ["c": [ratio, ["d": count]]]], "empty": [:], "none": [],
        ]
        #expect(
            value.description
                == #"{"empty":{},"list":[1,"x","Little, Big",null,true,[3,{},[]],null],"none":[],"#
                + #""object":{"a":"Little, Big","b":{"c":[0.5,{"d":3}]}}}"#
        )
        let array: JSONValue = [name, count, ["x": flag]]
        #expect(array.description == #"["Little, Big",3,{"x":true}]"#)
    }

    @Test("The cases of JSONValue keep their short names there, and take arrays and dictionaries of any such type")
    func cases() {
        let tags = ["a", "b"]
        let counts = ["x": 1]
        let values: [JSONValue] = [1, "two"]
        let inner: JSONObject = ["y": 2]
        let object: JSONObject = [
            "tags": .array(tags), "counts": .object(counts), "values": .array(values), "inner": .object(inner),
            "null": .null, "text": .string(name), "number": .int(4), "either": flag ? 1 : .null, "value": values[1],
            "object": inner, "maybe": inner["z"], "sum": count + 1, "joined": "\(name)!",
        ]
        #expect(
            object.description
                == #"{"counts":{"x":1},"either":1,"inner":{"y":2},"joined":"Little, Big!","maybe":null,"null":null,"#
                + #""number":4,"object":{"y":2},"sum":4,"tags":["a","b"],"text":"Little, Big","value":"two","#
                + #""values":[1,"two"]}"#
        )
    }

    @Test("IDs are encoded as their texts")
    func ids() throws {
        let object: JSONObject = ["document": DocumentID("a"), "revision": try RevisionID("1-local")]
        #expect(object.description == #"{"document":"a","revision":"1-local"}"#)
    }

    @Test("A double that is not finite has no text, in a literal or elsewhere")
    func notFinite() {
        let object: JSONObject = ["x": Double.infinity]
        #expect(throws: StorageError.self) { try object.canonicalBytes() }
    }
}
