// Tells callgrind, which runs a program and counts its instructions, where a measured part begins and ends. Without
// Valgrind around the program neither call does anything.
#pragma once

/// Sets the count to zero.
void counter_begin(void);
/// Writes the count since then to callgrind's next output file, with this name.
void counter_end(const char *_Nonnull name);
/// Whether Valgrind runs the program.
int counter_is_running(void);
