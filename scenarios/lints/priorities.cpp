// Lints for the lines of jobs: priorities, users and retries of queues.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <string>

#include "models/quotas.hpp"
#include "models/retry_strategy.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/lints/scheduling_seats.hpp"
#include "scenarios/lints/written_keys.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// Whether a rule of any policy compares the priorities of jobs of different shares.
bool any_compares_priorities(const Resolved& resolved) {
  constexpr std::array<std::string_view, 4> algorithms{"priority", "multifactor", "kueue",
                                                       "kueue_fair"};
  return std::any_of(algorithms.begin(), algorithms.end(),
                     [&](std::string_view name) { return any_runs(resolved, name); });
}

/// The priority of all jobs of each share.
using Priorities = std::map<policy::ShareId, std::int32_t>;

/// Nothing where jobs of one share have several, or some stand in no share.
std::optional<Priorities> one_in_each_share(const models::World& world) {
  Priorities of_share;
  for (const models::JobSpec& job : world.jobs.specs) {
    const policy::JobTerms& terms = world.directory.terms[world.profiles[job.profile].terms];
    if (!terms.share) return std::nullopt;
    if (of_share.try_emplace(*terms.share, job.priority).first->second != job.priority) {
      return std::nullopt;
    }
  }
  return of_share;
}

bool differ(const Priorities& of_share) {
  return std::any_of(of_share.begin(), of_share.end(),
                     [&](const auto& share) { return share.second != of_share.begin()->second; });
}

/// Whether the share may have more of some fleet than its quota: of what others lend, or as the
/// quota was lowered.
bool may_be_beyond(const models::World& world, const SeatSpec& seat, policy::ShareId share) {
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (reach(world, seat, {.share = share}, {pool}) > smallest_quota(world, share, {pool}))
      return true;
  }
  return false;
}

/// Whether the rule of the seat may choose among jobs of shares with different priorities who gives
/// machines back: those that are beyond their quotas, and lend to one another.
bool chooses_by_priority(const models::World& world, const SeatSpec& seat,
                         const Priorities& of_share) {
  if (!runs(seat, "quota")) return false;
  if (seat.options.text(policy::known::victims).find("lowest_priority") == std::string::npos)
    return false;
  std::vector<Priorities> sections;
  for (const auto& each : of_share) {
    if (!may_be_beyond(world, seat, each.first)) continue;
    const auto its = std::find_if(sections.begin(), sections.end(), [&](const Priorities& section) {
      return models::may_lend(world.directory, section.begin()->first, each.first);
    });
    Priorities& section = its == sections.end() ? sections.emplace_back() : *its;
    section.insert(each);
  }
  return std::any_of(sections.begin(), sections.end(), differ);
}

/// F97: in each share all jobs have the same priority, and it differs between shares.
void check_priorities(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const auto written = written_priority(resolved.input);
  if (!written || world.directory.shares.empty() || world.drawn) return;
  if (!any_looks_at_shares(resolved) || any_compares_priorities(resolved)) return;
  const auto of_share = one_in_each_share(world);
  if (!world.priority_changes.empty() || !of_share || !differ(*of_share)) return;
  const auto chooses = [&](const SeatSpec& seat) {
    return chooses_by_priority(world, seat, *of_share);
  };
  if (any_seat(resolved, chooses)) return;
  findings.warning(*written, "W0547", "priorities of different shares are never compared",
                   "all jobs of a share have the same priority, so it has no effect",
                   "use shares between teams and priorities within a team");
}

bool looks_at_priority(const PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const SeatSpec& seat) {
    if (!is_scheduler(*seat.kind)) return false;
    const std::string& algorithm = seat.options.text(policy::known::algorithm);
    constexpr std::array<std::string_view, 8> blind{"fifo", "sjf",     "srtf",   "srsf",
                                                    "las",  "gittins", "themis", "gavel"};
    return std::find(blind.begin(), blind.end(), algorithm) == blind.end();
  });
}

/// Jobs wait in the order of `schedule`, which may know submissions and lengths only.
void check_unread_priority(const Resolved& resolved, Findings& findings) {
  const auto priority = written_priority(resolved.input);
  const std::vector<PolicySpec>& policies = resolved.scenario.policies;
  if (!priority || std::any_of(policies.begin(), policies.end(), looks_at_priority)) return;
  findings.warning(*priority, "W0417", "no rule uses the priority of jobs", "it has no effect",
                   "use \"algorithm\": \"priority\"; \"fifo\" orders by submission, \"sjf\" by "
                   "length, share-based algorithms by priority in each share");
}

/// Whether the rule of the seat tells users apart.
bool looks_at_users(const SeatSpec& seat) {
  return (runs(seat, "multifactor") &&
          seat.options.integer(policy::known::weight_fair_share) > 0) ||
         (runs(seat, "capacity") && seat.options.integer(policy::known::user_limit) > 0);
}

/// Rules see tags alone.  The first job whose owner stands in no tag.
void check_users(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const bool matters = any_seat(resolved, looks_at_users);
  if (!matters || !resolved.input.jobs.written) return;
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobProfile& profile = world.profiles[world.jobs.specs[job].profile];
    const auto tagged = [&](std::string_view key) {
      return world.directory.tag(profile.tags, key).has_value();
    };
    if (profile.owner.empty() || tagged("username") || tagged("owner")) continue;
    findings.warning(written_key(resolved, world.jobs.names[job], "owner"), "W0570",
                     "rules see only tags of a job, not its \"owner\"",
                     fmt::format("to them {} has no owner", in_quotes(world.jobs.names[job])),
                     fmt::format("\"tags\": {{ \"owner\": {} }}", in_quotes(profile.owner)));
    return;
  }
}

void check_late_changes(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (world.end == policy::never || !resolved.input.jobs.written) return;
  for (const Node job : resolved.input.jobs.written->as_array()) {
    const auto list = job.is_object() ? job.find("priority_changes") : std::nullopt;
    if (!list || !list->is_array()) continue;
    for (const Node change : list->as_array()) {
      const auto when = change.find("at");
      Findings unread;
      const auto read = when ? read_duration(*when, {}, unread) : std::nullopt;
      if (!read || *read < world.end - world.start) continue;
      findings.warning(*when, "W0476", "a priority change has no effect here",
                       fmt::format("the clock ends after {}", show(world.end - world.start)));
    }
  }
}

/// An entry of evaluate_on_exit.
struct RetryEntry {
  Node written;
  std::string reason;
  bool retries = false;
};

std::vector<RetryEntry> retry_entries(const Place& place) {
  std::vector<RetryEntry> entries;
  const auto list = place.find("queue_retry", "evaluate_on_exit");
  if (!list || !list->is_array()) return entries;
  for (const Node entry : list->as_array()) {
    const auto reason = under(entry, "on_status_reason");
    const auto action = under(entry, "action");
    if (!reason || !reason->is_text() || !action || !action->is_text()) return {};  // reported
    entries.push_back({*reason, std::string{reason->as_text()}, action->as_text() == "RETRY"});
  }
  return entries;
}

/// Why an entry decides about no failure; empty if it might.
std::string_view why_idle(const std::vector<RetryEntry>& entries, std::size_t place) {
  const auto begins = [](const std::string& pattern) {
    return std::string_view{pattern}.substr(0, pattern.find('*'));
  };
  const std::string& reason = entries[place].reason;
  const std::string_view said = models::status_reason_prefix;
  const std::string_view start = begins(reason);
  if (reason.find('*') < reason.size() - 1) return "a * is only allowed at the end";
  if (!(reason.ends_with('*') && said.starts_with(start)) && !start.starts_with(said)) {
    return "reasons begin with \"Received status from SageMaker: \"";
  }
  if (models::fits_reason("CapacityError*", start.substr(std::min(said.size(), start.size())))) {
    return "jobs that lack capacity are always retried";
  }
  for (std::size_t before = 0; before < place; ++before) {
    const std::string& other = entries[before].reason;
    if (models::fits_reason(other, start) && (other.ends_with('*') || other == reason)) {
      return "an earlier entry matches everything it matches";
    }
  }
  const bool exits_later =
      std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(place), entries.end(),
                  [](const RetryEntry& entry) { return !entry.retries; });
  return exits_later ? "" : "failures that no entry matches are retried anyway";
}

void check_queue_retry(const Resolved& /*resolved*/, const WrittenJob& job, Findings& findings) {
  const std::vector<RetryEntry> entries = retry_entries(job.place);
  for (std::size_t each = 0; each < entries.size(); ++each) {
    const std::string_view why = why_idle(entries, each);
    if (why.empty()) continue;
    findings.warning(entries[each].written, "W0554",
                     fmt::format("an entry of evaluate_on_exit has no effect: {}", why),
                     "the first entry that matches the reason decides");
  }
  constexpr std::size_t most = 5;
  if (entries.size() <= most) return;
  findings.warning(job.place.of("queue_retry"), "W0554",
                   fmt::format("AWS Batch allows at most {} entries of evaluate_on_exit", most),
                   "SubmitServiceJob would reject it");
}

const policy::JobTerms& terms_of(const Resolved& resolved, const WrittenJob& job) {
  return resolved.world().directory.terms[resolved.profile_of(job).terms];
}

void check_idle_terms(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const policy::JobTerms& terms = terms_of(resolved, job);
  const auto idle = [&](std::string_view key, std::string_view why) {
    no_effect_unless(false, job.place.here, key, why, findings);
  };
  if (!terms.queue) {
    idle("preemptible", "the job is in no queue that could preempt it");
    idle("max_preemptions", "the job is in no queue that could preempt it");
    idle("queue_retry", "the job is in no queue that could retry it");
  } else if (terms.keeps_machines) {
    idle("max_preemptions", "the job is not preemptible");
  }
}

void check_range(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  constexpr std::int32_t largest = 9'999;  // SubmitServiceJob: schedulingPriority
  if (resolved.world().platform.model != models::PlatformModel::sagemaker_training) return;
  const bool fits = job.priority >= 0 && job.priority <= largest;
  if (!terms_of(resolved, job).queue || fits) return;
  findings.warning(job.place.of("priority"), "W0549",
                   fmt::format("AWS Batch allows priorities from 0 to {}", largest),
                   "SubmitServiceJob would reject it");
}

}  // namespace

std::span<const Lint> priority_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0417", "a priority without effect",
        "`schedule` orders the queue by submission (fifo) or by length (sjf) and ignores job "
        "priorities. `priority` orders the queue by priority, `quota` each share.",
        "\"priority\": 5 and { \"rule\": \"schedule\", \"algorithm\": \"fifo\" }",
        "no \"priority\", or earlier \"submit\" times for important jobs"},
       check_unread_priority,
       RunIf::no_errors},
      {{"W0547", "priorities that are never compared",
        "A priority orders the jobs of one share, except under `multifactor` and Kueue. If all "
        "jobs of each share have the same priority, it has no effect, because quotas decide "
        "between shares. Under `quota`, reeve does not warn if several shares may exceed their "
        "quotas, because `lowest_priority` of `victims` then chooses which jobs to preempt.",
        "priority 5 for all of one team, 1 for all of another",
        "one share for both, or a larger quota for the first"},
       check_priorities,
       RunIf::no_errors},
      {{"W0549", "a priority that AWS refuses",
        "schedulingPriority of SubmitServiceJob is 0 to 9999.", "\"priority\": 10000",
        "\"priority\": 9999"},
       check_range},
      {{"W0554", "an entry of evaluate_on_exit without effect",
        "The first entry that matches the reason decides, and a failure that matches none is "
        "retried. A RETRY that no EXIT follows therefore changes nothing. Reasons begin with "
        "`Received status from SageMaker: `, a * stands only at the end, and a lack of capacity is "
        "always retried. AWS Batch takes 5.",
        "[ { \"on_status_reason\": \"InternalServerError*\", \"action\": \"RETRY\" } ]",
        "[ { \"on_status_reason\": \"Received status from SageMaker: InternalServerError*\", "
        "\"action\": \"RETRY\" }, { \"on_status_reason\": \"*\", \"action\": \"EXIT\" } ]"},
       check_queue_retry},
      {{"W0570", "an owner that no rule sees",
        "The algorithms \"multifactor\" and \"capacity\" identify users by the tags `username` and "
        "`owner`, as a live account shows them. The key `owner` of a job is the person who looks "
        "after it in the simulation. Rules do not see it.",
        "\"owner\": \"ann\"", "\"tags\": { \"owner\": \"ann\" }, which also makes her the owner"},
       check_users,
       RunIf::no_errors},
      {also("W0476"), check_idle_terms},
      {also("W0476"), check_late_changes, RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
