// A replay without rules repeats what the log has of each job, to the nanosecond; a rule that stops
// jobs saves exactly the rest; what runs on beyond a log is counted.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace trace_replay_test {

using models::Charge;
using policy::Duration;
using policy::Primary;

struct LoggedJob {
  std::string name;
  std::string_view status;
  Duration startup{0}, lost{0}, work{0};
  Charge instances = 1;
  bool censored = false;

  /// Whether the log has a stop, with the grace that the platform gives it.
  bool was_stopped() const {
    return status == "killed" || status == "preempted" || status == "timeout";
  }
};

/// A trace with the columns of history, and a scenario that replays it.
class History : private DrawnText {
 public:
  explicit History(std::uint64_t seed) : DrawnText{seed, 77} {
    text_ =
        "job_id,submit_s,nodes,duration_s,end_status,censored,startup_s,lost_s,instance_type,"
        "market,tag.team\n";
    const std::uint64_t count = between(1, 12);
    for (std::uint64_t number = 0; number < count; ++number) add(number);
    managed_ = chance(0.5);
    if (managed_) grace_ = length(300);
    stop_after_ = length(20'000);
  }

  const std::string& trace() const { return text_; }
  const std::vector<LoggedJob>& jobs() const { return jobs_; }
  Duration stop_after() const { return stop_after_; }
  Duration grace() const { return grace_; }

  /// Of each instance, as the log has it.
  Duration billed(const LoggedJob& job) const {
    return job.startup + job.lost + job.work + (job.was_stopped() ? grace_ : Duration{0});
  }

  std::string scenario() const {
    return fmt::format(
        R"({{ "reeve": 1, "name": "history", "clock": {{ "horizon": "until_done" }},
"prices": {{ "instances": {{
  "a": {{ "usd_per_hour": 3.6, "gpus": 8, "spot_usd_per_hour": 1.7 }},
  "b": {{ "usd_per_hour": 7, "gpus": 8 }} }} }},
"fleet": [ {{ "name": "a", "instance_type": "a", "capacity": 4 }},
           {{ "name": "a-spot", "instance_type": "a", "capacity": 5, "market": "spot" }},
           {{ "name": "b", "instance_type": "b", "capacity": 6 }} ],
"platform": {{ {} }},
"workload": {{ "trace": "jobs.csv", "instances_from": "nodes", "fleet": "a",
               "max_runtime": "1000d" }},
"policies": {{ "as-it-was": [],
  "stops": [ {{ "rule": "rule", "do": "stop",
                "when": {{ "field": "training_time", "op": ">=", "value": "{}ns" }} }} ],
  "accuses": [ {{ "rule": "rule", "do": "stop", "accuses": "standing_still",
                  "when": {{ "field": "training_time", "op": ">=", "value": "{}ns" }} }} ],
  "retries": [ {{ "rule": "resume", "when": ["failed", "stopped", "max_runtime_exceeded"],
                  "min_runtime": "0s", "max_resumes": 1 }} ] }} }})",
        managed_ ? fmt::format(R"("model": "sagemaker-training", "startup": "7m",
"stop_grace": "{0}ns", "max_runtime_grace": "{0}ns", "upload": "0s", "api": {{ "latency": "0s" }})",
                               grace_.count())
                 : std::string{R"("model": "ideal")"},
        stop_after_.count(), stop_after_.count());
  }

 private:
  Duration length(std::uint64_t most_s) {
    const std::uint64_t whole = between(0, most_s) * 1'000'000'000;
    return Duration{static_cast<std::int64_t>(whole + (chance(0.5) ? between(0, 999'999'999) : 0))};
  }

  static std::string seconds(Duration length) {
    return fmt::format("{}.{:09}", length.count() / 1'000'000'000, length.count() % 1'000'000'000);
  }

  void add(std::uint64_t number) {
    LoggedJob job;
    job.name = fmt::format("job-{}", number);
    job.status = pick({"completed", "failed", "oom", "node_fail", "killed", "timeout", "preempted",
                       "running", "unknown"});
    job.work = length(20'000) + Duration{1};
    if (chance(0.7)) job.lost = length(5'000);
    job.startup = length(600);
    job.instances = static_cast<Charge>(between(1, 4));
    const std::set<std::string_view> outside{"node_fail", "killed", "timeout", "preempted",
                                             "running"};
    const std::string_view flag = pick({"", "0", "1"});
    job.censored = flag.empty() ? outside.contains(job.status) : flag == "1";
    const std::string_view type = pick({"", "a", "b"});
    const std::string_view market = type == "b" ? "on_demand" : pick({"", "on_demand", "spot"});
    text_ += Written{"{},{},{},{},{},{},{},{},{},{},{}\n",
                     job.name,
                     between(0, 5'000),
                     static_cast<int>(job.instances),
                     seconds(job.work),
                     job.status,
                     flag,
                     seconds(job.startup),
                     job.lost == Duration{0} ? "" : seconds(job.lost),
                     type,
                     market,
                     pick({"", "red", "blue"})}
                 .text;
    jobs_.push_back(job);
  }

  std::string text_;
  std::vector<LoggedJob> jobs_;
  bool managed_ = false;
  Duration stop_after_{0};
  Duration grace_{0};  ///< of stops and of run-time limits
};

scenarios::Scenario load(const History& history) {
  const auto folder =
      std::filesystem::path{::testing::TempDir()} / fmt::format("reeve-trace-replay-{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "jobs.csv"} << history.trace();
  auto source = scenarios::SourceFile::from_text("history.jsonc", history.scenario());
  auto loaded = scenarios::load(std::move(source), folder);
  std::filesystem::remove_all(folder);
  return std::move(loaded.scenario);
}

struct Replayed {
  models::Record record;
  std::map<std::string, std::vector<models::AttemptRow>> attempts;  ///< by job

  const models::JobRow& row(const std::string& name) const {
    for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
      if (record.jobs.name({job}) == name) return record.job_rows[job];
    }
    throw std::out_of_range{name};
  }
};

Replayed replay(const scenarios::Scenario& scenario, std::size_t policy) {
  experiments::RunOptions options;
  options.keep.attempts = true;
  Replayed replayed;
  replayed.record = experiments::run(scenario, scenario.policies.at(policy), 0, options).record;
  for (const models::AttemptRow& attempt : replayed.record.attempts) {
    replayed.attempts[replayed.record.jobs.name(attempt.job)].push_back(attempt);
  }
  return replayed;
}

Primary ends_as(std::string_view status) {
  if (status == "completed" || status == "unknown") return Primary::completed;
  const bool fails = status == "failed" || status == "oom" || status == "node_fail";
  return fails ? Primary::failed : Primary::stopped;
}

/// Whether what the job did counts, although it did not complete.
bool keeps_work(std::string_view status) {
  return ends_as(status) == Primary::completed || status == "running";
}

class TraceReplay : public EachSeed {};

TEST_F(TraceReplay, WithoutRulesIsWhatTheLogHas) {
  each_seed([](std::uint64_t seed) {
    const History history{seed};
    const scenarios::Scenario scenario = load(history);
    const Replayed as_it_was = replay(scenario, 0);
    Charge lost = 0, productive = 0, startup = 0;
    for (const LoggedJob& job : history.jobs()) {
      const models::JobRow& row = as_it_was.row(job.name);
      const auto& attempts = as_it_was.attempts.at(job.name);
      ASSERT_EQ(attempts.size(), 1u) << job.name;
      EXPECT_EQ(row.status, ends_as(job.status)) << job.name << ' ' << job.status;
      EXPECT_EQ(attempts[0].billed, history.billed(job)) << job.name;
      EXPECT_EQ(row.end - row.first_start, history.billed(job)) << job.name;
      EXPECT_FALSE(row.beyond_log) << job.name;
      const Charge work = job.instances * job.work.count();
      startup += job.instances * job.startup.count();
      lost += job.instances * job.lost.count() + (keeps_work(job.status) ? 0 : work);
      productive += keeps_work(job.status) ? work : 0;
    }
    const auto& times = as_it_was.record.use_time;
    EXPECT_EQ(times[static_cast<std::size_t>(models::Use::startup)], startup);
    EXPECT_EQ(times[static_cast<std::size_t>(models::Use::lost_work)], lost);
    EXPECT_EQ(times[static_cast<std::size_t>(models::Use::productive)], productive);
    EXPECT_EQ(as_it_was.record.ledger.residual(), 0);
  });
}

TEST_F(TraceReplay, AStopSavesExactlyTheRest) {
  each_seed([](std::uint64_t seed) {
    const History history{seed};
    const scenarios::Scenario scenario = load(history);
    const Replayed stopped = replay(scenario, 1);
    for (const LoggedJob& job : history.jobs()) {
      const auto& attempts = stopped.attempts.at(job.name);
      ASSERT_EQ(attempts.size(), 1u) << job.name;
      const bool in_time = history.stop_after() < job.lost + job.work;
      const Duration stopped_then = job.startup + history.stop_after() + history.grace();
      EXPECT_EQ(attempts[0].billed, in_time ? stopped_then : history.billed(job)) << job.name;
    }
    EXPECT_EQ(stopped.record.ledger.residual(), 0);
  });
}

TEST_F(TraceReplay, AFalseStopDestroysAtMostWhatTheLogHas) {
  each_seed([](std::uint64_t seed) {
    const History history{seed};
    const scenarios::Scenario scenario = load(history);
    const Replayed accused = replay(scenario, 2);
    std::size_t in_time = 0;
    for (const LoggedJob& job : history.jobs()) {
      in_time += history.stop_after() < job.lost + job.work ? 1u : 0u;
    }
    EXPECT_EQ(accused.record.stops.size(), in_time);
    for (const models::StopRow& stop : accused.record.stops) {
      const std::string name = accused.record.jobs.name(stop.job);
      const auto job = std::find_if(history.jobs().begin(), history.jobs().end(),
                                    [&](const LoggedJob& each) { return each.name == name; });
      const Duration work = std::max(Duration{0}, history.stop_after() - job->lost);
      const Duration grace = job->was_stopped() ? Duration{0} : history.grace();
      const policy::PoolId pool = accused.attempts.at(name).at(0).pool;
      const Charge price = scenario.world.pools[pool.index].price.nanos;
      EXPECT_EQ(stop.destroyed, price * job->instances * (work + grace).count()) << name;
    }
    EXPECT_EQ(accused.record.ledger.residual(), 0);
  });
}

TEST_F(TraceReplay, WhatRunsOnBeyondTheLogIsCounted) {
  each_seed([](std::uint64_t seed) {
    const History history{seed};
    const scenarios::Scenario scenario = load(history);
    const Replayed retried = replay(scenario, 3);
    for (const LoggedJob& job : history.jobs()) {
      const bool ends_early = ends_as(job.status) != Primary::completed;
      EXPECT_EQ(retried.attempts.at(job.name).size(), ends_early ? 2u : 1u) << job.name;
      EXPECT_EQ(retried.row(job.name).beyond_log, ends_early && job.censored) << job.name;
    }
    EXPECT_EQ(retried.record.ledger.residual(), 0);
  });
}

}  // namespace trace_replay_test
}  // namespace reeve::tests
