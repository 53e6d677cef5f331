// Judges the level search on curves whose levels are known: prints what it finds, how often and how closely, and what
// each of its constants is worth, halved and doubled.
// Usage: levels_of_curves [--constants] [--brief] [--only=part of a name] [--set=constant=value] [folder]
//        levels_of_curves --terms=NAME [folder]: what each term adds at each point, as draw_curve_terms draws it
// The folder holds NAME.jsonl and NAME.expected.json as tests/data does, which is taken where none is named;
// levels_on_random_hierarchies writes such a folder.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/levels/terms.hpp"
#include "interval_score.hpp"
#include "support/recorded_curve.hpp"

namespace {

using namespace sonde;
using analysis::Hierarchy;
using analysis::Level;

using analysis::curve::Constants;

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
    NamedConstant{"most_unwalked_translation", &Constants::most_unwalked_translation},
    NamedConstant{"most_terms", &Constants::most_terms},
    NamedConstant{"sizes_an_octave", &Constants::sizes_an_octave},
    NamedConstant{"least_step", &Constants::least_step},
    NamedConstant{"least_sure_step", &Constants::least_sure_step},
    NamedConstant{"least_ratio", &Constants::least_ratio},
    NamedConstant{"plateau_share", &Constants::plateau_share},
    NamedConstant{"alone_share", &Constants::alone_share},
    NamedConstant{"crowded_ratio", &Constants::crowded_ratio},
    NamedConstant{"part_of_edge", &Constants::part_of_edge},
    NamedConstant{"flat_within", &Constants::flat_within},
    NamedConstant{"crowded_step", &Constants::crowded_step},
    NamedConstant{"seen_ratio", &Constants::seen_ratio},
    NamedConstant{"seen_share", &Constants::seen_share},
    NamedConstant{"moved_unseen", &Constants::moved_unseen},
    NamedConstant{"taken_unseen", &Constants::taken_unseen},
    NamedConstant{"sure_beside_others", &Constants::sure_beside_others},
    NamedConstant{"hidden_by_others", &Constants::hidden_by_others},
    NamedConstant{"taken_by_others", &Constants::taken_by_others},
};

struct Figures {
  int curves = 0;
  int right = 0;
  int with_false = 0;
  int with_missed = 0;
  int sizes = 0;
  int in_bracket = 0;
  int latencies = 0;
  int latencies_right = 0;
  double error_sum = 0;
  double worst = 0;
  double worst_latency = 0;
  double seconds = 0;
  benchmark::IntervalScores size_scores = benchmark::size_scores();
  benchmark::IntervalScores latency_scores = benchmark::latency_scores();

  void print(const char* name) const {
    const double count = std::max(1, sizes);
    std::printf(
        "%-10s right %d of %d, false in %d, missed in %d, size error mean %.2f %% worst %.1f %%, in the bracket %d of "
        "%d, latency right %d of %d worst %.1f %%, %.2f s a curve\n",
        name, right, curves, with_false, with_missed, 100 * error_sum / count, 100 * worst, in_bracket, sizes,
        latencies_right, latencies, 100 * worst_latency, seconds / std::max(1, curves));
    std::fflush(stdout);
  }
};

/// A value is right within what a careful reader accepts; where that is one number, as of a model device, within these.
constexpr double right_size = 0.06;
constexpr double right_latency = 0.02;

bool is_right(const test::Span& span, double off, double tolerance) {
  return off <= (span.low < span.high ? test::as_read : tolerance);
}

/// How far a value lies outside a span, as a share of its nearer end.
double outside(const test::Span& span, double value) {
  if (value < span.low) return 1 - value / span.low;
  return value > span.high ? value / span.high - 1 : 0;
}

std::string text_of(const Hierarchy& found, const test::RecordedMachine& machine) {
  std::string text;
  char line[200];
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const Level& level = found.levels[i];
    const bool known = i < machine.levels.size() && found.levels.size() == machine.levels.size();
    const bool wrong_ns =
        known && !is_right(machine.levels[i].latency_ns, outside(machine.levels[i].latency_ns, level.latency_ns.value),
                           right_latency);
    std::snprintf(line, sizeof line, " [%.2f ns%s]", level.latency_ns.value, wrong_ns ? " LATENCY" : "");
    text += line;
    if (!level.bytes) continue;
    const bool far =
        known && machine.levels[i].bytes &&
        !is_right(*machine.levels[i].bytes, outside(*machine.levels[i].bytes, level.bytes->value), right_size);
    const bool out =
        known && machine.levels[i].bytes && !machine.levels[i].bytes->overlaps(level.bytes->low, level.bytes->high);
    std::snprintf(line, sizeof line, " %.1f (%.1f-%.1f)%s%s", level.bytes->value / 1024, level.bytes->low / 1024,
                  level.bytes->high / 1024, far ? " FAR" : "", out ? " OUTSIDE" : "");
    text += line;
  }
  return text;
}

std::string wanted_text(const test::RecordedMachine& machine) {
  std::string text;
  char line[200];
  for (const test::ExpectedLevel& level : machine.levels) {
    std::snprintf(line, sizeof line, " [%.2f-%.2f ns]", level.latency_ns.low, level.latency_ns.high);
    text += line;
    if (!level.bytes) continue;
    std::snprintf(line, sizeof line, " %.1f-%.1f", level.bytes->low / 1024, level.bytes->high / 1024);
    text += line;
  }
  return text;
}

void judge(const test::RecordedMachine& machine, const Hierarchy& found, Figures& figures) {
  ++figures.curves;
  bool forbidden = false;
  for (const Level& level : found.levels) {
    for (const test::NotLevel& range : machine.not_levels)
      forbidden |=
          level.bytes && range.bytes.holds(level.bytes->value) && range.latency_ns.holds(level.latency_ns.value);
  }
  if (forbidden || found.levels.size() > machine.levels.size()) ++figures.with_false;
  if (found.levels.size() < machine.levels.size()) ++figures.with_missed;
  if (found.levels.size() != machine.levels.size()) return;
  bool all_near = !forbidden;
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const double off = outside(machine.levels[i].latency_ns, found.levels[i].latency_ns.value);
    ++figures.latencies;
    figures.latencies_right += is_right(machine.levels[i].latency_ns, off, right_latency) ? 1 : 0;
    figures.worst_latency = std::max(figures.worst_latency, off);
    const bool is_memory = i + 1 == found.levels.size();
    for (const std::string& population : {std::string("all"), is_memory ? "memory" : "level " + std::to_string(i + 1)})
      figures.latency_scores.add(population, found.levels[i].latency_ns, machine.levels[i].latency_ns.low,
                                 machine.levels[i].latency_ns.high);
    if (!machine.levels[i].bytes || !found.levels[i].bytes) continue;
    const test::Span& span = *machine.levels[i].bytes;
    for (const std::string& population : {std::string("all"), "level " + std::to_string(i + 1)})
      figures.size_scores.add(population, *found.levels[i].bytes, span.low, span.high);
    const double error = outside(span, found.levels[i].bytes->value);
    ++figures.sizes;
    figures.error_sum += error;
    figures.worst = std::max(figures.worst, error);
    figures.in_bracket += span.overlaps(found.levels[i].bytes->low, found.levels[i].bytes->high) ? 1 : 0;
    all_near &= is_right(span, error, right_size);
  }
  figures.right += all_near ? 1 : 0;
}

template <typename Find>
Hierarchy timed(Find find, Figures& figures) {
  const auto begin = std::chrono::steady_clock::now();
  Hierarchy found = find();
  figures.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

const char* name_of(analysis::curve::TermKind kind) {
  switch (kind) {
    using enum analysis::curve::TermKind;
    case cache: return "cache";
    case cache_in_many_orders: return "cache in many orders";
    case pages_shared: return "pages";
    case pages_in_turn: return "pages in turn";
    case growth: return "growth";
  }
  return "";
}

void print_terms(const analysis::curve::Fitted& fitted) {
  std::printf("    terms:");
  for (std::size_t i = 0; i < fitted.terms.size(); ++i) {
    const analysis::curve::Term& term = fitted.terms[i];
    std::printf(" %s", name_of(term.kind));
    if (term.is_cache()) {
      const bool hashed = term.shape->index == analysis::CacheShape::Index::hashed;
      const bool random = term.shape->policy == analysis::CacheShape::Replacement::random;
      std::printf(" %s %s %d", hashed ? "hashed" : "modulo", random ? "random" : "lru", term.shape->ways);
    }
    std::printf(" %.1f KiB %+.2f +%.2f;", std::exp2(term.log2_bytes) / 1024, term.shift, fitted.added(i));
  }
  std::printf(" base %.2f, deviance/n %.2f\n", fitted.coefficients(0),
              fitted.deviance / static_cast<double>(fitted.model.size()));
}

/// A line for each point: its order and size, what was measured, what the model has, and what each term adds.
void print_points(const test::RecordedMachine& machine, const Constants& constants) {
  const analysis::curve::Observations points = analysis::curve::observe(machine.curves, constants);
  const analysis::curve::Fitted fitted = analysis::curve::search(points, constants);
  const char* orders[] = {"cycle", "independent", "page"};
  std::printf("order\tbytes\tmeasured\tmodel\tthe nearest cache");
  for (const analysis::curve::Term& term : fitted.terms)
    std::printf("\t%s %.4g KiB", term.is_cache() ? "cache" : "translation", std::exp2(term.log2_bytes) / 1024);
  for (Eigen::Index i = 0; i < points.count(); ++i) {
    std::printf("\n%s\t%.0f\t%.4f\t%.4f\t%.4f", orders[static_cast<int>(points.order_of(i))],
                std::exp2(points.log2_bytes(i)), points.latency(i), fitted.model(i), fitted.coefficients(0));
    for (std::size_t term = 0; term < fitted.terms.size(); ++term) {
      const double share =
          analysis::curve::share(fitted.terms[term], points.order_of(i), points.log2_bytes(i), points.log2_touched(i));
      std::printf("\t%.4f", fitted.added(term) * share);
    }
  }
  std::printf("\n");
}

/// Whether "name=value" names a constant.
bool set(Constants& constants, const std::string& text) {
  const std::size_t sign = text.find('=');
  for (const NamedConstant& one : named_constants) {
    if (sign == std::string::npos || text.substr(0, sign) != one.name) continue;
    constants.*one.value = std::atof(text.c_str() + sign + 1);
    return true;
  }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  bool constants = false;
  bool brief = false;
  Constants own;
  std::filesystem::path folder = test::recorded_folder();
  std::string only;
  std::string drawn;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--constants") {
      constants = true;
    } else if (word == "--brief") {
      brief = true;
    } else if (word.starts_with("--set=") && set(own, word.substr(6))) {
      continue;
    } else if (word.starts_with("--terms=")) {
      drawn = word.substr(8);
    } else if (word.starts_with("--only=")) {
      only = word.substr(7);
    } else if (word.starts_with("--") || !std::filesystem::is_directory(word)) {
      std::fprintf(stderr,
                   "%s is neither an option nor a folder: levels_of_curves [--constants] [--brief] "
                   "[--only=part] [--set=constant=value] [folder]\n",
                   word.c_str());
      return 2;
    } else {
      folder = word;
    }
  }
  if (!drawn.empty()) {
    print_points(test::recorded_machine(drawn, folder), own);
    return 0;
  }
  std::vector<std::pair<std::string, test::RecordedMachine>> machines;
  for (const std::string& name : test::recorded_machines(folder)) {
    if (name.find(only) != std::string::npos) machines.emplace_back(name, test::recorded_machine(name, folder));
  }
  Figures by_model;
  for (const auto& [name, machine] : machines) {
    const Hierarchy found = timed([&] { return find_levels(machine.curves, own); }, by_model);
    const int right_before = by_model.right;
    judge(machine, found, by_model);
    const bool right = by_model.right > right_before;
    if (brief && right) continue;
    std::printf("%s %s\n    model:%s\n", name.c_str(),
                right                                          ? ""
                : found.levels.size() == machine.levels.size() ? "WRONG SIZE"
                                                               : "WRONG NUMBER",
                text_of(found, machine).c_str());
    if (!right) std::printf("    wanted:%s\n", wanted_text(machine).c_str());
    if (!brief && machine.curves.strides.empty()) print_terms(search(observe(machine.curves, own), own));
    std::fflush(stdout);
  }
  by_model.print("model");
  by_model.size_scores.print();
  by_model.latency_scores.print();
  if (!constants) return 0;
  for (const NamedConstant& one : named_constants) {
    for (const double factor : {0.5, 2.0}) {
      Constants changed = own;
      changed.*one.value *= factor;
      Figures figures;
      for (const auto& [name, machine] : machines) {
        judge(machine, timed([&] { return find_levels(machine.curves, changed); }, figures), figures);
      }
      figures.print((std::string(one.name) + (factor < 1 ? " / 2" : " * 2")).c_str());
    }
  }
}
