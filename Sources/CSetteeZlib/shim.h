#pragma once

#include <zlib.h>

// inflateInit2 is a macro, which Swift cannot call. 16 + 15: gzip's frame, the largest window.
static inline int czlib_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 16 + 15); }
