// Idempotency under fire: every event twice, out of order, some lost, and an API that throttles.
// Each incident still gets exactly one effective action.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "host/tape.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace under_fire_test {

/// What befalls a job: at most one thing, and only its first attempt.
enum class Incident : std::uint8_t { none, untagged, stall, failure, overrun };

/// A world whose only trouble is known, and a control plane that has all of it.
class World : private DrawnText {
 public:
  explicit World(std::uint64_t seed) : DrawnText{seed, 7} {}

  std::string text() {
    from_the_start();
    incidents.clear();
    const std::uint64_t count = between(2, 7);
    std::string jobs;
    for (std::uint64_t nth = 0; nth < count; ++nth) jobs += job(nth);
    return Written{
        "{{ \"reeve\": 1, \"name\": \"under-fire-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"until_done\" }},\n"
        "\"random\": {{ \"seed\": {} }},\n"
        "\"prices\": {{ \"instances\": {{ \"big\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"fleet\": [ {{ \"name\": \"pool\", \"instance_type\": \"big\", \"capacity\": {} }} ],\n"
        "\"platform\": {{ \"model\": \"sagemaker-training\", \"startup\": \"{}s\",\n"
        "  \"stop_grace\": \"{}s\", \"duplicate_events\": 1, \"events\": {{ \"jitter\": \"10m\",\n"
        "  \"duplicate_within\": \"10m\", \"lost\": 0.05, \"poll\": \"{}m\" }},\n"
        "  \"api\": {{ \"latency\": \"{}ms\", \"throttled\": 0.3, \"lost_reply\": 0.1 }},\n"
        "  \"metrics\": {{ \"publish_delay\": \"60s\" }} }},\n"
        "\"jobs\": [ {} ],\n"
        "\"policies\": {{ \"all\": [\n"
        "  {{ \"rule\": \"required_tags\", \"keys\": [\"team\"] }},\n"
        "  {{ \"rule\": \"max_runtime\", \"limit\": \"30h\", \"enforce_by\": \"{}\" }},\n"
        "  {{ \"rule\": \"stalled_gpu\", \"action\": {{ \"latency\": \"{}s\" }},\n"
        "    \"disarm_on\": [\"Completed\", \"Failed\", \"Stopped\", \"MaxRuntimeExceeded\",\n"
        "    \"MaxWaitTimeExceeded\"] }},\n"
        "  {{ \"rule\": \"resume\", \"when\": [\"failed\", \"stopped_by:stalled_gpu\"],\n"
        "    \"min_runtime\": \"0s\", \"max_resumes\": 9, \"backoff\": \"{}m\" }} ] }} }}\n",
        seed_,
        seed_ + 1,
        2 * count,
        between(0, 600),
        between(0, 120),
        between(5, 60),
        between(0, 3000),
        jobs,
        pick({"platform", "clock"}),
        between(0, 60),
        between(0, 20)}
        .text;
  }

  std::vector<Incident> incidents;  ///< by job

 private:
  std::string job(std::uint64_t nth) {
    const auto incident = static_cast<Incident>(between(0, 4));
    incidents.push_back(incident);
    const std::uint64_t at = between(60, 20'000);
    const std::string fault = Written{", \"faults\": [ {{ \"at\": \"{}s\", \"kind\": \"{}\" }} ]",
                                      at, incident == Incident::stall ? "stall" : "failure"}
                                  .text;
    const bool strikes = incident == Incident::stall || incident == Incident::failure;
    return Written{
        "{}{{ \"name\": \"job-{}\", \"submit\": \"{}s\", \"instances\": {}, \"work\": \"{}s\",\n"
        "  \"checkpoint\": {{ \"every\": \"{}s\" }}{}{}, \"max_runtime\": \"3d\" }}",
        nth == 0 ? "" : ",\n  ",
        nth,
        between(0, 7200),
        between(1, 2),
        incident == Incident::overrun ? between(120'000, 200'000) : between(21'000, 60'000),
        between(300, 3600),
        incident == Incident::untagged ? "" : ", \"tags\": { \"team\": \"search\" }",
        strikes ? fault : ""}
        .text;
  }
};

using JobAttempt = std::pair<policy::JobId, policy::AttemptNumber>;

/// What became of the actions of one kind on one attempt.
struct Asked {
  int accepted = 0;
  int done = 0;  ///< settled so; one that expired may have worked all the same
};
using Actions = std::map<std::pair<policy::VerbKind, JobAttempt>, Asked>;

Actions actions_of(const std::string& written) {
  std::istringstream journal{written};
  std::map<policy::ActionId, Asked*> in_flight;
  Actions actions;
  const host::JournalText text = host::read_journal(journal);
  for (const host::Entry& entry : text.entries) {
    if (const auto* accepted = std::get_if<host::Accepted>(&entry)) {
      const host::Target about = host::target(accepted->verb);
      Asked& asked = actions[{host::kind_of(accepted->verb), {about.job, about.attempt}}];
      ++asked.accepted;
      in_flight[accepted->action] = &asked;
    } else if (const auto* settled = std::get_if<host::Settled>(&entry)) {
      if (settled->outcome == policy::Outcome::done) ++in_flight.at(settled->action)->done;
    }
  }
  return actions;
}

int attempts_of(Incident incident) {
  return incident == Incident::stall || incident == Incident::failure ? 2 : 1;
}

/// No two attempts write one path of checkpoints: each was over before the next was asked for.
void expect_one_after_the_other(const std::vector<models::AttemptRow>& rows) {
  std::map<policy::JobId, const models::AttemptRow*> before;
  std::set<JobAttempt> seen;
  for (const models::AttemptRow& row : rows) {
    EXPECT_TRUE(seen.insert({row.job, row.number}).second) << "an attempt was made twice";
    const auto [last, first] = before.try_emplace(row.job, &row);
    if (!first) {
      EXPECT_EQ(row.number, last->second->number + 1);
      EXPECT_GE(row.requested, last->second->end) << "two attempts of a job at once";
      last->second = &row;
    }
  }
}

class UnderFire : public EachSeed {};

TEST_F(UnderFire, EachIncidentGetsExactlyOneEffectiveAction) {
  std::map<Incident, std::uint64_t> met;
  each_seed([&](std::uint64_t seed) {
    World world{seed};
    const std::string text = world.text();
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("fire.jsonc", text), ".").scenario;
    const Taped taped = run_taped(scenario, scenario.policies.back());
    expect_one_after_the_other(taped.result.record.attempts);
    const Actions actions = actions_of(taped.journal);
    const auto asked = [&](policy::VerbKind kind, policy::JobId job,
                           policy::AttemptNumber attempt) {
      const auto found = actions.find({kind, {job, attempt}});
      return found == actions.end() ? Asked{} : found->second;
    };
    std::map<JobAttempt, models::EndReason> ends;
    for (const models::AttemptRow& row : taped.result.record.attempts) {
      ends[{row.job, row.number}] = row.reason;
    }
    for (std::uint32_t index = 0; index < world.incidents.size(); ++index) {
      SCOPED_TRACE("job-" + std::to_string(index));
      const policy::JobId job{index};
      const std::string name = taped.result.record.jobs.name(job);  // ids go by submission
      const Incident incident = world.incidents.at(std::stoul(name.substr(name.find('-') + 1)));
      ++met[incident];
      const models::JobRow& row = taped.result.record.job_rows[index];
      EXPECT_EQ(row.attempts, attempts_of(incident));
      const bool done = incident != Incident::untagged && incident != Incident::overrun;
      EXPECT_EQ(row.status == policy::Primary::completed, done);
      const bool cut = asked(policy::VerbKind::limit_runtime, job, 1).done == 1;
      const bool stops = incident == Incident::untagged || incident == Incident::stall ||
                         (incident == Incident::overrun && !cut);
      const bool clones = attempts_of(incident) == 2;
      EXPECT_EQ((ends.at({job, 1}) == models::EndReason::stopped), stops);
      const Asked stop = asked(policy::VerbKind::stop_job, job, 1);
      const Asked clone = asked(policy::VerbKind::clone_job, job, 2);
      EXPECT_EQ(stop.accepted > 0, stops);
      EXPECT_EQ(clone.accepted > 0, clones);
      EXPECT_LE(stop.done, 1);
      EXPECT_LE(clone.done, 1);
      EXPECT_EQ(asked(policy::VerbKind::stop_job, job, 2).accepted, 0);
      EXPECT_EQ(asked(policy::VerbKind::clone_job, job, 3).accepted, 0);
    }
    for (const models::AlarmRow& alarm : taped.result.record.alarms) {
      EXPECT_NE(alarm.deleted, policy::never) << "an alarm was left behind";
    }
  });
  const bool many = number_from("REEVE_SEEDS", 300) >= 30;
  EXPECT_TRUE(met.size() == 5U || !many) << "not every trouble was met";
}

}  // namespace under_fire_test
}  // namespace reeve::tests
