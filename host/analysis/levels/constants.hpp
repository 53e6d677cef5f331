#pragma once

#include <array>

namespace sonde::analysis::curve {

/// Everything about the model that no formula gives. tests/benchmark/levels_of_curves prints what each is worth.
struct Constants {
  // The noise.
  double least_noise = 0.006;        ///< of a latency, as a share; what the formulas miss is in it
  double placement_scatter = 0.025;  ///< of a point along the size, as a logarithm
  double few_lines_scatter = 1.0;    ///< more of it, over the root of the lines
  double page_noise = 3;             ///< that of a walk over pages, over the others'
  double own_spread = 0.5;           ///< share of the repetitions' spread that another allocation has
  double degrees_above = 3;          ///< of Student's t above the model: interference only slows
  double degrees_below = 10;
  double tolerance_above = 2;  ///< residuals above the model count as so much less
  // The terms.
  double parameters_of_cache = 5;  ///< its size, its step, its index, its policy and its ways
  double parameters_of_translation = 2;
  double parameters_of_another_shape = 1;  ///< of an independent walk that sees another than the cycle
  double order_scatter = 0.15;  ///< octaves by which an independent walk's edge lies off the cycle's, as pages lie
  double order_scatter_of_lines = 0.5;  ///< the same, over the root of the lines that a cache has
  double least_order_scatter = 0.02;
  double placed_bytes = 131072;          ///< smaller caches have ways of a page, so that no page's place matters
  double most_growth = 0.12;             ///< of a latency by the octave, where it is translation
  double most_untold_translation = 0.5;  ///< of a latency, by a table beyond the reach of the walk over pages
  double most_terms = 9;
  double sizes_an_octave = 10;
  // What a level is.
  double least_step = 1.18;
  double least_sure_step = 1.3;  ///< of a last one, without a walk over pages
  double least_ratio = 1.9;      ///< of two sizes
  double plateau_share = 0.75;
  double alone_share = 0.9;          ///< from which on a point is a level's
  double crowded_ratio = 5;          ///< of sizes: what lies between closer ones has to be flat
  double crowded_step = 2;           ///< of latencies, with the same purpose
  double part_of_edge = 0.2;         ///< of the largest part's step: less says nothing of the size
  double told_by_fewer_hits = 0.33;  ///< of an independent walk's smaller size, beside the cycle's
  double flat_within = 1.1;          ///< slowest over fastest
  double seen_share = 0.65;          ///< of the last climb
  double seen_ratio = 1.45;          ///< of sizes beyond that
  // Brackets.
  double deviance_of_bracket = 3.84;
  double least_width = 0.01;
  double sure_beside_others = 0.1;  ///< share of the values taken beside SMT interference
  double hidden_by_others = 0.15;   ///< of a size, as slower hits hide where its step begins
  double taken_unseen = 0.15;       ///< of a cache beyond the first, by code, page tables and other programs
  double taken_by_others = 0.5;     ///< of a cache, by the core's other hardware thread
};

struct NamedConstant {
  const char* name;
  double Constants::* value;
};

inline constexpr std::array named_constants{
    NamedConstant{"least_noise", &Constants::least_noise},
    NamedConstant{"placement_scatter", &Constants::placement_scatter},
    NamedConstant{"few_lines_scatter", &Constants::few_lines_scatter},
    NamedConstant{"page_noise", &Constants::page_noise},
    NamedConstant{"own_spread", &Constants::own_spread},
    NamedConstant{"degrees_above", &Constants::degrees_above},
    NamedConstant{"degrees_below", &Constants::degrees_below},
    NamedConstant{"tolerance_above", &Constants::tolerance_above},
    NamedConstant{"parameters_of_cache", &Constants::parameters_of_cache},
    NamedConstant{"parameters_of_translation", &Constants::parameters_of_translation},
    NamedConstant{"parameters_of_another_shape", &Constants::parameters_of_another_shape},
    NamedConstant{"order_scatter", &Constants::order_scatter},
    NamedConstant{"order_scatter_of_lines", &Constants::order_scatter_of_lines},
    NamedConstant{"least_order_scatter", &Constants::least_order_scatter},
    NamedConstant{"placed_bytes", &Constants::placed_bytes},
    NamedConstant{"most_growth", &Constants::most_growth},
    NamedConstant{"most_untold_translation", &Constants::most_untold_translation},
    NamedConstant{"most_terms", &Constants::most_terms},
    NamedConstant{"sizes_an_octave", &Constants::sizes_an_octave},
    NamedConstant{"least_step", &Constants::least_step},
    NamedConstant{"least_sure_step", &Constants::least_sure_step},
    NamedConstant{"least_ratio", &Constants::least_ratio},
    NamedConstant{"plateau_share", &Constants::plateau_share},
    NamedConstant{"alone_share", &Constants::alone_share},
    NamedConstant{"crowded_ratio", &Constants::crowded_ratio},
    NamedConstant{"part_of_edge", &Constants::part_of_edge},
    NamedConstant{"told_by_fewer_hits", &Constants::told_by_fewer_hits},
    NamedConstant{"flat_within", &Constants::flat_within},
    NamedConstant{"crowded_step", &Constants::crowded_step},
    NamedConstant{"seen_ratio", &Constants::seen_ratio},
    NamedConstant{"seen_share", &Constants::seen_share},
    NamedConstant{"deviance_of_bracket", &Constants::deviance_of_bracket},
    NamedConstant{"least_width", &Constants::least_width},
    NamedConstant{"sure_beside_others", &Constants::sure_beside_others},
    NamedConstant{"hidden_by_others", &Constants::hidden_by_others},
    NamedConstant{"taken_unseen", &Constants::taken_unseen},
    NamedConstant{"taken_by_others", &Constants::taken_by_others},
};

}  // namespace sonde::analysis::curve
