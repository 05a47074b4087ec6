@_exported public import Engine
