/// Why a call gave no results.
struct CallFault: Error {
    var error: JavaScriptError
    /// The number of the document in work, if the child could tell.
    var document: Int?
    /// Why the child had to be ended, if it had.
    var loss: ChildFailure?
    /// Whether other documents would do no better: the function or the program is at fault.
    var isFinal = false
}
