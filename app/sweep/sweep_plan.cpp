#include "app/sweep/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "app/usage_error.hpp"
#include "reeve/version.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/edit.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

std::vector<std::string> split(const std::string& text) {
  // A JSON array or text may have commas itself.
  std::vector<std::string> parts{""};
  int depth = 0;
  bool is_text = false;
  for (const char character : text) {
    if (character == '"') is_text = !is_text;
    if (!is_text && (character == '[' || character == '{')) ++depth;
    if (!is_text && (character == ']' || character == '}')) --depth;
    if (character == ',' && depth == 0 && !is_text) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::optional<Factor::Range> range_in(std::string text) {
  Factor::Range range;
  constexpr std::string_view in_logarithm = ":log";
  if (text.ends_with(in_logarithm)) {
    range.is_log = true;
    text.resize(text.size() - in_logarithm.size());
  }
  const auto dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string low = text.substr(0, dots);
  const std::string high = text.substr(dots + 2);
  if (const auto from = number_in(low), to = number_in(high); from && to) {
    range.low = *from;
    range.high = *to;
    range.is_whole = low.find_first_of(".eE") == low.npos && high.find_first_of(".eE") == high.npos;
  } else {
    const auto shortest = scenarios::parse_duration(low);
    const auto longest = scenarios::parse_duration(high);
    if (!shortest || !longest) return std::nullopt;
    range.is_time = true;
    range.low = std::chrono::duration<double>(*shortest).count();
    range.high = std::chrono::duration<double>(*longest).count();
  }
  return range;
}

/// In the largest unit that divides both ends, if five values or more are left.
std::string time_text(const Factor::Range& range, double seconds) {
  struct Unit {
    std::string_view name;
    double length_s;
  };
  constexpr std::array units{Unit{"h", 3'600}, Unit{"m", 60}, Unit{"s", 1}};
  constexpr double fewest_steps = 4;
  for (const auto& [name, length] : units) {
    const bool divides = std::fmod(range.low, length) == 0 && std::fmod(range.high, length) == 0;
    if (!divides || range.high - range.low < fewest_steps * length) continue;
    return fmt::format("{}{}", std::llround(seconds / length), name);
  }
  return fmt::format("{}ms", std::llround(seconds * 1'000));
}

}  // namespace

std::string Factor::at(double place) const {
  if (!values.empty()) {
    const auto index = static_cast<std::size_t>(place * static_cast<double>(values.size()));
    return values[std::min(index, values.size() - 1)];
  }
  const double value = range.is_log ? range.low * std::pow(range.high / range.low, place)
                                    : range.low + place * (range.high - range.low);
  if (range.is_time) return time_text(range, value);
  if (!range.is_whole) return fmt::format("{:.6g}", value);
  // Each whole number has the same share of a linear range.
  const double wide = range.low + std::floor(place * (range.high - range.low + 1));
  return std::to_string(std::llround(range.is_log ? value : std::min(wide, range.high)));
}

double Factor::place_of(const std::string& value) const {
  if (!values.empty()) {
    const auto index = std::find(values.begin(), values.end(), value) - values.begin();
    return static_cast<double>(index) / std::max(1.0, static_cast<double>(values.size()) - 1);
  }
  const double number =
      range.is_time ? std::chrono::duration<double>(*scenarios::parse_duration(value)).count()
                    : *number_in(value);
  return range.is_log ? std::log(number / range.low) / std::log(range.high / range.low)
                      : (number - range.low) / (range.high - range.low);
}

experiments::DesignPoint places_of(const std::vector<Factor>& factors,
                                   const std::vector<std::string>& cell) {
  experiments::DesignPoint places;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    places.push_back(factors[factor].place_of(cell[factor]));
  }
  return places;
}

Factor read_factor(const std::string& written) {
  const auto equals = written.find('=');
  const std::string example = "--set policies.alarm.stalled_gpu.period=1m,5m,10m";
  if (equals == std::string::npos || equals == 0) {
    throw UsageError{"--set " + in_quotes(written) + " is not PATH=VALUES", example};
  }
  Factor factor;
  factor.path = written.substr(0, equals);
  if (factor.path == "random" || factor.path.starts_with("random.")) {
    throw UsageError{
        "all cells of a sweep have the same draws: --set " + factor.path + " has no effect",
        "use --seed or --runs"};
  }
  if (scenarios::find_invalid_utf8(written) != std::string::npos)
    throw UsageError{"--set is not UTF-8", example};
  const std::string values = written.substr(equals + 1);
  if (const auto range = range_in(values)) {
    if (!(range->low < range->high) || (range->is_log && range->low <= 0)) {
      throw UsageError{
          "--set " + in_quotes(written) + ": a range goes up, and with :log from above 0", example};
    }
    factor.range = *range;
    return factor;
  }
  factor.values = split(values);
  for (auto value = factor.values.begin(); value != factor.values.end(); ++value) {
    if (value->empty())
      throw UsageError{"--set " + in_quotes(written) + " has an empty value", example};
    if (std::find(factor.values.begin(), value, *value) != value) {
      throw UsageError{"--set " + in_quotes(written) + " has the value " + *value + " twice",
                       example};
    }
  }
  return factor;
}

std::vector<std::vector<std::string>> grid(const std::vector<Factor>& factors) {
  std::vector<std::vector<std::string>> cells{{}};
  for (const Factor& factor : factors) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& cell : cells) {
      for (const std::string& value : factor.values) {
        longer.push_back(cell);
        longer.back().push_back(value);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

std::string SweepPlan::words(std::size_t cell) const {
  if (cell == 0) return "as in the file";
  std::string text;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    if (!text.empty()) text += ", ";
    text += factors[factor].substr(factors[factor].rfind('.') + 1) + ' ' + cells[cell][factor];
  }
  return text;
}

namespace {

scenarios::Document parsed(const SweepPlan& plan, std::string text) {
  return scenarios::Document::parse(scenarios::SourceFile::from_text(plan.file, std::move(text)));
}

[[noreturn]] void refuse_path(const std::string& path, const std::invalid_argument& error) {
  throw UsageError{"--set " + in_quotes(path) + ": " + error.what(),
                   "keys are separated by dots, rules go by their name or label"};
}

/// Whether the parts of a plan from a file fit together.
bool is_whole(const SweepPlan& plan) {
  constexpr std::size_t most = 1'000'000;
  const auto has = [](const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const auto has_metric = [&](std::string_view name) { return has(plan.metrics, name); };
  const std::size_t factors = plan.factors.size();
  return !plan.cells.empty() && plan.cells.size() <= most && plan.cells_per_shard > 0 &&
         plan.cells_per_shard <= most && plan.runs > 0 && plan.runs <= most &&
         has(plan.policies, plan.baseline) &&
         std::all_of(always_kept.begin(), always_kept.end(), has_metric) &&
         (plan.points.empty() || plan.points.size() + 1 == plan.cells.size()) &&
         std::all_of(plan.cells.begin(), plan.cells.end(),
                     [&](const auto& cell) { return cell.size() == factors; }) &&
         std::all_of(plan.points.begin(), plan.points.end(),
                     [&](const auto& point) { return point.size() == factors; });
}

}  // namespace

std::string value_in_file(const SweepPlan& plan, const std::string& path) {
  try {
    std::string value = scenarios::value_at(parsed(plan, plan.text), path).value_or("");
    const bool is_text = value.size() >= 2 && value.front() == '"';
    return is_text ? value.substr(1, value.size() - 2) : value;
  } catch (const std::invalid_argument& error) {
    refuse_path(path, error);
  }
}

std::string cell_text(const SweepPlan& plan, std::size_t cell) {
  std::string text = plan.text;
  if (cell == 0) return text;
  for (std::size_t factor = 0; factor < plan.factors.size(); ++factor) {
    const auto document = parsed(plan, std::move(text));
    try {
      text = scenarios::with_value(document, plan.factors[factor], plan.cells[cell][factor]);
    } catch (const std::invalid_argument& error) {
      refuse_path(plan.factors[factor], error);
    }
  }
  const auto document = parsed(plan, text);
  for (std::size_t factor = 0; factor < plan.factors.size(); ++factor) {
    const auto now = scenarios::value_at(document, plan.factors[factor]);
    if (now != scenarios::json_of(plan.cells[cell][factor])) {
      throw UsageError{
          "--set " + in_quotes(plan.factors[factor]) + " and another --set name the same value",
          "give each value once"};
    }
  }
  return text;
}

scenarios::Scenario cell_scenario(const SweepPlan& plan, std::size_t cell) {
  std::string name = plan.file;
  if (cell > 0) {
    name += " with";
    for (std::size_t factor = 0; factor < plan.factors.size(); ++factor) {
      name += ' ' + plan.factors[factor] + '=' + plan.cells[cell][factor];
    }
  }
  auto loaded =
      scenarios::load(scenarios::SourceFile::from_text(name, cell_text(plan, cell)), plan.folder);
  if (const std::size_t windows = loaded.scenario.world.ticks.windows.size();
      windows > 0 && plan.runs > windows) {
    throw UsageError{
        fmt::format("{} runs, but {} has {} windows, one per run", plan.runs, name, windows),
        fmt::format("--runs {}", windows)};
  }
  loaded.scenario.world.seed = plan.seed;
  loaded.scenario.runs = plan.runs;
  loaded.scenario.expects.clear();
  return std::move(loaded.scenario);
}

std::string plan_json(const SweepPlan& plan) {
  return nlohmann::ordered_json{
             {"reeve_sweep", 1},          {"engine_version", kVersion},
             {"file", plan.file},         {"name", plan.name},
             {"folder", plan.folder},     {"inputs", plan.inputs},
             {"factors", plan.factors},   {"policies", plan.policies},
             {"baseline", plan.baseline}, {"metrics", plan.metrics},
             {"seed", plan.seed},         {"runs", plan.runs},
             {"random", plan.is_random},  {"cells_per_shard", plan.cells_per_shard},
             {"cells", plan.cells},       {"points", plan.points},
             {"text", plan.text}}
             .dump(1) +
         '\n';
}

SweepPlan read_plan(const std::string& text, const std::string& file) {
  SweepPlan plan;
  try {
    const auto read = nlohmann::json::parse(text);
    if (read.at("reeve_sweep") != 1 || read.at("engine_version") != kVersion) {
      throw UsageError{file + " is of reeve " + read.at("engine_version").get<std::string>(),
                       "run the sweep again, or use that version"};
    }
    plan.file = read.at("file");
    plan.name = read.at("name");
    plan.folder = read.at("folder");
    plan.inputs = read.at("inputs");
    plan.factors = read.at("factors");
    plan.policies = read.at("policies");
    plan.baseline = read.at("baseline");
    plan.metrics = read.at("metrics");
    plan.seed = read.at("seed");
    plan.runs = read.at("runs").get<std::uint32_t>();
    plan.is_random = read.at("random");
    plan.cells_per_shard = read.at("cells_per_shard");
    plan.cells = read.at("cells");
    plan.points = read.at("points");
    plan.text = read.at("text");
  } catch (const nlohmann::json::exception& error) {
    throw UsageError{file + " is no plan of a sweep: " + error.what(),
                     "reeve sweep plan FILE --set"};
  }
  if (!is_whole(plan)) {
    throw UsageError{file + " was changed: its parts do not fit together",
                     "run the sweep again in a new directory"};
  }
  return plan;
}

}  // namespace reeve::app
