#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/page/sections.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> times{"time_to_result_s", "wait_s"};

constexpr std::array<double, 3> quantiles_shown{0.5, 0.9, 0.99};

/// Times of jobs: of those that have one, and the number of all.
struct Times {
  std::vector<double> known;
  std::size_t jobs = 0;
};

/// The least time within which `part` of all jobs are; null if fewer have a time.
ordered_json quantile(const Times& times, double part) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(part * static_cast<double>(times.jobs) - 1e-9));
  if (rank > times.known.size()) return nullptr;
  return times.known[std::max<std::size_t>(rank, 1) - 1];
}

/// The smallest value, the largest, and those between at even steps of probability: the part of all
/// jobs that have reached it.
ordered_json quantiles_json(Times& times, std::size_t most) {
  std::vector<double>& values = times.known;
  std::sort(values.begin(), values.end());
  auto x = ordered_json::array();
  auto p = ordered_json::array();
  const std::size_t points = std::min(values.size(), most);
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t rank = (i * values.size() + points - 1) / points;  // rounded up
    x.push_back(values[rank - 1]);
    p.push_back(static_cast<double>(rank) / static_cast<double>(times.jobs));
  }
  auto quantiles = ordered_json::array();
  for (const double part : quantiles_shown) quantiles.push_back(quantile(times, part));
  return {{"jobs", times.jobs},
          {"quantiles", std::move(quantiles)},
          {"x", std::move(x)},
          {"p", std::move(p)}};
}

/// Upper ends of the bins of delays: readable steps of a sixth to a half of ten.
std::vector<double> bins_up_to(double longest) {
  constexpr std::array<double, 13> steps{60,   120,   300,   600,   900,   1800,  3600,
                                         7200, 14400, 21600, 43200, 86400, 604800};
  constexpr double most = 24;
  double step = steps.back();
  for (const double candidate : steps) {
    if (longest / candidate <= most) {
      step = candidate;
      break;
    }
  }
  std::vector<double> ends;
  for (double end = step; ends.empty() || ends.back() < longest; end += step) {
    ends.push_back(end);
    if (ends.size() >= 200) break;  // the last bin takes all that is later
  }
  return ends;
}

struct Stops {
  std::map<std::string, std::size_t, std::less<>> verdicts;
  double false_stop_usd = 0;
  std::vector<double> delays;
};

using StopsByRule = std::map<std::pair<std::size_t, std::string>, Stops>;

StopsByRule stops_of(const ResultDirectory& results) {
  StopsByRule all;
  ResultTable rows = results.table("stops", {"run_id", "seat", "verdict", "delay_s", "usd"});
  while (rows.next()) {
    const auto policy = results.policy(run_of(rows.text(0)).policy);
    if (!policy) continue;
    Stops& stops = all[{*policy, std::string{rows.text(1)}}];
    const std::string_view verdict = rows.text(2);
    ++stops.verdicts[std::string{verdict}];
    if (verdict == "false") stops.false_stop_usd += rows.number_or(4, 0);
    const auto delay = rows.number(3);
    if (delay && (verdict == "right" || verdict == "late")) stops.delays.push_back(*delay);
  }
  return all;
}

}  // namespace

ordered_json distribution_section(const ResultDirectory& results) {
  std::map<std::tuple<std::size_t, std::size_t, std::string>, Times> all;
  std::map<std::string, std::size_t> tiers;
  ResultTable jobs = results.table("jobs", {"run_id", "tier", times[0], times[1]});
  while (jobs.next()) {
    const auto policy = results.policy(run_of(jobs.text(0)).policy);
    if (!policy) continue;
    const std::string tier{jobs.text(1)};
    if (!tier.empty()) ++tiers[tier];
    for (std::size_t metric = 0; metric < times.size(); ++metric) {
      const auto value = jobs.number(2 + metric);
      const auto add = [&](const std::string& of) {
        Times& group = all[{*policy, metric, of}];
        ++group.jobs;
        if (value) group.known.push_back(*value);
      };
      add("");
      if (!tier.empty()) add(tier);
    }
  }
  std::vector<std::pair<std::size_t, std::string>> by_size;
  for (const auto& [tier, count] : tiers) by_size.emplace_back(count, tier);
  std::sort(by_size.rbegin(), by_size.rend());
  if (by_size.size() > most_tiers) by_size.resize(most_tiers);
  const std::size_t series = results.policies().size() * times.size() * (1 + by_size.size());
  const std::size_t most = std::clamp<std::size_t>(all_quantiles / series, 10, most_quantiles);
  auto section = ordered_json::array();
  for (auto& [key, of] : all) {
    const std::string& tier = std::get<2>(key);
    const bool shown = tier.empty() || std::any_of(by_size.begin(), by_size.end(),
                                                   [&](const auto& t) { return t.second == tier; });
    if (!shown || of.known.empty()) continue;
    ordered_json row{{"policy", results.policies()[std::get<0>(key)]},
                     {"metric", times[std::get<1>(key)]},
                     {"tier", tier}};
    row.update(quantiles_json(of, most));
    section.push_back(std::move(row));
  }
  return section;
}

ordered_json stop_section(const ResultDirectory& results) {
  const StopsByRule all = stops_of(results);
  if (all.empty()) return nullptr;
  double longest = 0;
  for (const auto& [key, stops] : all) {
    for (const double delay : stops.delays) longest = std::max(longest, delay);
  }
  const std::vector<double> ends = bins_up_to(longest);
  auto bins = ordered_json::array();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    bins.push_back({{"from_s", i == 0 ? 0 : ends[i - 1]}, {"to_s", ends[i]}});
  }
  auto rows = ordered_json::array();
  auto counts = ordered_json::array();
  for (const auto& [key, stops] : all) {
    const std::string& policy = results.policies()[key.first];
    ordered_json row{{"policy", policy}, {"rule", key.second}};
    for (const std::string_view verdict : {"right", "late", "false", "missed"}) {
      const auto found = stops.verdicts.find(verdict);
      row[std::string{verdict}] = found == stops.verdicts.end() ? 0 : found->second;
    }
    row["runs"] = results.runs()[key.first];
    row["false_stop_usd"] = stops.false_stop_usd;
    rows.push_back(std::move(row));
    std::vector<std::size_t> of_bin(ends.size());
    for (const double delay : stops.delays) {
      const auto bin = std::lower_bound(ends.begin(), ends.end(), delay) - ends.begin();
      ++of_bin[std::min(static_cast<std::size_t>(bin), ends.size() - 1)];
    }
    counts.push_back({{"policy", policy}, {"rule", key.second}, {"count", of_bin}});
  }
  return {{"rows", std::move(rows)}, {"bins", std::move(bins)}, {"counts", std::move(counts)}};
}

}  // namespace reeve::report
