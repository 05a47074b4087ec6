internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Runs `body` with a listener over a database with a design document `d`.
///
/// - Parameter design: The members of the design document but its language.
func withDesign(
    _ type: StorageType,
    access: AccessConfiguration = AccessConfiguration(),
    javaScript: JavaScriptConfiguration = JavaScriptConfiguration(timeLimit: .milliseconds(500)),
    _ design: JSONObject,
    _ body: (ListenerBed) async throws -> Void
) async throws {
    try await withListener(type, access: access, javaScript: javaScript) { bed in
        var design = design
        design["language"] = "javascript"
        try bed.database["_design/d"].put(design)
        try await body(bed)
    }
}
