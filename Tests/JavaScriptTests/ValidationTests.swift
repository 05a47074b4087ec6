internal import SetteeJavaScript
internal import Testing

@Suite struct ValidationTests {
    let worker = JavaScriptWorker()

    func validate(
        _ body: String,
        _ document: String = "{}",
        old: String? = nil
    ) throws(JavaScriptError) -> JavaScriptValidation {
        try worker.validate(
            function("function (newDoc, oldDoc, userCtx, secObj) { \(body) }"),
            document: bytes(document),
            old: old.map(bytes),
            user: bytes(#"{"db":"d","name":"ida","roles":["writer"]}"#),
            security: bytes(#"{"admins":{"names":["bob"]}}"#)
        )
    }

    @Test func theGuidesValidation() throws {
        let body = """
            if (oldDoc && oldDoc.author != newDoc.author) throw({forbidden: 'Author is ' + oldDoc.author});
            if (userCtx.name != newDoc.author) throw({unauthorized: 'You are not ' + newDoc.author});
            if (secObj.admins.names[0] !== 'bob') throw({forbidden: 'No bob'});
            """
        #expect(try validate(body, #"{"author":"ida"}"#) == .ok)
        #expect(try validate(body, #"{"author":"ida"}"#, old: #"{"author":"ida"}"#) == .ok)
        #expect(try validate(body, #"{"author":"eve"}"#, old: #"{"author":"ida"}"#) == .forbidden("Author is ida"))
        #expect(try validate(body, #"{"author":"eve"}"#) == .unauthorized("You are not eve"))
        #expect(try validate("if (oldDoc !== null) throw({forbidden: 'x'})") == .ok)
        #expect(try validate("return false") == .ok)
    }

    @Test func otherErrorsAreErrors() {
        #expect(
            failure { () throws(JavaScriptError) in try validate("throw new Error('x')") }
                == .thrown("Error: x (line 1)")
        )
        #expect(
            failure { () throws(JavaScriptError) in try validate("throw({other: 1})") }
                == .thrown("An object was thrown that is no Error.")
        )
        #expect(
            failure { () throws(JavaScriptError) in try validate("throw({get forbidden() { throw 1 }})") }
                == .thrown("An object was thrown that is no Error.")
        )
    }

    @Test func messagesAreTextAndShort() throws {
        #expect(try validate("throw({forbidden: {a: 1}})") == .forbidden("[object Object]"))
        #expect(try validate("throw({forbidden: 'é'.repeat(9999)})") == .forbidden(String(repeating: "é", count: 250)))
    }
}
