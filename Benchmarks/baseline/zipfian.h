// The random decisions of the workloads `read-zipfian` and `ycsb-*`. Each depends on the number of the turn alone (from 0),
// so that a program in another language makes the same ones. They are defined by these formulas, in which all numbers with
// a fraction are IEEE 754 doubles and no operation is fused with another (-ffp-contract=off):
//
//     u(turn)  = (mix64(~turn ^ 0x5A49504600000000) >> 11) * 2^-53        "ZIPF"
//     u2(turn) = (mix64( turn ^ 0x5943534200000000) >> 11) * 2^-53        "YCSB"
//
// The document of a turn is that of YCSB's scrambled zipfian distribution, but for the hash (B. F. Cooper et al.,
// "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010), by the algorithm of J. Gray et al., "Quickly Generating
// Billion-Record Synthetic Databases", SIGMOD 1994. As in YCSB the ranks are those of 10^10 items, whatever the number of
// documents, which the hash then folds onto the documents: every document has a share, and the most frequent one has 3.8 %.
//
//     theta = 0.99
//     items = 10000000000
//     zeta  = 26.46902820178302                       the sum of i^-theta for i from 1 to items, as YCSB has it
//     two   = 1 + pow(0.5, theta)
//     alpha = 1 / (1 - theta)
//     eta   = (1 - pow(2 / items, 1 - theta)) / (1 - two / zeta)
//
//     rank(u)        = 0                                                  if u * zeta < 1
//                      1                                                  else if u * zeta < two
//                      floor(items * pow(eta * u - eta + 1, alpha))       else
//     document(turn) = mix64(rank(u(turn))) % documents
//
// A turn is a write if u2(turn) < share. The length of a scan is 1 + mix64(turn ^ 0x5343414E00000000) % 100 ("SCAN").
#pragma once

#include "people/people.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double items, zeta, two, alpha, eta;
} Zipfian;

static inline Zipfian make_zipfian(void) {
    const double theta = 0.99;
    Zipfian zipfian = {.items = 10000000000.0, .zeta = 26.46902820178302};
    zipfian.two = 1 + pow(0.5, theta);
    zipfian.alpha = 1 / (1 - theta);
    zipfian.eta = (1 - pow(2 / zipfian.items, 1 - theta)) / (1 - zipfian.two / zipfian.zeta);
    return zipfian;
}

// From 0 to less than 1.
static inline double unit_interval(uint64_t random) { return (double)(random >> 11) * 0x1p-53; }

static inline uint64_t zipfian_rank(const Zipfian *zipfian, double u) {
    double sum = u * zipfian->zeta;
    if (sum < 1) return 0;
    if (sum < zipfian->two) return 1;
    return (uint64_t)(zipfian->items * pow(zipfian->eta * u - zipfian->eta + 1, zipfian->alpha));
}

// The document that turn number `turn` is about.
static inline uint64_t zipfian_document(const Zipfian *zipfian, uint64_t turn, uint64_t documents) {
    double u = unit_interval(mix64(~turn ^ 0x5A49504600000000u));
    return mix64(zipfian_rank(zipfian, u)) % documents;
}

static inline bool is_write(uint64_t turn, double share) {
    return unit_interval(mix64(turn ^ 0x5943534200000000u)) < share;
}

// How many rows a scan reads.
static inline uint64_t scan_length(uint64_t turn) { return 1 + mix64(turn ^ 0x5343414E00000000u) % 100; }
