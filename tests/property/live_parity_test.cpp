// The same rules decide the same about a simulated fleet and about its events as AWS writes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "app/live/recording.hpp"
#include "app/live/rehearsal.hpp"
#include "app/live/simulated_fleet.hpp"
#include "experiments/run.hpp"
#include "host/enum_names.hpp"
#include "host/journal.hpp"
#include "host/tape.hpp"
#include "host/target.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/alarms/local_alarms.hpp"
#include "live/feed/event_lines.hpp"
#include "live/feed/queue_feed.hpp"
#include "live/mock/mock_service.hpp"
#include "models/attempt_names.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/live_worlds.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::tests {
namespace live_parity_test {

using NameOf = std::function<std::string(policy::JobId, policy::AttemptNumber)>;

/// One line for each decision: when, who, what, about which training job, and why.
std::string decisions_in(const std::string& journal, const NameOf& name_of) {
  std::istringstream text{journal};
  const host::JournalText read = host::read_journal(text);
  std::string lines;
  policy::Instant now;
  const auto line = [&](std::string_view verdict, const auto& decided, std::string_view by) {
    const host::Target about = host::target(decided.verb);
    lines += std::to_string(now.time_since_epoch().count()) + ' ' + std::string{verdict} +
             " seat " + std::to_string(decided.seat.index) + ' ' +
             std::string{host::name_of(host::kind_of(decided.verb))} + ' ' +
             name_of(about.job, about.attempt) + " \"" + std::string{decided.reason} + "\" \"" +
             std::string{decided.basis} + "\" " + std::string{by} + '\n';
  };
  for (const host::Entry& entry : read.entries) {
    if (const auto* step = std::get_if<host::StepBegun>(&entry)) now = step->now;
    if (const auto* shadow = std::get_if<host::Shadowed>(&entry)) line("shadow", *shadow, "");
    if (const auto* refused = std::get_if<host::Refused>(&entry)) {
      line("refuse", *refused, refused->why == host::Why::guard ? refused->guard : "belief");
    }
    EXPECT_FALSE(std::holds_alternative<host::Accepted>(entry)) << "something was sent";
  }
  return lines;
}

/// The decisions, and the names of the jobs in the order of their ids.
struct Decided {
  std::string lines;
  std::vector<std::string> jobs;
  std::uint64_t unreadable = 0;  ///< lines
};

Decided simulated(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
  const Taped taped = run_taped(scenario, app::shadowed(policy));
  const models::AttemptNames names{taped.result.record.jobs};
  const models::Jobs& jobs = taped.result.record.jobs;
  Decided decided;
  decided.lines =
      decisions_in(taped.journal, [&](policy::JobId job, policy::AttemptNumber attempt) {
        return attempt == 1 ? jobs.name(job) : names.numbered(job, attempt);
      });
  for (std::uint32_t job = 0; job < jobs.specs.size(); ++job) {
    decided.jobs.push_back(jobs.name({job}));
  }
  return decided;
}

/// The metrics of a recording.
class RecordedMetrics final : public live::MetricSource {
 public:
  explicit RecordedMetrics(const app::Recording& recording) : metrics_{recording.metrics} {}

  Read gpu_utilization(std::span<const std::string> hosts, policy::Instant from,
                       policy::Instant until) override {
    std::vector<models::MetricSeries> all;
    for (const std::string& host : hosts) {
      live::SampledSeries series;
      const auto known = metrics_.find(host);
      if (known != metrics_.end()) add(known->second, from, until, series);
      all.push_back(std::move(series).take());
    }
    return all;
  }

 private:
  static void add(const models::MetricSeries& metric, policy::Instant from, policy::Instant until,
                  live::SampledSeries& series) {
    for (auto at = std::chrono::ceil<std::chrono::minutes>(from); at + live::metric_sample <= until;
         at += std::chrono::minutes{1}) {
      const auto sample = metric.samples(at, at + live::metric_sample, live::metric_sample);
      if (sample.count > 0) series.add(at, sample.mean());
    }
  }

  const app::MetricsByHost& metrics_;
};

/// What a host decides about a feed over the roster, up to `until`.
Decided decided_about(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                      live::Roster& roster, host::Feed& feed, live::MetricSource& metrics,
                      policy::Instant until) {
  std::ostringstream written;
  host::Journal journal;
  journal.write_text_to(written);
  const auto host = experiments::make_host(scenario, app::shadowed(policy), journal);
  const models::Metrics& timing = scenario.world.platform.metrics;
  live::LocalAlarms alarms{feed,
                           roster,
                           &metrics,
                           {.publish_delay = timing.publish_delay,
                            .extra_datapoints = timing.extra_datapoints,
                            .on_trouble = [](const live::FailedCall& call) {
                              ADD_FAILURE() << call.action << ' ' << call.error.message;
                            }}};
  host::run(*host, alarms, alarms, until);
  journal.flush_text();
  // At the last instant one of them may step once more, without an observation.
  const std::string replayed = replay(scenario, app::shadowed(policy), written.str()).first;
  const std::string text = written.str();
  const bool is_longer = replayed.size() > text.size();
  const std::string& longer = is_longer ? replayed : text;
  const std::string& shorter = is_longer ? text : replayed;
  EXPECT_TRUE(longer.starts_with(shorter) && longer.size() - shorter.size() < 200)
      << "the recorded intake gives another journal";
  Decided decided;
  decided.lines = decisions_in(
      written.str(),
      [&](policy::JobId job, policy::AttemptNumber attempt) { return roster.name(job, attempt); });
  for (std::uint32_t job = 0; job < roster.jobs(); ++job) {
    decided.jobs.push_back(roster.name({job}, 1));
  }
  return decided;
}

policy::InstanceType unpriced(std::string_view name) {
  return {std::string{name}, 0, {}};
}

Decided observed(scenarios::Scenario scenario, const scenarios::PolicySpec& policy,
                 const app::Recording& recording) {
  std::ostringstream events;
  app::write_events(recording, events);
  live::Roster roster{scenario.world.directory, "", "", unpriced};
  std::istringstream lines{events.str()};
  live::EventLines feed{lines, roster};
  RecordedMetrics metrics{recording};
  Decided decided = decided_about(scenario, policy, roster, feed, metrics, policy::never);
  decided.unreadable = feed.unreadable();
  return decided;
}

/// The same by the queue of a mock account that gives some events twice: requests are signed, sent
/// and answered, and the clock jumps when the client waits.
Decided observed_by_queue(scenarios::Scenario scenario, const scenarios::PolicySpec& policy,
                          const app::Recording& recording, policy::Instant until) {
  const scenarios::Scenario world = scenario;  // the roster adds to the other one
  live::MockAccount account{std::make_unique<app::SimulatedFleet>(world, app::shadowed(policy)),
                            std::string{app::recorded_account},
                            std::string{app::recorded_region},
                            world.world.platform.metrics.publish_delay,
                            {.lost = 0, .duplicated = 0.2}};
  live::MockService service{std::move(account), live::MockClock{recording.start, recording.end, 0}};
  app::Rehearsal rehearsal{service, "http://127.0.0.1:1" + std::string{live::clock_path}};
  live::ScriptedEnvironment environment;
  environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
  live::Credentials credentials;
  credentials.key = {std::string{live::mock_key_id}, live::Secret{live::mock_secret}, {}};
  live::FixedCredentials key{credentials};
  live::Client client{{environment, rehearsal, rehearsal, [] { return 0.5; }},
                      key,
                      {std::string{app::recorded_region}, 3}};
  live::Roster roster{scenario.world.directory, "", "", unpriced};
  live::QueueFeed feed{
      client,
      rehearsal,
      roster,
      {"http://127.0.0.1:1" + service.account().queue_path(), {}},
      {.interrupted = [] { return false; },
       .on_trouble = [](const live::FailedCall& call) { ADD_FAILURE() << call.action; },
       .on_unreadable = [](const auto&, const auto& why) { ADD_FAILURE() << why; }}};
  live::CloudMetrics metrics{client};
  return decided_about(scenario, policy, roster, feed, metrics, until);
}

bool puts_alarms(const scenarios::PolicySpec& policy) {
  return std::ranges::any_of(policy.seats,
                             [](const auto& seat) { return scenarios::puts_alarm(seat); });
}

/// Rules that start or place jobs see a queue, which SageMaker does not have.
bool may_be_told(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
  for (const scenarios::SeatSpec& seat : policy.seats) {
    if (seat.kind->schedules || seat.kind->places) return false;
  }
  if (scenario.world.platform.model != models::PlatformModel::sagemaker_training) return false;
  // CloudWatch has a sample per minute, summed over the GPUs of a host.
  const models::Metrics& metrics = scenario.world.platform.metrics;
  const bool are_read = metrics.period == live::metric_sample && metrics.gpu_sum;
  if (!are_read && puts_alarms(policy)) return false;
  if (!scenario.world.directory.queues.empty()) return false;
  // An event without tags is of a further attempt if its name says so.
  const models::JobNames& names = scenario.world.jobs.names;
  for (const std::string& name : names) {
    if (name.find("-r") != std::string::npos) return false;
  }
  return true;
}

/// AWS tells neither a capacity that changes nor the actions of operators.
bool is_told(const scenarios::Scenario& scenario, const app::LeftOut& left_out) {
  for (const auto& [what, count] : left_out) {
    if (what != "capacity_changed" || count > scenario.world.pools.size()) return false;
  }
  return true;
}

class LiveParity : public EachSeed {};

/// Compares each policy of the world that can be told by events.
struct Compared {
  std::uint64_t policies = 0;
  std::uint64_t with_decisions = 0;
  std::uint64_t by_queue = 0;
};

/// A minute of a queue costs several calls.
policy::Duration longest_by_queue() {
  return std::chrono::days{number_from("REEVE_QUEUE_DAYS", 2)};
}

bool has_long_gap(const app::Recording& recording) {
  policy::Instant before = recording.start;
  for (const live::FleetEvent& event : recording.events) {
    if (*event.received - before > std::chrono::days{366}) return true;
    before = *event.received;
  }
  return recording.end - before > std::chrono::days{366};
}

/// `queues`: how many policies are compared by a queue as well, which takes a second for each day.
Compared compare(const scenarios::Scenario& scenario, std::uint64_t queues) {
  Compared compared;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    if (!may_be_told(scenario, policy)) continue;
    const app::Recording recording = app::record_events(scenario, policy, puts_alarms(policy));
    if (!is_told(scenario, recording.left_out)) continue;
    const Decided expected = simulated(scenario, policy);
    const Decided got = observed(scenario, policy, recording);
    // Jobs have ids in the order of their first events, which those that are late change.
    if (got.unreadable > 0) {  // a year without an event is taken for a wrong time
      EXPECT_TRUE(has_long_gap(recording)) << "an event cannot be read";
      continue;
    }
    const bool same_order = got.jobs.size() <= expected.jobs.size() &&
                            std::equal(got.jobs.begin(), got.jobs.end(), expected.jobs.begin());
    if (!same_order) continue;
    ++compared.policies;
    if (!expected.lines.empty()) ++compared.with_decisions;
    EXPECT_EQ(got.lines, expected.lines) << policy.name;
    if (compared.by_queue >= queues || expected.lines.empty()) continue;
    ++compared.by_queue;
    const auto until = std::min(recording.end, recording.start + longest_by_queue());
    EXPECT_EQ(lines_before(until, observed_by_queue(scenario, policy, recording, until).lines),
              lines_before(until, expected.lines))
        << policy.name << " by queue";
  }
  return compared;
}

TEST_F(LiveParity, TheDecisionsOfASimulationFollowFromItsEvents) {
  constexpr std::uint64_t worlds = 8;  // of a seed: until one can be told by events
  const std::uint64_t most_by_queue = number_from("REEVE_QUEUE_WORLDS", 10);
  Compared all;
  each_seed([&](std::uint64_t seed) {
    Compared compared;
    for (std::uint64_t nth = 0; nth < worlds && compared.policies == 0; ++nth) {
      const std::string text = RandomScenario{worlds * seed + nth}.text();
      compared = compare(
          scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario,
          most_by_queue - std::min(most_by_queue, all.by_queue));
    }
    all.policies += compared.policies;
    all.with_decisions += compared.with_decisions;
    all.by_queue += compared.by_queue;
  });
  RecordProperty("policies", std::to_string(all.policies));
  RecordProperty("with_decisions", std::to_string(all.with_decisions));
  RecordProperty("by_queue", std::to_string(all.by_queue));
  if (number_from("REEVE_SEEDS", 300) < 300) return;  // most worlds cannot be told by events
  EXPECT_GT(all.policies, 10u);
  EXPECT_GT(all.with_decisions, 5u);
}

TEST(LiveParityOfShippedScenarios, TheDecisionsFollowFromEventsAndMetrics) {
  Compared all;
  for (const std::filesystem::path& file : shipped_scenarios()) {
    SCOPED_TRACE(file);
    const Compared compared = compare(scenarios::load(file.string()).scenario, 10);
    std::cout << file.filename() << ": " << compared.policies << " policies, "
              << compared.with_decisions << " with decisions, " << compared.by_queue
              << " by queue\n";
    all.policies += compared.policies;
    all.with_decisions += compared.with_decisions;
    all.by_queue += compared.by_queue;
  }
  EXPECT_GT(all.by_queue, 3U);
}

}  // namespace live_parity_test
}  // namespace reeve::tests
