/// Whoever read the standard output has gone: there is nothing left to do, and nobody to tell.
struct ReaderGone: Error {}
