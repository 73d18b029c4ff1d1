// What the keys of rules, guards and alerts decode into, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/mode.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/raw_input.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

struct ReadsInput {
  Duration within{0};
};

struct HumanInput {
  std::optional<Node> written;
  models::Human human;
  std::optional<ReadsInput> reads;
};

struct ExemptionInput {
  std::optional<Node> written;
  std::string tag;
  std::string owner;
  Instant until;
  std::vector<std::string> rules;
};

struct OfficeHoursInput {
  std::vector<std::size_t> days;  ///< 0: Monday
  Duration from{0};
  Duration to{0};
  double utc_offset_h = 0;
};

struct CanaryInput {
  std::optional<Node> written;
  std::optional<std::uint32_t> first;
  std::optional<std::uint32_t> percent;
  Duration watch{0};
};

struct GuardsInput {
  std::optional<Node> written;
  std::optional<std::uint32_t> stops_per_hour;
  std::optional<std::uint32_t> stops_pct_per_hour;
  std::optional<std::uint32_t> actions_per_hour;
  std::optional<std::uint32_t> actions_per_rule_per_day;
  std::vector<std::string> protected_tags;
  std::vector<ExemptionInput> exempt;
  std::optional<OfficeHoursInput> office_hours;
  Duration dry_start{0};
  std::optional<CanaryInput> canary;
};

/// Which jobs a rule is for.
struct ScopeInput {
  std::vector<std::string> tags;
  std::vector<std::string> fleets;
};

/// One rule of a policy.  Its own keys stay in `written` until the kind of rule is known.
struct SeatInput {
  std::optional<Node> written;
  std::string rule;
  std::optional<std::string> use;
  std::optional<std::string> name;
  std::int32_t priority = 0;
  host::Mode mode = host::Mode::enforce;
  ScopeInput scope;
  std::vector<Node> options;  ///< members that are not the keys above
};

/// What an alert looks at: each is a kind of rule.
enum class Watched : std::uint8_t { job_wait, allocated_pct, failures };

/// Its own keys are those of what it watches; which were written tells `written`.
struct AlertInput {
  std::optional<Node> written;
  std::string name;
  std::optional<Watched> watch;
  Duration above{0};
  double below = 0;
  Duration lasts{0};
  std::string fleet;
  bool while_runnable = true;
  std::int64_t failures = 0;
  std::int64_t last = 0;
  std::vector<policy::Tag> tags;
};

struct ExpectInput {
  std::optional<Node> written;
  std::string policy;
  std::optional<Duration> at;
  RawInput that;
};

struct NotifyInput {
  std::optional<Node> written;
  std::string sns;
  std::string webhook;
  std::string slack;
};

struct LiveInput {
  std::optional<Node> written;
  std::string account;
  std::string region;
  std::string queue;
  Duration reconcile_every{0};
  std::optional<NotifyInput> notify;
  std::string kill_file;
  std::string kill_parameter;
  std::string kill_tag;
  std::uint32_t confirm_first = 0;
};

struct HistoryFactsInput {
  std::optional<Node> written;
  HistoryFacts facts;
};

}  // namespace reeve::scenarios
