// The queues of a scenario in the terms of AWS Batch; what it has not is refused or told.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <reeve/policy/known_options.hpp>
#include <utility>

#include "scenarios/exchange/batch.hpp"
#include "scenarios/exchange/written_places.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/resolved/share_prefix.hpp"

namespace reeve::scenarios {
namespace {

using policy::Sharing;

constexpr std::size_t most_identifiers = 500;            // share identifiers of a queue
constexpr std::size_t most_tag_characters = 128;         // of a name
constexpr std::size_t most_identifier_characters = 255;  // of a share of fair share, without its *
constexpr std::int64_t longest_decay = 604800;           // s

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// One translation: what is found stands where the scenario says it.
class Translation {
 public:
  Translation(const Scenario& scenario, const PolicySpec& policy,
              std::shared_ptr<const SourceFile> written)
      : scenario_{scenario},
        directory_{scenario.world.directory},
        policy_{policy},
        places_{policy, std::move(written)} {}

  BatchReading run();

 private:
  const SeatSpec* schedule();
  void read_order();
  void check_name(const Node& written, std::string_view name, bool identifier = false);
  void check_policy_name(const Node& written, const std::string& queue);
  Node place(std::string_view section, std::optional<std::size_t> index = std::nullopt,
             std::string_view key = {}) const {
    return places_.place(section, index, key);
  }
  void error(const Node& node, std::string_view code, std::string message, std::string label,
             std::string help = {});
  void left_out(const Node& node, std::string message, std::string label);
  std::vector<BatchLimit> limits_of(const std::vector<policy::CapacityLimit>& limits,
                                    const Node& node);
  void refuse_limits(const Node& node, const BatchEnvironment& environment);
  void add_environment(std::size_t index);
  void add_fleets();
  void add_queue(std::size_t index);
  BatchShare quota_share(std::size_t index);
  BatchShare weighted_share(std::size_t index);
  void add_shares(policy::QueueId id, BatchQueue& queue);
  void check_environments();
  void tell_decay();
  void tell_model();
  void tell_rules();

  const Scenario& scenario_;
  const policy::Directory& directory_;
  const PolicySpec& policy_;
  WrittenPlaces places_;
  const SeatSpec* seat_ = nullptr;
  BatchOrder order_ = BatchOrder::fifo;
  std::vector<Diagnostic> found_;
  BatchSet set_;
};

void Translation::error(const Node& node, std::string_view code, std::string message,
                        std::string label, std::string help) {
  found_.push_back(at(node, code, std::move(message), std::move(label)).with_help(std::move(help)));
}

void Translation::left_out(const Node& node, std::string message, std::string label) {
  found_.push_back(at(node, "W0580", std::move(message), std::move(label), Severity::warning));
}

const SeatSpec* Translation::schedule() {
  for (const SeatSpec& seat : policy_.seats) {
    if (is_scheduler(*seat.kind) && seat.mode != host::Mode::off) return &seat;
  }
  return nullptr;
}

void Translation::read_order() {
  seat_ = schedule();
  if (seat_ == nullptr) {
    error(places_.policy_place(), "E0350",
          fmt::format("policy {} has no rule schedule", in_quotes(policy_.name)),
          "its queues have no algorithm", "use -p with another policy");
    return;
  }
  const std::string& algorithm = seat_->options.text(policy::known::algorithm);
  if (algorithm == "fair_share")
    order_ = BatchOrder::fair_share;
  else if (algorithm == "quota")
    order_ = BatchOrder::quota;
  else if (algorithm != "fifo") {
    error(places_.policy_place(), "E0350",
          fmt::format("AWS Batch has no algorithm {}", in_quotes(algorithm)),
          fmt::format("of policy {}", in_quotes(policy_.name)),
          "use -p with a policy of \"fifo\", \"fair_share\" or \"quota\"");
  }
  // Quota shares do not look at it.
  if (order_ != BatchOrder::quota && seat_->options.text(policy::known::backfill) != "none") {
    error(places_.policy_place(), "E0350", "AWS Batch has no backfill",
          fmt::format("\"backfill\": {} in policy {}",
                      in_quotes(seat_->options.text(policy::known::backfill)),
                      in_quotes(policy_.name)),
          "use \"backfill\": \"none\", or -p with another policy");
  }
}

void Translation::check_name(const Node& written, std::string_view name, bool identifier) {
  const bool good =
      !name.empty() &&
      name.size() <= (identifier ? most_identifier_characters : most_tag_characters) &&
      std::all_of(name.begin(), name.end(), [&](char c) {
        return is_letter_or_digit(c) || (!identifier && (c == '-' || c == '_'));
      });
  if (good) return;
  error(written, "E0351", fmt::format("AWS Batch rejects the name {}", in_quotes(name)),
        identifier ? "only letters and digits, with an optional * at the end"
                   : "at most 128 letters, digits, hyphens and underscores");
}

void Translation::check_policy_name(const Node& written, const std::string& queue) {
  if (queue.size() > most_tag_characters) return;  // refused already
  if (batch_policy_name(queue).size() <= most_tag_characters) return;
  error(written, "E0351",
        fmt::format("the scheduling policy name of queue {} is too long", in_quotes(queue)),
        fmt::format("queue name and {}: at most 128 characters", in_quotes(batch_policy_name(""))));
}

std::vector<BatchLimit> Translation::limits_of(const std::vector<policy::CapacityLimit>& limits,
                                               const Node& node) {
  std::vector<BatchLimit> all;
  for (const policy::CapacityLimit& limit : limits) {
    const policy::PoolFacts& pool = directory_.pools[limit.pool.index];
    const std::string& type = directory_.types[pool.type.index].name;
    const Node where = node.find(pool.name).value_or(node);
    if (!type.starts_with("ml.")) {
      error(where, "E0353", fmt::format("{} is not a SageMaker instance type", in_quotes(type)),
            "AWS Batch counts instances by SageMaker type", "use a fleet of type \"ml.…\"");
    }
    const bool twice = std::any_of(all.begin(), all.end(),
                                   [&](const BatchLimit& other) { return other.unit == type; });
    if (twice) {
      error(where, "E0353", fmt::format("two fleets of type {}", in_quotes(type)),
            "AWS Batch has types, not fleets");
    }
    all.push_back({type, limit.instances});
  }
  // Quotas and limits of a scenario are keys of an object, which have no order.
  std::sort(all.begin(), all.end(),
            [](const BatchLimit& a, const BatchLimit& b) { return a.unit < b.unit; });
  return all;
}

void Translation::refuse_limits(const Node& node, const BatchEnvironment& environment) {
  error(node, "E0352",
        fmt::format("environment {} has {} capacity limits", in_quotes(environment.name),
                    environment.limits.size()),
        "AWS Batch allows 1 to 5 with quota shares");
}

void Translation::add_environment(std::size_t index) {
  const policy::EnvironmentFacts& facts = directory_.environments[index];
  check_name(place("environments", index, "name"), facts.name);
  BatchEnvironment environment;
  environment.name = facts.name;
  const Node node = place("environments", index, "limits");
  if (order_ == BatchOrder::quota) {
    environment.limits = limits_of(facts.limits, node);
    if (facts.instances) {
      left_out(place("environments", index, "instances"), "a limit across all types is omitted",
               "quota management limits each type separately");
    }
    if (environment.limits.size() > most_batch_limits) refuse_limits(node, environment);
    if (environment.limits.empty()) {
      error(node, "E0353", "an environment without limits per type",
            "quota management limits each type separately",
            "add \"limits\": { \"FLEET\": instances }");
    }
  } else {
    if (facts.instances)
      environment.limits.push_back({std::string{batch_all_types}, *facts.instances});
    if (!facts.instances && facts.limits.size() == 1) {
      environment.limits.push_back({std::string{batch_all_types}, facts.limits.front().instances});
    } else if (!facts.instances) {
      error(node, "E0353", "an environment without a limit across all types",
            "without quota shares, AWS Batch limits NUM_INSTANCES", "add \"instances\": 100");
    } else if (!facts.limits.empty()) {
      left_out(node, "limits by fleet are omitted",
               "without quota shares, AWS Batch limits NUM_INSTANCES");
    }
  }
  set_.environments.push_back(std::move(environment));
}

/// Queues without an environment have the fleets together.
void Translation::add_fleets() {
  BatchEnvironment environment;
  environment.name = scenario_.name;
  std::vector<policy::CapacityLimit> all;
  for (std::uint32_t pool = 0; pool < directory_.pools.size(); ++pool) {
    const bool divided = std::any_of(
        directory_.shares.begin(), directory_.shares.end(), [&](const policy::ShareFacts& share) {
          return std::any_of(share.quota.begin(), share.quota.end(),
                             [&](const auto& own) { return own.pool.index == pool; });
        });
    if (order_ != BatchOrder::quota || divided)
      all.push_back({{pool}, directory_.pools[pool].size});
  }
  if (order_ == BatchOrder::quota) {
    environment.limits = limits_of(all, place("fleet"));
    if (environment.limits.size() > most_batch_limits) refuse_limits(place("fleet"), environment);
  } else if (all.size() == 1) {
    environment.limits.push_back({std::string{batch_all_types}, all.front().instances});
  } else {
    error(place("queues"), "E0353", "several fleets, and queues without an environment",
          "the fleets of AWS Batch are unknown",
          "add \"environments\": [ { \"name\": \"…\", \"instances\": 100 } ]");
  }
  check_name(place("name"), environment.name);
  set_.environments.push_back(std::move(environment));
}

BatchShare Translation::quota_share(std::size_t index) {
  const policy::ShareFacts& facts = directory_.shares[index];
  BatchShare share;
  share.name = facts.name;
  check_name(places_.share_place(facts.name, "name"), facts.name);
  share.limits = limits_of(facts.quota, places_.share_place(facts.name, "quota"));
  share.sharing = facts.sharing;
  const std::string& sharing = seat_->options.text(policy::known::override_sharing);
  for (std::size_t value = 0; value < policy::sharing_names.size(); ++value) {
    if (sharing == policy::sharing_names[value]) share.sharing = static_cast<Sharing>(value);
  }
  share.in_share_preemption =
      facts.in_share_preemption && seat_->options.flag(policy::known::override_in_share_preemption);
  if (share.sharing == Sharing::lend_and_borrow) share.borrow_limit_pct = facts.borrow_limit_pct;
  if (share.limits.empty() || share.limits.size() > most_batch_limits) {
    error(
        places_.share_place(facts.name, "quota"), "E0352",
        fmt::format("share {} has {} capacity limits", in_quotes(facts.name), share.limits.size()),
        "AWS Batch allows 1 to 5");
  }
  if (facts.weight != policy::weight_one) {
    left_out(places_.share_place(facts.name, "weight"), "a weight is omitted",
             "quota shares have no weights");
  }
  return share;
}

BatchShare Translation::weighted_share(std::size_t index) {
  const policy::ShareFacts& facts = directory_.shares[index];
  BatchShare share;
  share.name = facts.name;
  share.weight = facts.weight;
  check_name(places_.share_place(facts.name, "name"), facts.name, true);
  if (!facts.quota.empty()) {
    left_out(places_.share_place(facts.name, "quota"), "a quota is omitted",
             "fair-share shares have only weights");
  }
  return share;
}

/// As the queue lists them: of a prefix that itself, and not the shares that jobs name.
void Translation::add_shares(policy::QueueId id, BatchQueue& queue) {
  std::vector<policy::ShareId> whole = directory_.queues[id.index].shares;
  std::map<std::size_t, const SharePrefix*> prefixes;
  for (const SharePrefix& prefix : scenario_.share_prefixes) {
    if (prefix.queue != id) continue;
    prefixes.emplace(prefix.place, &prefix);
    for (const policy::ShareId named : prefix.shares) std::erase(whole, named);
  }
  for (const policy::ShareId share : whole) {
    queue.shares.push_back(order_ == BatchOrder::quota ? quota_share(share.index)
                                                       : weighted_share(share.index));
  }
  for (const auto& [listed, prefix] : prefixes) {  // the first first, so that each finds its place
    const bool identifier = order_ == BatchOrder::fair_share;
    const std::string_view name = prefix->name;
    check_name(places_.share_place(name, "name"), identifier ? stem_of(name) : name, identifier);
    BatchShare share;
    share.name = name;
    share.weight = prefix->weight;
    queue.shares.insert(queue.shares.begin() + static_cast<std::ptrdiff_t>(listed), share);
  }
}

void Translation::add_queue(std::size_t index) {
  const policy::QueueFacts& facts = directory_.queues[index];
  check_name(place("queues", index, "name"), facts.name);
  if (order_ != BatchOrder::fifo) check_policy_name(place("queues", index, "name"), facts.name);
  BatchQueue queue;
  queue.name = facts.name;
  queue.environment =
      facts.environment ? directory_.environments[facts.environment->index].name : scenario_.name;
  queue.priority = facts.priority;
  queue.order = order_;
  if (facts.priority < 0) {
    error(place("queues", index, "priority"), "E0352", "a priority below 0",
          "AWS Batch allows 0 or more");
  }
  if (facts.runnable_limit != policy::Duration::max()) {
    queue.runnable_limit_s =
        std::chrono::duration_cast<std::chrono::seconds>(facts.runnable_limit).count();
    if (!is_runnable_limit_of_batch(facts.runnable_limit)) {
      error(place("queues", index, "runnable_limit"), "E0352",
            "a \"runnable_limit\" that AWS Batch rejects",
            "allowed: 10 minutes to 24 hours, in whole seconds");
    }
  }
  if (order_ == BatchOrder::fair_share) {
    using std::chrono::duration_cast;
    queue.share_decay_s =
        duration_cast<std::chrono::seconds>(seat_->options.duration(policy::known::share_decay))
            .count();
    queue.compute_reservation_pct = seat_->options.integer(policy::known::compute_reservation);
  }
  const policy::QueueId id{static_cast<std::uint32_t>(index)};
  const Node shares = place("queues", index, "shares");
  if (order_ == BatchOrder::fifo) {
    if (shares.is_array()) {
      left_out(shares, fmt::format("the shares of queue {} are omitted", in_quotes(facts.name)),
               "a FIFO queue of AWS Batch has no shares");
    }
  } else {
    add_shares(id, queue);
    const std::size_t most = order_ == BatchOrder::quota ? most_batch_shares : most_identifiers;
    if (queue.shares.size() > most || (queue.shares.empty() && order_ == BatchOrder::quota)) {
      error(shares, "E0352",
            fmt::format("queue {} has {}", in_quotes(facts.name),
                        counted(queue.shares.size(), "share")),
            fmt::format("AWS Batch allows 1 to {} of this kind", most));
    }
  }
  set_.queues.push_back(std::move(queue));
}

/// Quota management has an environment for each queue.
void Translation::check_environments() {
  std::map<std::string_view, std::size_t> queues;
  for (std::size_t index = 0; index < set_.queues.size(); ++index) {
    if (order_ != BatchOrder::quota || ++queues[set_.queues[index].environment] < 2) continue;
    error(place("queues", index, "environment"), "E0352",
          "a second queue with quota shares in one environment", "AWS Batch allows one",
          "give it its own \"environment\"");
  }
}

/// A window that it reads in another way, or refuses.
void Translation::tell_decay() {
  const auto decay = seat_->options.duration(policy::known::share_decay);
  const Node node = places_.seat_place(*seat_, policy::known::share_decay);
  if (decay == policy::Duration::zero()) {
    left_out(node, "\"share_decay\": \"0s\" has another meaning in AWS Batch",
             "AWS Batch treats 0 as a window of 600 s");
  } else if (decay > std::chrono::seconds{longest_decay} ||
             decay % std::chrono::seconds{1} != policy::Duration::zero()) {
    error(node, "E0352", "a \"share_decay\" that AWS Batch rejects",
          "must be whole seconds, at most 604800");
  }
}

/// What stands in the scenario and nowhere in AWS Batch's terms.
void Translation::tell_model() {
  for (const models::QuotaChange& change : scenario_.world.quota_changes) {
    const std::string& share = directory_.shares[change.share.index].name;
    left_out(places_.share_place(share, "changes"), "a quota change is omitted",
             "call UpdateQuotaShare at its time");
  }
  for (const QueuePriority& each : scenario_.queue_priorities) {
    left_out(place("queues", each.queue.index, "priorities"), "priorities by tag are omitted",
             "reeve live batch sets them on jobs");
  }
  const auto leave_out = [&](std::string_view knob, std::string label) {
    left_out(places_.seat_place(*seat_, knob), fmt::format("{} is omitted", in_quotes(knob)),
             std::move(label));
  };
  if (seat_->mode != host::Mode::enforce) {
    leave_out("mode", "AWS Batch queues always start jobs");
  }
  if (seat_->options.duration(policy::known::retry_after) != std::chrono::minutes{1}) {
    leave_out(policy::known::retry_after,
              "AWS Batch retries on its own schedule, without such a setting");
  }
  if (order_ == BatchOrder::fair_share) tell_decay();
  if (order_ != BatchOrder::quota) return;
  constexpr std::pair<std::string_view, std::string_view> knobs[] = {
      {policy::known::victims, "borrowed,lowest_priority,latest_start"},
      {policy::known::blocked_borrower, "waits_alone"},
      {policy::known::lowered_quota, "at_once"}};
  for (const auto& [knob, usual] : knobs) {
    if (seat_->options.text(knob) == usual) continue;
    leave_out(knob, "AWS Batch uses its own heuristic, without such a setting");
  }
}

/// Whatever else governs the jobs: AWS Batch has their queues alone.
void Translation::tell_rules() {
  for (const SeatSpec& seat : policy_.seats) {
    if (&seat == seat_ || seat.mode == host::Mode::off) continue;
    left_out(places_.seat_place(seat, "rule"),
             fmt::format("the rule {} is omitted", in_quotes(seat.label)),
             "AWS Batch has queues, but no other rules");
  }
  if (const auto guards = places_.root().find("guards")) {
    left_out(*guards, "guards are omitted", "AWS Batch has no guards");
  }
}

BatchReading Translation::run() {
  if (directory_.queues.empty()) {
    throw InputError{
        at(places_.root(), "E0354", "the scenario has no queues", "nothing to export")
            .with_help("add \"queues\": [ { \"name\": \"main\", \"fleet\": \"…\" } ]")};
  }
  read_order();
  if (found_.empty()) {
    const auto& queues = directory_.queues;
    for (std::size_t each = 0; each < directory_.environments.size(); ++each) {
      const bool used = std::any_of(queues.begin(), queues.end(), [&](const auto& queue) {
        return queue.environment && queue.environment->index == each;
      });
      if (used)
        add_environment(each);
      else
        left_out(place("environments", each), "an environment is omitted", "no queue uses it");
    }
    if (std::any_of(queues.begin(), queues.end(),
                    [](const auto& queue) { return !queue.environment; })) {
      add_fleets();
    }
    for (std::size_t each = 0; each < queues.size(); ++each) add_queue(each);
    check_environments();
    tell_model();
    tell_rules();
  }
  const bool bad = std::any_of(found_.begin(), found_.end(), [](const Diagnostic& each) {
    return each.severity == Severity::error;
  });
  if (bad) throw InputError{std::move(found_)};
  return {std::move(set_), std::move(found_)};
}

}  // namespace

BatchReading batch_of(const Scenario& scenario, const PolicySpec& policy,
                      std::shared_ptr<const SourceFile> written) {
  return Translation{scenario, policy, std::move(written)}.run();
}

BatchReading batch_of(const Scenario& scenario, const PolicySpec& policy) {
  return batch_of(scenario, policy, SourceFile::load(scenario.file));
}

}  // namespace reeve::scenarios
