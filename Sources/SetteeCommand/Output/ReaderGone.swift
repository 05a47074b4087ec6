/// The reader of the standard output is gone: there is nothing left to do or to report.
struct ReaderGone: Error {}
