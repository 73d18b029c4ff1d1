#include "experiments/explain/nearest_changes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <variant>

namespace reeve::experiments {
namespace nearest_changes_test {

using policy::OptionType;
using policy::Vary;
using std::chrono::hours;
using std::chrono::minutes;

policy::OptionSpec option(std::string_view name, OptionType type, Vary vary) {
  return {.name = name,
          .type = type,
          .unit = "",
          .default_json = "",
          .min = 0,
          .max = 1000,
          .choices = {},
          .help = "",
          .vary = vary};
}

/// As a plug-in has it: no part of the search knows the rule.
const policy::PolicyKind& kind() {
  static const policy::PolicyKind all{.name = "any",
                                      .summary = "",
                                      .source = "",
                                      .options = {option("count", OptionType::integer, Vary::up),
                                                  option("level", OptionType::number, Vary::either),
                                                  option("points", OptionType::integers, Vary::up),
                                                  option("fixed", OptionType::integer, Vary::no)}};
  return all;
}

scenarios::PolicySpec policy_of(std::int64_t count, double level) {
  scenarios::SeatSpec seat;
  seat.label = "rule";
  seat.kind = &kind();
  seat.options.set("count", count);
  seat.options.set("level", level);
  seat.options.set("points", std::vector<std::int64_t>{2, 3});
  seat.options.set("fixed", std::int64_t{1});
  return {"p", {seat}};
}

JobOutcome stopped_at(policy::Instant at) {
  JobOutcome outcome;
  outcome.attempts.emplace_back().end = at;
  outcome.stops.push_back({at, 1, "rule"});
  outcome.run_end = policy::Instant{hours{100}};
  return outcome;
}

JobOutcome spared() {
  JobOutcome outcome = stopped_at(policy::Instant{hours{50}});
  outcome.stops.clear();
  return outcome;
}

const policy::Options& options_of(const scenarios::PolicySpec& policy) {
  return policy.seats.front().options;
}

TEST(NearestChanges, FindsTheNearestValueOfEachThreshold) {
  const auto policy = policy_of(3, 80);
  int replays = 0;
  const Replay replay = [&](const scenarios::PolicySpec& other) -> std::optional<JobOutcome> {
    ++replays;
    const policy::Options& options = options_of(other);
    const bool spares = options.integer("count") >= 20 || options.number("level") < 70.5 ||
                        options.integers("points")[1] >= 8;
    return spares ? spared() : stopped_at(policy::Instant{hours{1}});
  };
  const auto found = nearest_changes(policy, stopped_at(policy::Instant{hours{1}}), replay);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->changes.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(found->changes[0].setting.set_to), 20);
  EXPECT_NEAR(std::get<double>(found->changes[1].setting.set_to), 70.4, 0.11);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(found->changes[2].setting.set_to),
            (std::vector<std::int64_t>{7, 8}));
  EXPECT_FALSE(found->changes[0].stop);
  EXPECT_TRUE(found->no_difference.empty());
  EXPECT_LE(replays, replays_at_most);
}

TEST(NearestChanges, NamesTheFirstValueThatStopsItLaterIfNoneSparesIt) {
  const auto policy = policy_of(3, 80);
  const Replay replay = [](const scenarios::PolicySpec& other) -> std::optional<JobOutcome> {
    return stopped_at(policy::Instant{hours{1}} +
                      minutes{5} * (options_of(other).integer("count") - 3));
  };
  const auto found = nearest_changes(policy, stopped_at(policy::Instant{hours{1}}), replay);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->changes.size(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(found->changes[0].setting.set_to), 4);
  EXPECT_EQ(found->changes[0].later, minutes{5});
  EXPECT_EQ(found->no_difference, (std::vector<std::string>{"level", "points"}));
}

TEST(NearestChanges, LooksAtTheFirstStopAndEndsWhenInterrupted) {
  const auto policy = policy_of(3, 80);
  JobOutcome twice = stopped_at(policy::Instant{hours{1}});
  twice.stops.push_back({policy::Instant{hours{9}}, 2, "rule"});
  int replays = 0;
  const Replay interrupted = [&](const scenarios::PolicySpec&) -> std::optional<JobOutcome> {
    ++replays;
    return std::nullopt;
  };
  const auto found = nearest_changes(policy, twice, interrupted);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stop.attempt, 1);
  EXPECT_TRUE(found->changes.empty());
  EXPECT_EQ(replays, 1);
  EXPECT_FALSE(nearest_changes(policy, spared(), interrupted));
}

}  // namespace nearest_changes_test
}  // namespace reeve::experiments
