// A fleet driven by a script instead of a host: calls at set times, everything seen written down.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using namespace std::chrono_literals;

/// An instant that no calendar makes special, to which scripts are relative.
inline constexpr Instant rig_start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 15h;

inline std::string word(policy::Secondary status) {
  static constexpr std::array<const char*, 17> words{"queued",
                                                     "pending",
                                                     "starting",
                                                     "downloading",
                                                     "training",
                                                     "interrupted",
                                                     "uploading",
                                                     "stopping",
                                                     "completed",
                                                     "failed",
                                                     "stopped",
                                                     "max_runtime_exceeded",
                                                     "max_wait_time_exceeded",
                                                     "other",
                                                     "updating",
                                                     "restarting",
                                                     "deleting"};
  return words.at(static_cast<std::size_t>(status));
}

/// One pool "p" of 4 machines at $36/h (a cent a second), SageMaker: 60 s of provisioning, 120 s of
/// startup, 30 s of grace after a stop, 10 s of upload.  All of it may be changed before `run`,
/// which checks on the way what must hold in every world: legal transitions, capacity, a bill that
/// adds up.
class FleetRig {
 public:
  struct Seen {  ///< an observation and when it was delivered
    Instant delivered;
    policy::Observation what;
  };
  struct Answer {
    Duration after;
    std::uint64_t action;
    host::ReplyKind kind;
  };
  using Reaction = std::function<void(Fleet&, Instant, const policy::Observation&)>;

  FleetRig() {
    world.start = rig_start;
    world.directory.types = {{"ml.test", 4, {36'000'000'000}}};
    world.directory.pools = {{.name = "p"}};
    world.pools = {{"p", {0}, Market::on_demand, 4, {36'000'000'000}}};
    world.profiles.resize(1);
    world.platform.model = PlatformModel::sagemaker_training;
    world.platform.provisioning = 60s;
    world.platform.startup = 120s;
    world.platform.stop_grace = world.platform.max_runtime_grace = 30s;
    world.platform.upload = 10s;
    world.platform.runtime_includes_startup = true;
  }

  JobProfile& profile(std::size_t nth = 0) { return world.profiles.at(nth); }

  policy::JobId job(Duration work, std::uint32_t instances = 1, Duration submit = 0s,
                    std::uint32_t profile = 0) {
    world.jobs.specs.push_back({rig_start + submit, work, work, instances, profile, 0});
    world.jobs.names.push_back(fmt::format("job-{}", world.jobs.specs.size()));
    return {static_cast<std::uint32_t>(world.jobs.specs.size() - 1)};
  }

  Fault& fault(FaultKind kind, Duration at, Duration lasts = Duration::max()) {
    Fault fault;
    fault.kind = kind;
    fault.at = at;
    fault.lasts = lasts;
    profile().faults.push_back(fault);
    return profile().faults.back();
  }

  /// Calls `verb` at that time of the script; returns the number of the action.
  std::uint64_t call(Duration at, const policy::Verb& verb) {
    calls_.push_back({at, {{calls_.size() + 1}, 1, verb}});
    return calls_.size();
  }
  /// Tries an action again.
  void retry(Duration at, std::uint64_t action, std::uint32_t number) {
    const policy::Verb verb = calls_.at(action - 1).second.verb;
    calls_.push_back({at, {{action}, number, verb}});
  }

  const Record& run(Duration until = Duration::max(), bool partial = false) {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const Instant end = policy::later(rig_start, until);
    if (until != Duration::max() && !partial) world.end = end;
    Fleet fleet{world, 0, admission, {true, true, true, true, true}, reports};
    Instant now = rig_start;
    std::size_t next = 0;
    host::Intake intake;
    while (now < end) {
      const Instant then = next < calls_.size() ? rig_start + calls_[next].first : policy::never;
      intake.clear();
      const Instant reached = fleet.advance(std::min(then, end), intake);
      if (reached == policy::never && intake.empty()) break;
      EXPECT_GE(reached, now) << "time ran backwards";
      now = reached;
      note(fleet, now, intake);
      while (next < calls_.size() && rig_start + calls_[next].first <= now) {
        fleet.submit(calls_[next++].second);
      }
    }
    record = fleet.finish(now, partial);
    check();
    return record;
  }

  /// The statuses of an attempt as they happened: "starting 0, downloading 60, ...", in seconds.
  std::string timeline(policy::JobId job, policy::AttemptNumber attempt = 1) const {
    std::string text;
    std::set<std::uint32_t> told;
    for (const Seen& news : seen) {
      const auto* change = std::get_if<policy::JobChanged>(&news.what.fact);
      if (change == nullptr || change->job != job || change->attempt != attempt) continue;
      if (!told.insert(change->revision).second) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", word(change->secondary),
                          std::chrono::duration<double>(news.what.happened_at - rig_start).count());
    }
    return text;
  }

  /// Dollars of one use, exactly.
  std::string usd(Use use) const {
    return fmt::format("{:.2f}", static_cast<double>(to_usd(of(use)).micros()) / 1e6);
  }
  std::string billed() const {
    return fmt::format("{:.2f}",
                       static_cast<double>(to_usd(record.ledger.billed()).micros()) / 1e6);
  }
  const JobRow& row(policy::JobId job) const { return record.job_rows.at(job.index); }

  std::vector<host::ReplyKind> kinds() const {
    std::vector<host::ReplyKind> all;
    for (const Answer& answer : answers) all.push_back(answer.kind);
    return all;
  }

  World world;
  Admission admission = Admission::direct;
  bool reports = false;     ///< somebody wants to be told what scripts report
  bool exact_lines = true;  ///< every amount is price x instances x time
  Reaction react;           ///< may submit calls to the fleet, when it learns something
  std::vector<Seen> seen;
  std::vector<Answer> answers;
  Record record;

 private:
  Charge of(Use use) const { return record.ledger.uses()[static_cast<std::size_t>(use)]; }

  void note(Fleet& fleet, Instant now, const host::Intake& intake) {
    for (const policy::Observation& what : intake.observations) {
      EXPECT_LE(what.happened_at, now) << "news of the future";
      seen.push_back({now, what});
      if (react) react(fleet, now, what);
    }
    for (const host::Reply& reply : intake.replies) {
      answers.push_back({now - rig_start, reply.action.value, reply.kind});
    }
  }

  /// aws-behaviour.md 1.2, and what a stop of an attempt without a container does.
  static bool legal(const std::string& from, const std::string& to) {
    static const std::set<std::pair<std::string, std::string>> table{
        {"", "pending"},
        {"", "starting"},
        {"", "stopped"},  // a request that was queued for a scheduler
        {"pending", "starting"},
        {"pending", "stopped"},
        {"pending", "max_wait_time_exceeded"},
        {"starting", "interrupted"},
        {"starting", "max_wait_time_exceeded"},
        {"downloading", "interrupted"},
        {"downloading", "max_wait_time_exceeded"},
        {"training", "max_wait_time_exceeded"},
        {"interrupted", "max_wait_time_exceeded"},
        {"stopping", "max_wait_time_exceeded"},
        {"stopping+uploading", "max_wait_time_exceeded"},
        {"starting", "downloading"},
        {"starting", "stopping"},
        {"downloading", "training"},
        {"downloading", "stopping"},
        {"downloading", "max_runtime_exceeded"},
        {"training", "uploading"},
        {"training", "failed"},
        {"training", "interrupted"},
        {"training", "stopping"},
        {"training", "max_runtime_exceeded"},
        {"interrupted", "starting"},
        {"interrupted", "stopping"},
        {"stopping", "stopping+uploading"},
        {"stopping", "stopped"},
        {"stopping", "max_runtime_exceeded"},
        {"stopping+uploading", "stopped"},
        {"stopping+uploading", "max_runtime_exceeded"},
        {"uploading", "completed"},
        {"", "failed"},  // over quota
        {"pending", "failed"},
        {"starting", "failed"},     // a zone is gone
        {"downloading", "failed"},  // a clone without its data
        {"training", "starting"},   // retried, or repaired
        {"starting", "pending"},    // retried where there are no machines
        {"downloading", "pending"},
        {"downloading", "starting"},
        {"training", "pending"},
        {"pending", "stopping"},
        {"starting", "max_runtime_exceeded"},  // while it is repaired
        {"uploading", "stopping+uploading"},
    };
    return table.contains({from, to});
  }

  void check() {
    if (world.platform.model == PlatformModel::sagemaker_training) check_transitions();
    EXPECT_TRUE(record.ledger.residual() == 0) << "the uses do not sum to the bill";
    Charge lines = 0;
    std::array<Charge, use_count> times{};
    for (const LedgerLine& line : record.ledger_lines) {
      EXPECT_TRUE(line.amount >= 0 && line.until >= line.from) << name(line.use);
      lines += line.amount;
      const Pool& pool = world.pools[line.pool.index];
      const Charge price = pool.prices.empty() ? pool.price.nanos
                                               : price_at(pool.prices, line.from - rig_start).nanos;
      if (price != 0) times[static_cast<std::size_t>(line.use)] += line.amount / price;
    }
    EXPECT_TRUE(lines == record.ledger.billed());
    EXPECT_TRUE(!exact_lines || times == record.use_time)
        << "machine time and money tell different stories";
    for (const Charge use : record.ledger.uses()) EXPECT_TRUE(use >= 0);
    EXPECT_TRUE(record.ledger.guardrail() >= 0);
    for (const UtilizationRow& row : record.utilization) {
      EXPECT_LE(row.allocated, world.pools[row.pool.index].capacity);
      EXPECT_LE(row.used, row.allocated);
    }
    for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
      EXPECT_LE(record.job_rows[job].progress, record.jobs.specs[job].work);
      EXPECT_GE(record.job_rows[job].progress, 0s);
    }
  }

  void check_transitions() {
    std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::string> last;
    Instant before = rig_start;
    for (const EventRow& event : record.events) {
      if (event.duplicate) continue;
      EXPECT_GE(event.at, before);
      before = event.at;
      std::string& from = last[{event.job, event.attempt}];
      std::string to = word(event.secondary);
      if (to == "uploading" && event.primary == policy::Primary::stopping) to = "stopping+" + to;
      EXPECT_TRUE(legal(from, to)) << "job " << event.job.index << ": " << from << " -> " << to;
      from = to;
    }
  }

  std::vector<std::pair<Duration, host::Attempt>> calls_;
};

inline constexpr policy::PoolId first_pool{0};
inline constexpr policy::PoolId second_pool{1};

/// A further attempt that lacks what `losses` names.
inline policy::CloneJob clone(policy::JobId job,
                              std::initializer_list<policy::CloneLoss> losses = {}) {
  policy::CloneJob verb{.job = job};
  for (const policy::CloneLoss loss : losses) {
    verb.loses = static_cast<std::uint16_t>(verb.loses | static_cast<std::uint16_t>(loss));
  }
  return verb;
}

/// Those that events give, in their order.
inline std::vector<std::string> reasons(const FleetRig& rig) {
  std::vector<std::string> all;
  for (const EventRow& event : rig.record.events) {
    if (!event.reason.empty()) all.push_back(event.reason);
  }
  return all;
}

inline InstanceQuota quota(QuotaFamily family, std::uint32_t instances) {
  InstanceQuota quota{{0}, {}};
  quota.instances[static_cast<std::size_t>(family)] = instances;
  return quota;
}

}  // namespace reeve::models
