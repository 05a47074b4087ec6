#pragma once
#include <unicode/ucol.h>
#include <unicode/uversion.h>
