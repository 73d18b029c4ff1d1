// The slices of a timeline are the ledger: they have its dollars and its time, and those of one row
// do not overlap.
#include "report/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "experiments/run.hpp"
#include "report/job_times.hpp"
#include "scenarios/load.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/random_ticks.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace timeline_property_test {

using models::Charge;
using policy::Instant;
using report::JobSlice;

/// By class, in micro-dollars and in instance-nanoseconds.
struct Totals {
  std::map<std::string_view, std::int64_t> micros;
  std::map<std::string_view, Charge> time;
  std::map<std::string_view, Charge> slack;  ///< what rounding to microseconds can change

  void add(const JobSlice& slice) {
    const Charge instances{slice.instances};
    micros[slice.name] += slice.usd.micros();
    time[slice.name] += instances * (slice.until - slice.from).count();
    slack[slice.name] += instances * 2'000;
  }
};

/// Slices of a row are sorted and do not overlap.
void check_rows(const std::vector<JobSlice>& slices) {
  std::map<std::uint32_t, Instant> ends;
  for (const JobSlice& slice : slices) {
    EXPECT_LE(slice.from, slice.until) << slice.name;
    const auto end = ends.try_emplace(slice.lane, slice.from).first;
    EXPECT_LE(end->second, slice.from) << slice.name << " in row " << slice.lane;
    end->second = slice.until;
  }
}

/// The instances of an attempt do one thing at a time, unless some of a gang leave or are orphaned.
void check_attempts(const std::vector<JobSlice>& slices) {
  std::map<policy::AttemptNumber, Instant> ends;
  for (const JobSlice& slice : slices) {
    const bool goes_on = slice.name == models::name(models::Use::orphan) ||
                         slice.name == models::name(models::Use::drain);
    if (goes_on) continue;
    const auto end = ends.try_emplace(slice.attempt, slice.from).first;
    EXPECT_LE(end->second, slice.from) << slice.name << " of attempt " << slice.attempt;
    end->second = slice.until;
  }
}

/// The wait for the first instances is that of the table `jobs`.
void check_waits(const models::World& world, const models::Record& record, policy::JobId job,
                 const std::vector<JobSlice>& slices) {
  const models::JobRow& row = record.job_rows[job.index];
  if (row.first_start == policy::never) return;
  policy::Duration before{0};
  bool is_reserved = false;  // their provisioning is paid for: startup
  for (const JobSlice& slice : slices) {
    is_reserved = is_reserved || policy::is_reserved(world.pools[slice.pool.index].market);
    if (slice.billed || slice.from >= row.first_start) continue;
    EXPECT_NE(slice.name, report::requeue_slice);
    before += slice.until - slice.from;
  }
  const policy::Duration wait = row.first_start - record.jobs.specs[job.index].submit;
  constexpr std::chrono::microseconds rounding{2};
  EXPECT_LE(before, wait + rounding) << record.jobs.name(job);
  if (row.attempts == 1 && !is_reserved) {
    EXPECT_GE(before, wait - rounding) << record.jobs.name(job);
  }
}

Totals totals_of(const report::RunNames& names) {
  const report::JobTimes times{names};
  const report::RunRows& run = names.rows();
  Totals totals;
  for (std::uint32_t job = 0; job < run.record.job_rows.size(); ++job) {
    const std::vector<JobSlice> slices = times.of({job});
    check_rows(slices);
    check_waits(run.world, run.record, {job}, slices);
    if (!names.profile({job}).elastic) check_attempts(slices);
    for (const JobSlice& slice : slices) {
      if (slice.billed) totals.add(slice);
    }
  }
  for (std::uint32_t pool = 0; pool < run.world.pools.size(); ++pool) {
    const std::vector<JobSlice> slices = times.idle({pool});
    check_rows(slices);
    for (const JobSlice& slice : slices) totals.add(slice);
  }
  return totals;
}

/// The time of lines of instances that cost something is the time of each use, which the model
/// counts by itself.
void check_held(const models::Record& record) {
  std::array<Charge, models::use_count> time{};
  for (const models::LedgerLine& line : record.ledger_lines) {
    EXPECT_LE(line.held, line.until - line.from);
    time[static_cast<std::size_t>(line.use)] += Charge{line.instances} * line.held.count();
  }
  for (std::size_t use = 0; use < models::use_count; ++use) {
    if (static_cast<models::Use>(use) == models::Use::idle_reserved || record.waived > 0) continue;
    EXPECT_TRUE(time[use] == record.use_time[use]) << models::name(static_cast<models::Use>(use));
  }
}

/// Checks one run of each policy; the answer is how many ledger lines were looked at.
std::size_t check_timeline(const scenarios::Scenario& scenario) {
  std::size_t lines = 0;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    SCOPED_TRACE(scenario.name + ", " + policy.name);
    const auto result =
        experiments::run(scenario, policy, 0, {.keep = report::kept_for_timeline()});
    const models::Record& record = result.record;
    report::RunInfo info;
    info.policy = policy.name;
    const report::RunRows run{info, scenario.world, record, {}};
    const Totals totals = totals_of(report::RunNames{run});
    const auto uses = models::apportion(record.ledger.uses());
    std::map<std::string_view, Charge> held;
    for (const models::LedgerLine& line : record.ledger_lines) {
      held[models::name(line.use)] += Charge{line.instances} * line.held.count();
    }
    for (std::size_t use = 0; use < models::use_count; ++use) {
      const std::string_view name = models::name(static_cast<models::Use>(use));
      const auto found = totals.micros.find(name);
      EXPECT_EQ(found == totals.micros.end() ? 0 : found->second, uses[use].micros()) << name;
      if (found == totals.micros.end()) continue;
      const Charge difference = totals.time.at(name) - held[name];
      EXPECT_TRUE(difference <= totals.slack.at(name) && -difference <= totals.slack.at(name))
          << name;
    }
    check_held(record);
    lines += record.ledger_lines.size();
  }
  return lines;
}

TEST(TimelineTotals, SumOverScenarios) {
  std::size_t lines = 0;
  for (const char* const folder : {"/scenarios/gallery", "/tests/scenarios", "/tests/rules"}) {
    const std::filesystem::path path = std::string{REEVE_SOURCE_DIR} + folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{path}) {
      if (entry.path().extension() != ".jsonc") continue;
      lines += check_timeline(scenarios::load(entry.path()).scenario);
    }
  }
  EXPECT_GT(lines, 1500u) << "nothing was looked at";
}

class TimelineProperty : public EachSeed {};

TEST_F(TimelineProperty, SumsInRandomWorlds) {
  std::size_t lines = 0;
  each_seed([&](std::uint64_t seed) {
    const std::string text = seed % 4 == 0 ? RandomTicks{seed}.text() : RandomScenario{seed}.text();
    lines += check_timeline(
        scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario);
  });
  EXPECT_GT(lines, 0u) << "nothing was looked at";
}

/// The price of an hour, the instances and the length of a slice are its dollars where the price is
/// constant and nothing is rounded.
TEST(TimelineTotals, AreTimeAndPriceInTheGallery) {
  std::size_t looked_at = 0;
  for (const char* const name : {"stalled-weekend", "failures", "head-of-line"}) {
    const auto scenario =
        scenarios::load(std::string{REEVE_SOURCE_DIR "/scenarios/gallery/"} + name + ".jsonc")
            .scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      const auto result =
          experiments::run(scenario, policy, 0, {.keep = report::kept_for_timeline()});
      report::RunInfo info;
      const report::RunRows run{info, scenario.world, result.record, {}};
      const report::RunNames names{run};
      const report::JobTimes times{names};
      for (std::uint32_t job = 0; job < result.record.job_rows.size(); ++job) {
        for (const JobSlice& slice : times.of({job})) {
          if (!slice.billed) continue;
          const auto due =
              models::to_usd(models::charge(scenario.world.pools[slice.pool.index].price,
                                            slice.instances, slice.until - slice.from));
          EXPECT_NEAR(static_cast<double>(slice.usd.micros()), static_cast<double>(due.micros()),
                      2.0 + 0.02 * slice.instances)
              << name << ", " << policy.name << ", " << slice.name;
          ++looked_at;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 50u);
}

}  // namespace timeline_property_test
}  // namespace reeve::tests
