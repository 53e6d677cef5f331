#pragma once

namespace sonde::analysis::curve {

/// Everything about the model that no formula gives. tests/benchmark/levels_of_curves prints what each is worth.
struct Constants {
  // The noise of a point.
  double least_noise = 0.006;        ///< least share of a latency; errors of the formulas are in it
  double placement_scatter = 0.025;  ///< scatter along the size, as a logarithm
  double few_lines_scatter = 1.0;    ///< additional scatter, over the root of the lines
  double page_noise = 3;             ///< factor for a walk over pages
  double own_spread = 0.5;           ///< share of the repetitions' spread that remains between allocations
  double degrees_above = 3;          ///< degrees of freedom of Student's t above the model: interference only slows
  double degrees_below = 10;
  double tolerance_above = 2;  ///< divisor of residuals above the model
  // The terms.
  double parameters_of_cache = 5;  ///< its size, its step, its index, its policy and its ways
  double parameters_of_translation = 2;
  double parameters_of_another_shape = 1;  ///< where an independent walk sees another shape than the cycle
  double order_scatter = 0.15;  ///< octaves by which an independent walk's edge lies off the cycle's, as pages lie
  double order_scatter_of_lines = 0.5;  ///< the same, over the root of the lines that a cache has
  double least_order_scatter = 0.02;
  double placed_bytes = 131072;            ///< smaller caches have ways of a page, so that no page's place matters
  double most_growth = 0.12;               ///< share of a latency that growing translation adds in an octave
  double most_unwalked_translation = 0.5;  ///< share of a latency for a table beyond the reach of the walk over pages
  double least_ratio_of_tables = 4;        ///< of the reaches of a CPU's two tables, which no walk over pages shows
  double most_terms = 9;
  double sizes_an_octave = 10;
  // The edges that end a level.
  double least_step = 1.18;
  double most_of_another_load = 2;  ///< times by which pages' tables in memory lengthen a load from it
  double least_sure_step = 1.3;     ///< for the last level, where no walk over pages ran
  double least_ratio = 1.9;         ///< ratio of two sizes
  double plateau_share = 0.75;
  double alone_share = 0.9;   ///< share from which a point counts as served by one level
  double crowded_ratio = 5;   ///< ratio of two sizes below which the plateau between them has to be flat
  double crowded_step = 2;    ///< ratio of two latencies, with the same purpose
  double part_of_edge = 0.2;  ///< least step, of the largest part's, of a part that counts for the size
  double flat_within = 1.1;   ///< slowest over fastest
  double seen_share = 0.65;   ///< share of the last climb that has to be in the curve
  double seen_ratio = 1.45;   ///< ratio of sizes that have to follow it
  // The brackets.
  // How far sizes move on a machine that others share, in octaves for each error by which points about an edge scatter
  // more than they should: the 95 % quantiles of 43 curves (November 2026).
  double moved_unseen = 0.15;  ///< how far a size moves between runs
  double taken_unseen = 0.36;  ///< how much larger it is than what others leave of it
  // What something else on the core does to a size, where it was seen.
  double sure_beside_others = 0.1;  ///< share of the values taken beside it that does no harm
  double hidden_by_others = 0.15;   ///< share of a size: slower hits hide where its step begins
  double taken_by_others = 0.5;     ///< share of a cache that the core's other hardware thread may take
};

}  // namespace sonde::analysis::curve
