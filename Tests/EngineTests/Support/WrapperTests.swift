import Settee
import SetteeTestSupport
import StorageConformance
import Testing

/// The wrappers that tests put between a database and its engine forward every call.
@Suite struct WrapperTests {
    @Test(arguments: Storage.plain)
    func passEveryCallOn(type: StorageType) throws {
        let row = EngineCase(name: "\(type)", factory: Storage.factory(type))
        #expect(try Conformance.unforwardedCalls(of: row) { SteppedFactory($0, RewriteSteps()) } == [])
        #expect(try Conformance.unforwardedCalls(of: row) { KeepingFactory($0) } == [])
        // These are its own.
        let own: Set = ["storageType", "capabilities", "compact"]
        #expect(try Conformance.unforwardedCalls(of: row, except: own) { WrappedFactory($0) } == [])
    }
}
