// A scenario to start from: the queues as they are, and what AWS Batch does not say as a guess that
// is marked as one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "scenarios/exchange/batch_import.hpp"
#include "scenarios/load/resolved/share_prefix.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::string_view price_book = "aws-us-east-1";
constexpr std::string_view start = "2026-01-01T00:00:00Z";

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump();
}

/// Machines of one unit of the limits.
struct Fleet {
  std::string unit, name, type;
  std::int64_t capacity = 0;
};

class ScenarioWriter {
 public:
  ScenarioWriter(const BatchSet& set, const BatchFrame& frame) : set_{set}, frame_{frame} {
    for (const BatchEnvironment& each : set_.environments) count(each.limits, true);
    for (const BatchQueue& queue : set_.queues) {
      for (const BatchShare& share : queue.shares) count(share.limits, false);
    }
  }
  std::string text();

 private:
  void count(const std::vector<BatchLimit>& limits, bool all);
  Fleet& fleet_of(const std::string& unit);
  const Fleet& fleet_for(const BatchQueue& queue, const BatchShare* share) const;
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  template <class Item>
  void list(std::string_view key, const std::vector<Item>& items);
  std::string counts(const std::vector<BatchLimit>& limits) const;
  void prices();
  void fleets();
  void environments();
  void shares();
  void queues();
  void jobs();
  void policies();

  const BatchSet& set_;
  const BatchFrame& frame_;
  std::vector<Fleet> fleets_;
  std::string text_;
};

Fleet& ScenarioWriter::fleet_of(const std::string& unit) {
  const auto known = std::find_if(fleets_.begin(), fleets_.end(),
                                  [&](const Fleet& each) { return each.unit == unit; });
  if (known != fleets_.end()) return *known;
  Fleet fleet;
  fleet.unit = unit;
  fleet.type = unit == batch_all_types ? frame_.instance_type : unit;
  fleet.name = fleet.type.starts_with("ml.") ? fleet.type.substr(3) : fleet.type;
  std::replace(fleet.name.begin(), fleet.name.end(), '.', '-');
  while (fleet.name.starts_with('-')) fleet.name.erase(0, 1);
  if (fleet.name.empty()) fleet.name = "fleet";
  const auto taken = [&] {
    return std::any_of(fleets_.begin(), fleets_.end(),
                       [&](const Fleet& other) { return other.name == fleet.name; });
  };
  while (taken()) fleet.name += "-2";
  fleets_.push_back(std::move(fleet));
  return fleets_.back();
}

/// As much as environments may have together; where none limits it, as shares have.
void ScenarioWriter::count(const std::vector<BatchLimit>& limits, bool all) {
  for (const BatchLimit& limit : limits) {
    const bool limited = std::any_of(
        set_.environments.begin(), set_.environments.end(), [&](const BatchEnvironment& each) {
          return std::any_of(each.limits.begin(), each.limits.end(),
                             [&](const auto& own) { return own.unit == limit.unit; });
        });
    Fleet& fleet = fleet_of(limit.unit);
    if (all || !limited) fleet.capacity += limit.instances;
  }
}

/// Where jobs of a line can run: of its share, of its environment, or at all.
const Fleet& ScenarioWriter::fleet_for(const BatchQueue& queue, const BatchShare* share) const {
  const auto of = [&](const std::vector<BatchLimit>& limits) -> const Fleet* {
    const auto limit = std::find_if(limits.begin(), limits.end(),
                                    [](const BatchLimit& each) { return each.instances > 0; });
    if (limit == limits.end()) return nullptr;
    const auto fleet = std::find_if(fleets_.begin(), fleets_.end(),
                                    [&](const Fleet& each) { return each.unit == limit->unit; });
    return &*fleet;
  };
  if (const Fleet* own = share ? of(share->limits) : nullptr) return *own;
  for (const BatchEnvironment& environment : set_.environments) {
    if (environment.name != queue.environment) continue;
    if (const Fleet* own = of(environment.limits)) return *own;
  }
  return fleets_.front();
}

/// Each item on a line.
template <class Item>
void ScenarioWriter::list(std::string_view key, const std::vector<Item>& items) {
  line("  \"{}\": [", key);
  for (std::size_t each = 0; each < items.size(); ++each) {
    line("    {}{}", items[each], each + 1 < items.size() ? "," : "");
  }
  line("  ],");
}

std::string ScenarioWriter::counts(const std::vector<BatchLimit>& limits) const {
  std::string text;
  for (const BatchLimit& limit : limits) {
    const auto fleet = std::find_if(fleets_.begin(), fleets_.end(),
                                    [&](const Fleet& each) { return each.unit == limit.unit; });
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_text(fleet->name), limit.instances);
  }
  return "{ " + text + " }";
}

void ScenarioWriter::prices() {
  const auto book = built_in_price_book(price_book);
  const auto first_day = *parse_day(start.substr(0, 10));
  std::vector<std::string> stated;
  for (const Fleet& fleet : fleets_) {
    const PriceKey key{PriceService::sagemaker, PriceMarket::on_demand, fleet.type};
    if (!book->find(key, first_day)) stated.push_back(fleet.type);
  }
  std::sort(stated.begin(), stated.end());
  stated.erase(std::unique(stated.begin(), stated.end()), stated.end());
  if (stated.empty()) {
    line("  \"prices\": {{ \"book\": {} }},", json_text(price_book));
    return;
  }
  line("  \"prices\": {{ \"book\": {}, \"instances\": {{", json_text(price_book));
  line("    // FILL IN: not in the price book: set the price of an instance hour and the GPUs.");
  for (const std::string& type : stated) {
    line("    {}: {{ \"usd_per_hour\": 1, \"gpus\": 8 }}{}", json_text(type),
         type == stated.back() ? "" : ",");
  }
  line("  }} }},");
}

void ScenarioWriter::fleets() {
  line(
      "  // CHECK: the largest total that the environments allow. AWS Batch does not state how "
      "many");
  line("  // instances there are, nor whether they are on-demand, reserved or Spot (\"market\").");
  if (counts_all_types(set_)) {
    line("  // FILL IN: NUM_INSTANCES counts all types: list the types.");
  }
  std::vector<std::string> all;
  for (const Fleet& fleet : fleets_) {
    all.push_back(fmt::format("{{ \"name\": {}, \"instance_type\": {}, \"capacity\": {} }}",
                              json_text(fleet.name), json_text(fleet.type),
                              std::clamp<std::int64_t>(fleet.capacity, 1, 100'000'000)));
  }
  list("fleet", all);
}

void ScenarioWriter::environments() {
  std::vector<std::string> all;
  for (const BatchEnvironment& each : set_.environments) {
    std::string text = fmt::format("{{ \"name\": {}", json_text(each.name));
    std::vector<BatchLimit> limits;
    for (const BatchLimit& limit : each.limits) {
      if (limit.unit == batch_all_types && limit.instances > 0)
        text += fmt::format(", \"instances\": {}", limit.instances);
      else
        limits.push_back(limit);
    }
    if (!limits.empty()) text += fmt::format(", \"limits\": {}", counts(limits));
    all.push_back(text + " }");
  }
  list("environments", all);
}

void ScenarioWriter::shares() {
  std::vector<std::string> all;
  for (const BatchQueue& queue : set_.queues) {
    for (const BatchShare& share : queue.shares) {
      std::string text = fmt::format("{{ \"name\": {}", json_text(share.name));
      if (!share.limits.empty()) text += fmt::format(", \"quota\": {}", counts(share.limits));
      if (queue.order == BatchOrder::quota) {
        text += fmt::format(", \"sharing\": \"{}\"",
                            policy::sharing_names[static_cast<std::size_t>(share.sharing)]);
      }
      if (share.borrow_limit_pct != policy::borrow_without_limit) {
        text += fmt::format(", \"borrow_limit_pct\": {}", share.borrow_limit_pct);
      }
      if (share.in_share_preemption) text += ", \"in_share_preemption\": true";
      if (share.weight != policy::weight_one) {
        text +=
            fmt::format(", \"weight\": {}", static_cast<double>(share.weight) / policy::weight_one);
      }
      all.push_back(text + " }");
    }
  }
  if (!all.empty()) list("shares", all);
}

void ScenarioWriter::queues() {
  std::vector<std::string> all;
  for (const BatchQueue& queue : set_.queues) {
    std::string text =
        fmt::format("{{ \"name\": {}, \"fleet\": {}, \"environment\": {}", json_text(queue.name),
                    json_text(fleet_for(queue, nullptr).name), json_text(queue.environment));
    std::string names;
    for (const BatchShare& share : queue.shares) {
      names += (names.empty() ? "" : ", ") + json_text(share.name);
    }
    if (!names.empty()) text += fmt::format(", \"shares\": [{}]", names);
    if (queue.priority != 0) text += fmt::format(", \"priority\": {}", queue.priority);
    if (queue.runnable_limit_s > 0) {
      text += fmt::format(", \"runnable_limit\": \"{}s\"", queue.runnable_limit_s);
    }
    all.push_back(text + " }");
  }
  list("queues", all);
}

/// Of a prefix some share that begins so, as a job is of one.
std::string share_of(const std::string& name) {
  return is_prefix(name) ? fmt::format("{}1", stem_of(name)) : name;
}

/// A job for each line, or a trace in the first of them.
void ScenarioWriter::jobs() {
  std::vector<std::string> all;
  for (const BatchQueue& queue : set_.queues) {
    const auto add = [&](const BatchShare* share) {
      std::string place = fmt::format("\"queue\": {}", json_text(queue.name));
      if (share) place += fmt::format(", \"share\": {}", json_text(share_of(share->name)));
      place += fmt::format(", \"fleet\": {}", json_text(fleet_for(queue, share).name));
      all.push_back(frame_.jobs.empty()
                        ? fmt::format("{{ \"name\": \"example-{}\", {}, \"instances\": 1, "
                                      "\"work\": \"1h\" }}",
                                      all.size() + 1, place)
                        : place);
    };
    for (const BatchShare& share : queue.shares) add(&share);
    if (queue.shares.empty()) add(nullptr);
  }
  if (frame_.jobs.empty()) {
    line("  // FILL IN: one example job per queue or share. AWS Batch does not state the jobs.");
    list("jobs", all);
    return;
  }
  if (all.size() > 1) {
    line(
        "  // FILL IN: all jobs of the trace go to the first queue or share. If its column "
        "\"queue\" or");
    line("  // \"user\" names shares of that queue, set \"shares_from\": \"queue\" or \"user\".");
    line(
        "  // There are {} queues or shares: add \"jobs\" here, or use a file with a workload for "
        "each.",
        all.size());
  }
  const std::string_view column = frame_.by_nodes ? "nodes" : "gpus_total";
  line("  // CHECK: the column \"{}\" of the trace sets the size of each job.", column);
  line("  \"workload\": {{ \"trace\": {}, \"instances_from\": \"{}\", {} }},",
       json_text(frame_.jobs), column, all.front());
}

void ScenarioWriter::policies() {
  const BatchQueue& first = set_.queues.front();
  std::string rule = "\"rule\": \"schedule\", ";
  switch (first.order) {
    case BatchOrder::fifo:
      rule = "\"fifo\": [ { " + rule + "\"algorithm\": \"fifo\"";
      break;
    case BatchOrder::fair_share:
      rule = "\"fair_share\": [ { " + rule + "\"algorithm\": \"fair_share\"";
      rule += fmt::format(", \"share_decay\": \"{}s\", \"compute_reservation\": {}",
                          first.share_decay_s, first.compute_reservation_pct);
      break;
    case BatchOrder::quota:
      rule = "\"quota\": [ { " + rule + "\"algorithm\": \"quota\"";
      line(
          "  // AWS does not publish which jobs quota management preempts first: \"victims\" is a "
          "model.");
      break;
  }
  line("  \"policies\": {{ {} }} ] }},", rule);
}

std::string ScenarioWriter::text() {
  line(
      "// Queues of AWS Batch (`reeve import batch`). Values that AWS Batch does not state are "
      "guesses:");
  line("// FILL IN and CHECK mark them.");
  line("{{");
  line("  \"reeve\": 1,");
  line("  \"name\": {},", json_text(frame_.name));
  line("  \"clock\": {{ \"start\": \"{}\", \"horizon\": \"until_done\" }},", start);
  prices();
  fleets();
  environments();
  shares();
  queues();
  jobs();
  policies();
  line("  \"expect\": [ {{ \"policy\": \"*\", \"that\": \"ledger.residual_usd == 0\" }} ]");
  line("}}");
  return std::move(text_);
}

}  // namespace

bool counts_all_types(const BatchSet& set) {
  const auto all = [](const std::vector<BatchLimit>& limits) {
    return std::any_of(limits.begin(), limits.end(),
                       [](const BatchLimit& each) { return each.unit == batch_all_types; });
  };
  return std::any_of(set.environments.begin(), set.environments.end(),
                     [&](const auto& each) { return all(each.limits); }) ||
         std::any_of(set.queues.begin(), set.queues.end(), [&](const BatchQueue& queue) {
           return std::any_of(queue.shares.begin(), queue.shares.end(),
                              [&](const BatchShare& share) { return all(share.limits); });
         });
}

std::string scenario_text(const BatchSet& set, const BatchFrame& frame) {
  return ScenarioWriter{set, frame}.text();
}

}  // namespace reeve::scenarios
