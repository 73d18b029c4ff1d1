// Rules that act on a mock account decide and reach the same as rules that act on the simulation.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/live/recording.hpp"
#include "app/live/rehearsal.hpp"
#include "app/live/simulated_events.hpp"
#include "app/live/simulated_fleet.hpp"
#include "experiments/run.hpp"
#include "host/enum_names.hpp"
#include "host/journal.hpp"
#include "host/target.hpp"
#include "live/act/account_actions.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/alarms/local_alarms.hpp"
#include "live/feed/queue_feed.hpp"
#include "live/journal/sqlite_journal.hpp"
#include "live/mock/mock_service.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/live_worlds.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::tests {
namespace live_actions_test {

using NameOf = std::function<std::string(policy::JobId)>;

/// What was decided and what became of it, a line for each, which begins with its time.
struct Story {
  std::string lines;
  std::set<policy::VerbKind> sent;
  std::vector<std::string> jobs;  ///< names in the order of ids
  std::uint64_t stops = 0;
  std::uint64_t clones = 0;
  /// The simulation does not have what an account has: samples of an attempt that ended before its
  /// alarm was put, or a limit of 63 characters to the name of a training job.
  bool is_unlike_accounts = false;
};

/// Whether an alarm fired that was put on an ended attempt, of which it would see samples.
bool has_late_alarm(const models::Record& record, std::uint32_t extra_datapoints) {
  return std::ranges::any_of(record.alarms, [&](const models::AlarmRow& alarm) {
    const policy::Duration range =
        alarm.rule.period * (alarm.rule.evaluation_periods + extra_datapoints + 1);
    if (alarm.fired == policy::never) return false;
    return std::ranges::any_of(record.attempts, [&](const models::AttemptRow& attempt) {
      return attempt.job == alarm.id.job && attempt.number == alarm.attempt &&
             attempt.end < alarm.created && alarm.created - attempt.end < range;
    });
  });
}

Story story_in(const std::string& journal, const NameOf& name_of) {
  std::istringstream text{journal};
  const host::JournalText read = host::read_journal(text);
  Story story;
  policy::Instant now;
  std::map<policy::ActionId, std::string> actions;
  const auto write = [&](const std::string& what) {
    story.lines += std::to_string(now.time_since_epoch().count()) + ' ' + what + '\n';
  };
  const auto described = [&](const auto& decided) {
    const host::Target of = host::target(decided.verb);
    return "seat " + std::to_string(decided.seat.index) + ' ' +
           std::string{host::name_of(host::kind_of(decided.verb))} + ' ' + name_of(of.job) + ' ' +
           std::to_string(of.attempt) + " \"" + std::string{decided.reason} + "\" \"" +
           std::string{decided.basis} + '"';
  };
  for (const host::Entry& entry : read.entries) {
    if (const auto* step = std::get_if<host::StepBegun>(&entry)) now = step->now;
    if (const auto* shadow = std::get_if<host::Shadowed>(&entry)) {
      write("shadow " + described(*shadow));
    } else if (const auto* warned = std::get_if<host::Warned>(&entry)) {
      write("warn " + described(*warned));
    } else if (const auto* refused = std::get_if<host::Refused>(&entry)) {
      const bool guarded = refused->why == host::Why::guard;
      write("refuse " + described(*refused) + ' ' +
            (guarded ? std::string{refused->guard} : "belief"));
    } else if (const auto* accepted = std::get_if<host::Accepted>(&entry)) {
      actions[accepted->action] = described(*accepted);
      story.sent.insert(host::kind_of(accepted->verb));
      write("accept " + actions[accepted->action]);
    } else if (const auto* attempted = std::get_if<host::Attempted>(&entry)) {
      write("try " + std::to_string(attempted->number) + ' ' + actions[attempted->action]);
    } else if (const auto* settled = std::get_if<host::Settled>(&entry)) {
      write(std::string{host::name_of(settled->outcome)} + ' ' + actions[settled->action]);
      if (settled->outcome != policy::Outcome::done) continue;
      if (actions[settled->action].find(" stop_job ") != std::string::npos) ++story.stops;
      if (actions[settled->action].find(" clone_job ") != std::string::npos) ++story.clones;
    }
  }
  return story;
}

/// A fleet whose alarms reeve evaluates itself, as it does beside an account: they take no calls.
class OwnAlarms final : public host::Feed, public host::Actuator {
 public:
  explicit OwnAlarms(models::Simulation& fleet) : fleet_{fleet} {}

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override {
    if (!replies_.empty()) deadline = std::min(deadline, now_);
    now_ = fleet_.advance(deadline, out);
    out.replies.insert(out.replies.end(), replies_.begin(), replies_.end());
    replies_.clear();
    return now_;
  }
  void submit(const host::Attempt& attempt) override {
    host::Attempt local = attempt;
    const policy::VerbKind verb = host::kind_of(attempt.verb);
    if (verb == policy::VerbKind::put_alarm || verb == policy::VerbKind::delete_alarm) {
      if (!attempt.is_local) {
        replies_.push_back({attempt.action, attempt.number, host::ReplyKind::done});
      }
      local.is_local = true;
    }
    fleet_.submit(local);
  }

 private:
  models::Simulation& fleet_;
  std::vector<host::Reply> replies_;
  policy::Instant now_;
};

Story simulated(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
  std::ostringstream written;
  host::Journal journal;
  journal.write_text_to(written);
  const auto fleet = models::simulate(scenario.world, 0, experiments::admission(policy), everything,
                                      experiments::needs_reports(policy));
  const auto host = experiments::make_host(scenario, policy, journal);
  OwnAlarms ports{*fleet};
  host::run(*host, ports, ports, scenario.world.end);
  journal.flush_text();
  const models::Record record = fleet->finish(std::max(host->now(), scenario.world.start), false);
  const app::SimulatedEvents names{scenario.world, record.jobs};  // AWS Batch gives others
  Story story = story_in(written.str(), [&](policy::JobId job) { return names.name_of(job, 1); });
  for (std::uint32_t job = 0; job < record.jobs.specs.size(); ++job) {
    story.jobs.push_back(names.name_of({job}, 1));
  }
  story.is_unlike_accounts =
      has_late_alarm(record, scenario.world.platform.metrics.extra_datapoints);
  return story;
}

/// An account of the world in this process, and reeve beside it.  Requests are signed, sent and
/// answered; the clock jumps when the client waits.
class Rehearsed {
 public:
  Rehearsed(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
            policy::Instant until)
      : world_{scenario},
        scenario_{scenario},
        policy_{policy},
        until_{until},
        service_{
            live::MockAccount{std::make_unique<app::SimulatedFleet>(world_, app::shadowed(policy)),
                              std::string{app::recorded_account}, std::string{app::recorded_region},
                              world_.world.platform.metrics.publish_delay},
            live::MockClock{world_.world.start, until, 0},
            {},
            1,
            [this](const live::AnsweredCall& call) { count(call); }} {}

  Story run(const std::string& journal_file) {
    environment_.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
    app::Rehearsal rehearsal{service_, "http://127.0.0.1:1" + std::string{live::clock_path}};
    live::Credentials credentials;
    credentials.key = {std::string{live::mock_key_id}, live::Secret{live::mock_secret}, {}};
    live::FixedCredentials key{credentials};
    live::Client client{{environment_, rehearsal, rehearsal, [] { return 0.5; }},
                        key,
                        {std::string{app::recorded_region}, 3}};
    live::Roster roster{scenario_.world.directory, "", "", [](std::string_view name) {
                          return policy::InstanceType{std::string{name}, 0, {}};
                        }};
    live::QueueFeed feed{
        client,
        rehearsal,
        roster,
        {"http://127.0.0.1:1" + service_.account().queue_path(), {}},
        {.interrupted = [] { return false; },
         .on_trouble = [](const auto& call) { ADD_FAILURE() << call.action; },
         .on_unreadable = [](const auto&, const auto& why) { ADD_FAILURE() << why; }}};
    auto journal_opened =
        live::SqliteJournal::open(journal_file, live::SqliteJournal::Access::write);
    live::ActionLog log{std::get<std::unique_ptr<live::ActionJournal>>(std::move(journal_opened))};
    live::Messenger messenger{
        client,
        service_,
        {"arn:aws:sns:us-east-1:" + std::string{app::recorded_account} + ":alerts", {}, {}}};
    live::AccountActions actions{feed, client, rehearsal, roster, log, messenger, {.apart = {}}};
    live::CloudMetrics metrics{client};
    const models::Metrics& timing = scenario_.world.platform.metrics;
    live::LocalAlarms alarms{
        actions,
        roster,
        &metrics,
        {.publish_delay = timing.publish_delay, .extra_datapoints = timing.extra_datapoints},
        &actions};
    std::ostringstream written;
    host::Journal journal;
    journal.write_text_to(written);
    journal.set_listener(&actions);
    const auto host = experiments::make_host(scenario_, policy_, journal);
    host::run(*host, alarms, alarms, until_);
    journal.flush_text();
    check(log, host->actions_in_flight());
    Story story = story_in(written.str(), [&](policy::JobId job) { return roster.name(job, 1); });
    for (std::uint32_t job = 0; job < roster.jobs(); ++job) {
      story.jobs.push_back(roster.name({job}, 1));
    }
    story.is_unlike_accounts = has_long_name_;
    return story;
  }
  std::uint64_t stops() const { return stops_ + by_batch_; }
  std::uint64_t by_batch() const { return by_batch_; }
  std::uint64_t clones() const { return clones_; }

 private:
  void count(const live::AnsweredCall& call) {
    const bool worked = call.error.empty() || call.error == "(lost)";
    // One of a job that has ended is refused, and is done.
    const bool had_ended = call.error == "ValidationException";
    if (call.operation == "StopTrainingJob" && (worked || had_ended)) ++stops_;
    if (call.operation == "TerminateServiceJob" && worked) ++by_batch_;
    if (call.operation != "CreateTrainingJob") return;
    constexpr std::size_t longest_name = 63;
    has_long_name_ |= call.asked.at("TrainingJobName").get<std::string>().size() > longest_name;
    // A person can submit the same attempt before the rule does: then it is there, and is done.
    const bool was_there = call.error == "ResourceInUse";
    if (worked || was_there) ++clones_;
    if (!worked) return;
    const std::string name = call.asked.at("TrainingJobName");
    EXPECT_TRUE(created_.insert(name).second) << name << " was created twice";
  }
  /// Each action settled once, but for those in flight at the end.
  static void check(const live::ActionLog& log, std::size_t in_flight) {
    std::size_t open = 0;
    for (const auto& [id, standing] : log.standing()) open += standing.outcome.empty() ? 1U : 0U;
    EXPECT_LE(open, in_flight);
  }

  const scenarios::Scenario world_;
  scenarios::Scenario scenario_;  ///< the roster adds to its directory
  const scenarios::PolicySpec& policy_;
  policy::Instant until_;
  live::ScriptedEnvironment environment_;
  live::MockService service_;
  std::set<std::string> created_;
  std::uint64_t stops_ = 0;
  std::uint64_t by_batch_ = 0;  ///< stops
  std::uint64_t clones_ = 0;
  bool has_long_name_ = false;
};

/// Rules that start or place jobs see a queue, which SageMaker does not have.
bool can_be_rehearsed(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
  const models::World& world = scenario.world;
  if (world.platform.model != models::PlatformModel::sagemaker_training) return false;
  const bool alarms = std::ranges::any_of(
      policy.seats, [](const auto& seat) { return scenarios::puts_alarm(seat); });
  const models::Metrics& metrics = world.platform.metrics;
  const bool are_read = metrics.period == live::metric_sample && metrics.gpu_sum;
  // Calls about alarms have no faults: reeve evaluates its alarms itself.
  const models::Api& api = world.platform.api;
  const bool has_faults = api.throttled > 0 || api.rejected > 0 || api.lost_reply > 0 ||
                          !api.brownouts.empty() || !api.scripted.empty() || api.calls_per_s > 0 ||
                          !api.rates.empty();
  if (alarms && (!are_read || has_faults)) return false;
  // A call takes its time here too, but events of that time come after its reply.
  if (api.latency > policy::Duration{0}) return false;
  for (const scenarios::SeatSpec& seat : policy.seats) {
    if (seat.kind->schedules || seat.kind->places) return false;
  }
  for (const std::string& name : world.jobs.names) {
    if (name.find("-r") != std::string::npos) return false;
  }
  return true;
}

bool sends_other_calls(const Story& story) {
  using policy::VerbKind;
  return std::ranges::any_of(story.sent, [](VerbKind verb) {
    return verb != VerbKind::stop_job && verb != VerbKind::clone_job && verb != VerbKind::notify &&
           verb != VerbKind::put_alarm && verb != VerbKind::delete_alarm;
  });
}

/// The world with what an account has: samples per minute, and calls without latency.  Policies
/// with alarms have calls without faults.
scenarios::Scenario as_rehearsed(scenarios::Scenario scenario) {
  models::Platform& platform = scenario.world.platform;
  platform.metrics.period = live::metric_sample;
  platform.metrics.gpu_sum = true;
  platform.api.latency = policy::Duration{0};
  const bool any_alarms = std::ranges::any_of(scenario.policies, [](const auto& policy) {
    return std::ranges::any_of(policy.seats,
                               [](const auto& seat) { return scenarios::puts_alarm(seat); });
  });
  if (any_alarms) platform.api = {};
  return scenario;
}

struct Compared {
  std::uint64_t policies = 0;
  std::uint64_t stops = 0;
  std::uint64_t by_batch = 0;  ///< of these
  std::uint64_t clones = 0;
};

std::string first_difference(const std::string& got, const std::string& expected) {
  std::istringstream a{got};
  std::istringstream b{expected};
  std::string x;
  std::string y;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(a, x));
    const bool more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return {};
    if (!more_a) x = "(end)";
    if (!more_b) y = "(end)";
    if (x != y) return "live:      " + x + "\nsimulated: " + y;
  }
}

Compared compare(const scenarios::Scenario& scenario, std::uint64_t most) {
  Compared compared;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    if (compared.policies == most || !can_be_rehearsed(scenario, policy)) continue;
    const app::Recording recording = app::record_events(scenario, policy, false);
    const bool is_told = std::ranges::all_of(recording.left_out, [&](const auto& left) {
      return left.first == "capacity_changed" && left.second <= scenario.world.pools.size();
    });
    if (!is_told) continue;
    const Story expected = simulated(scenario, policy);
    if (expected.stops + expected.clones == 0 || sends_other_calls(expected)) continue;
    const auto days = std::chrono::days{number_from("REEVE_QUEUE_DAYS", 2)};
    const policy::Instant until = std::min(recording.end, recording.start + days);
    const std::filesystem::path file = std::filesystem::path{testing::TempDir()} /
                                       ("live_actions_test." + std::to_string(getpid()) + ".db");
    for (const char* part : {"", "-wal", "-shm", ".lock"}) {
      std::filesystem::remove(file.string() + part);
    }
    Rehearsed rehearsed{scenario, policy, until};
    const Story got = rehearsed.run(file.string());
    // Jobs have ids in the order of their first events, which those that are late change.
    const bool same_order = got.jobs.size() <= expected.jobs.size() &&
                            std::equal(got.jobs.begin(), got.jobs.end(), expected.jobs.begin());
    if (!same_order) continue;
    const std::string difference =
        first_difference(lines_before(until, got.lines), lines_before(until, expected.lines));
    if (!difference.empty() && (expected.is_unlike_accounts || got.is_unlike_accounts)) continue;
    ++compared.policies;
    EXPECT_EQ(difference, "") << policy.name;
    compared.stops += got.stops;
    compared.by_batch += rehearsed.by_batch();
    compared.clones += got.clones;
    EXPECT_LE(got.stops, rehearsed.stops());
    EXPECT_LE(got.clones, rehearsed.clones());
  }
  return compared;
}

class LiveActions : public EachSeed {};

/// At the beginning of a scenario: each job in a queue of AWS Batch.
constexpr const char* in_a_queue =
    R"("queues": [ { "name": "main" } ], "job_defaults": { "queue": "main" },)";

/// Adds what the worlds of a seed have, until `most` policies are compared.
void compare_worlds(std::uint64_t seed, std::uint64_t most, Compared& all,
                    const std::string& more = {}) {
  constexpr std::uint64_t worlds = 8;  // of a seed: until one can be rehearsed
  for (std::uint64_t nth = 0; nth < worlds && all.policies < most; ++nth) {
    std::string text = RandomScenario{worlds * seed + nth}.text();
    text.insert(text.find('{') + 1, more);
    const Compared some = compare(
        as_rehearsed(
            scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario),
        most - all.policies);
    all.policies += some.policies;
    all.stops += some.stops;
    all.by_batch += some.by_batch;
    all.clones += some.clones;
  }
}

TEST_F(LiveActions, HaveTheOutcomesOfTheSimulation) {
  const std::uint64_t most = number_from("REEVE_QUEUE_WORLDS", 20);
  Compared all;
  each_seed([&](std::uint64_t seed) { compare_worlds(seed, most, all); });
  std::cout << all.policies << " policies, " << all.stops << " stops, " << all.clones
            << " clones\n";
  if (number_from("REEVE_SEEDS", 300) < 300) return;
  EXPECT_GE(all.policies, 4u);
  EXPECT_GT(all.stops, 0u);
  EXPECT_GT(all.clones, 0u);
}

TEST_F(LiveActions, HaveTheOutcomesOfTheSimulationForServiceJobsOfAwsBatch) {
  const std::uint64_t most = number_from("REEVE_QUEUE_WORLDS", 5);
  Compared all;
  each_seed([&](std::uint64_t seed) { compare_worlds(seed, most, all, in_a_queue); });
  std::cout << all.policies << " policies, " << all.by_batch << " of " << all.stops
            << " stops by AWS Batch, " << all.clones << " clones\n";
  if (number_from("REEVE_SEEDS", 300) < 300) return;
  EXPECT_GE(all.policies, 2u);
  EXPECT_GT(all.by_batch, 0u);
}

/// Of further attempts: one with "clone" appended to its name, one after a person's, and one that a
/// person submits to a queue after a stop.
TEST(LiveActionsThatOnceDiffered, HaveTheOutcomesOfTheSimulation) {
  for (const auto& [seed, more] : {std::pair{6276U, ""}, {6555U, ""}, {255U, in_a_queue}}) {
    SCOPED_TRACE(seed);
    Compared all;
    compare_worlds(seed, 1, all, more);
    EXPECT_EQ(all.policies, 1U);
    EXPECT_GT(all.stops, 0U);
  }
}

TEST(LiveActionsOfShippedScenarios, HaveTheOutcomesOfTheSimulation) {
  Compared all;
  for (const std::filesystem::path& file : shipped_scenarios()) {
    SCOPED_TRACE(file);
    const Compared some = compare(scenarios::load(file.string()).scenario, 10);
    std::cout << file.filename() << ": " << some.policies << " policies, " << some.stops
              << " stops, " << some.clones << " clones\n";
    all.policies += some.policies;
    all.stops += some.stops;
    all.clones += some.clones;
  }
  EXPECT_GT(all.policies, 3U);
  EXPECT_GT(all.stops, 0U);
}

}  // namespace live_actions_test
}  // namespace reeve::tests
