// What attempts leave behind, under fire: gangs that lost machines and machines that nobody shut
// down, with news that is late, doubled and lost.  A rule with a scope ends those of its jobs once
// each and touches no other; a rule that only warns tells of each thing once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "host/tape.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace leftovers_under_fire_test {

/// What befalls a job, and who looks after it.
struct Planned {
  bool in_scope = false;
  bool loses_node = false;
  bool goes_on = false;  ///< with the machines that are left
};

/// Machines that are rented one by one, whose scripts mostly cannot shut them down.
class OwnWorld : private DrawnText {
 public:
  explicit OwnWorld(std::uint64_t seed) : DrawnText{seed, 8} {}

  std::string text() {
    from_the_start();
    plans.clear();
    const std::uint64_t count = between(2, 7);
    std::string jobs;
    for (std::uint64_t nth = 0; nth < count; ++nth) jobs += job(nth);
    return Written{
        "{{ \"reeve\": 1, \"name\": \"left-under-fire-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"4d\" }},\n"
        "\"random\": {{ \"seed\": {} }},\n"
        "\"prices\": {{ \"instances\": {{ \"big\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"fleet\": [ {{ \"name\": \"pool\", \"instance_type\": \"big\", \"capacity\": {} }} ],\n"
        "\"platform\": {{ \"model\": \"ec2\", \"provisioning\": \"{}s\", \"startup\": \"{}s\",\n"
        "  \"self_destruct_fails\": {}, \"duplicate_events\": 1,\n"
        "  \"events\": {{ \"jitter\": \"10m\", \"duplicate_within\": \"10m\", \"lost\": 0.05,\n"
        "    \"poll\": \"{}m\" }},\n"
        "  \"api\": {{ \"latency\": \"{}ms\", \"throttled\": 0.3, \"lost_reply\": 0.1 }} }},\n"
        "\"jobs\": [ {} ],\n"
        "\"policies\": {{ \"all\": [\n"
        "  {{ \"rule\": \"orphan_sweep\", \"every\": \"{}m\", \"gang_after\": \"3h\",\n"
        "    \"scope\": {{ \"tags\": [\"team=a\"] }} }},\n"
        "  {{ \"rule\": \"orphan_sweep\", \"name\": \"told\", \"mode\": \"warn\",\n"
        "    \"gang_after\": \"3h\" }} ] }} }}\n",
        seed_,
        seed_ + 1,
        8 * count,
        between(0, 60),
        between(0, 600),
        pick({"1", "0.5"}),
        between(5, 60),
        between(0, 3000),
        jobs,
        between(5, 60)}
        .text;
  }

  std::vector<Planned> plans;  ///< by job

 private:
  std::string job(std::uint64_t nth) {
    Planned plan;
    plan.in_scope = chance(0.5);
    plan.loses_node = chance(0.5);
    plan.goes_on = plan.loses_node && chance(0.5);
    plans.push_back(plan);
    const std::uint64_t instances = between(plan.loses_node ? 2 : 1, 4);
    // Short ones are over before their submission is told.
    const std::uint64_t work = plan.loses_node ? between(21'000, 60'000) : between(60, 20'000);
    const std::string fault =
        Written{", \"faults\": [ {{ \"at\": \"{}s\", \"kind\": \"node_lost\", \"hosts\": [{}] }} ]",
                between(60, 20'000), between(1, instances)}
            .text;
    return Written{
        "{}{{ \"name\": \"job-{}\", \"submit\": \"{}s\", \"instances\": {}, \"work\": \"{}s\",\n"
        "  \"checkpoint\": {{ \"every\": \"{}s\" }}, \"tags\": {{ \"team\": \"{}\" }}{}{} }}",
        nth == 0 ? "" : ",\n  ",
        nth,
        between(0, 7200),
        instances,
        work,
        between(300, 3600),
        plan.in_scope ? "a" : "b",
        plan.goes_on ? ", \"elastic\": { \"min\": 1, \"resize\": \"2m\" }" : "",
        plan.loses_node ? fault : ""}
        .text;
  }
};

/// What the journal says of the first attempt of a job.
struct Seen {
  std::uint32_t most_left = 0;                            ///< machines left over, at most
  std::uint32_t newest_left = 0;                          ///< and as last told
  std::array<int, 2> messages{};                          ///< by seat: delivered
  std::array<int, 2> accepted{};                          ///< by seat: anything else
  std::map<policy::VerbKind, std::pair<int, int>> swept;  ///< accepted and done, seat 0
};

std::map<policy::JobId, Seen> seen_in(const std::string& written) {
  std::istringstream journal{written};
  const host::JournalText text = host::read_journal(journal);
  std::map<policy::ActionId, const host::Accepted*> in_flight;
  std::map<policy::JobId, Seen> seen;
  for (const host::Entry& entry : text.entries) {
    if (const auto* news = std::get_if<policy::Observation>(&entry)) {
      if (const auto* left = std::get_if<policy::MachinesLeft>(&news->fact)) {
        Seen& of = seen[left->job];
        of.newest_left = left->instances;
        of.most_left = std::max(of.most_left, left->instances);
      }
    } else if (const auto* accepted = std::get_if<host::Accepted>(&entry)) {
      in_flight[accepted->action] = accepted;
      const policy::VerbKind kind = host::kind_of(accepted->verb);
      Seen& of = seen[host::target(accepted->verb).job];
      if (kind != policy::VerbKind::notify) ++of.accepted.at(accepted->seat.index);
      if (accepted->seat.index == 0) ++of.swept[kind].first;
    } else if (const auto* settled = std::get_if<host::Settled>(&entry)) {
      if (settled->outcome != policy::Outcome::done) continue;
      const host::Accepted& asked = *in_flight.at(settled->action);
      const policy::VerbKind kind = host::kind_of(asked.verb);
      Seen& of = seen[host::target(asked.verb).job];
      if (kind == policy::VerbKind::notify) ++of.messages.at(asked.seat.index);
      if (asked.seat.index == 0) ++of.swept[kind].second;
    }
  }
  return seen;
}

class UnderFireLeftBehind : public EachSeed {
 protected:
  void examine(const Planned& plan, Seen& of) {
    const bool waits = plan.loses_node && !plan.goes_on;
    const bool leaves = of.most_left > 0;
    const auto [stops, stopped] = of.swept[policy::VerbKind::stop_job];
    const auto [ends, ended] = of.swept[policy::VerbKind::terminate_instances];
    EXPECT_EQ(stops > 0, plan.in_scope && waits);
    EXPECT_LE(stopped, 1);
    EXPECT_EQ(ends > 0, plan.in_scope && leaves);
    EXPECT_LE(ended, 1);
    EXPECT_EQ(of.newest_left > 0, !plan.in_scope && leaves) << "an orphan, or none to be left";
    EXPECT_EQ(of.messages[0], 0);
    EXPECT_EQ(of.accepted[1], 0) << "who warns does nothing";
    // In its scope the other rule may be faster.
    const int things = (waits ? 1 : 0) + (leaves ? 1 : 0);
    EXPECT_LE(of.messages[1], things);
    if (!plan.in_scope) {
      EXPECT_EQ(of.messages[1], things);
    }
    ++met_[{plan.in_scope, waits, leaves}];
    if (plan.goes_on) ++gone_on_;
  }

  std::map<std::tuple<bool, bool, bool>, int> met_;
  int gone_on_ = 0;
};

TEST_F(UnderFireLeftBehind, IsEndedOnceByWhoseScopeItIsInAndToldOfOnce) {
  each_seed([&](std::uint64_t seed) {
    OwnWorld world{seed};
    const std::string text = world.text();
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("left.jsonc", text), ".").scenario;
    const Taped taped = run_taped(scenario, scenario.policies.back());
    EXPECT_TRUE(taped.result.muted.empty());
    std::map<policy::JobId, Seen> seen = seen_in(taped.journal);
    for (std::uint32_t index = 0; index < world.plans.size(); ++index) {
      const std::string name = taped.result.record.jobs.name({index});  // ids go by submission
      SCOPED_TRACE(name);
      examine(world.plans.at(std::stoul(name.substr(name.find('-') + 1))), seen[{index}]);
    }
  });
  EXPECT_GE(met_.size(), 6U) << "not everything was met";
  EXPECT_GT(gone_on_, 0);
}

}  // namespace leftovers_under_fire_test
}  // namespace reeve::tests
