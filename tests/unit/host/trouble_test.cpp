// What must hold of a host whatever a troubled world does to it.
#include <gmock/gmock.h>

#include <map>

#include "host/tape.hpp"
#include "troubled_world.hpp"

namespace reeve::host {
namespace trouble_test {

/// Counts the life of every decision.
class Lives final : public Journal::Listener {
 public:
  std::map<std::uint64_t, int> decided;
  std::map<std::uint64_t, int> accepted;
  std::map<std::uint64_t, int> settled;

  void on_entry(const Entry& entry) override {
    if (const auto* accept = std::get_if<Accepted>(&entry)) {
      ++decided[accept->action.value];
      ++accepted[accept->action.value];
    } else if (const auto* refuse = std::get_if<Refused>(&entry)) {
      ++decided[refuse->action.value];
    } else if (const auto* shadow = std::get_if<Shadowed>(&entry)) {
      ++decided[shadow->action.value];
    } else if (const auto* warn = std::get_if<Warned>(&entry)) {
      ++decided[warn->action.value];
    } else if (const auto* settle = std::get_if<Settled>(&entry)) {
      ++settled[settle->action.value];
    }
  }
};

class Trouble : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Trouble, EveryActionIsSettledOnceAndEverySeatIsToldOnce) {
  std::map<std::uint64_t, int> told;
  std::vector<Seat> seats = busy_seats(GetParam());
  seats.push_back(seat("witness", [&](const policy::Step& step, policy::Decisions&) {
    for (const Observation& seen : step.observed) {
      if (const auto* fact = std::get_if<policy::ActionSettled>(&seen.fact)) {
        ++told[fact->action.value];
      }
    }
  }));
  Rig rig{std::move(seats), busy_guards()};
  Lives lives;
  rig.journal.set_listener(&lives);
  TroubledWorld world{GetParam(), 20};
  run(*rig.host, world, world, policy::never);
  rig.step(rig.host->now().time_since_epoch());  // what was refused in the last step
  EXPECT_GT(lives.accepted.size(), 50U);
  EXPECT_EQ(lives.settled, lives.accepted);
  EXPECT_EQ(told, lives.decided);
  for (const auto& [id, times] : lives.decided) EXPECT_EQ(times, 1) << id;
  EXPECT_EQ(rig.host->actions_in_flight(), 0U);
  for (std::uint32_t job = 0; job < 20; ++job) EXPECT_FALSE(rig.status(job).busy);
}

TEST_P(Trouble, BeliefNeverGoesBack) {
  std::map<std::uint32_t, std::pair<AttemptNumber, std::uint32_t>> newest;
  int steps = 0;
  std::vector<Seat> seats = busy_seats(GetParam());
  seats.push_back(seat("witness", [&](const policy::Step& step, policy::Decisions&) {
    ++steps;
    for (std::uint32_t job = 0; job < step.fleet.job_count(); ++job) {
      const policy::JobStatus& status = step.fleet.status({job});
      const std::pair now{status.attempt, status.revision};
      EXPECT_GE(now, newest[job]);
      newest[job] = now;
    }
  }));
  Rig rig{std::move(seats), busy_guards()};
  TroubledWorld world{GetParam(), 20};
  run(*rig.host, world, world, policy::never);
  EXPECT_GT(steps, 100);
}

TEST_P(Trouble, AtMostOneMutatingActionPerJobIsInFlight) {
  class Flights final : public Journal::Listener {
   public:
    std::map<std::uint64_t, std::uint32_t> job_of;
    std::map<std::uint32_t, int> in_flight;
    void on_entry(const Entry& entry) override {
      if (const auto* accept = std::get_if<Accepted>(&entry)) {
        if (!changes_job(accept->verb)) return;
        job_of[accept->action.value] = target(accept->verb).job.index;
        EXPECT_EQ(++in_flight[target(accept->verb).job.index], 1);
      } else if (const auto* settle = std::get_if<Settled>(&entry)) {
        const auto found = job_of.find(settle->action.value);
        if (found != job_of.end()) --in_flight[found->second];
      }
    }
  } flights;
  Rig rig{busy_seats(GetParam()), busy_guards()};
  rig.journal.set_listener(&flights);
  TroubledWorld world{GetParam(), 20};
  run(*rig.host, world, world, policy::never);
  EXPECT_GT(flights.job_of.size(), 20U);
}

TEST_P(Trouble, ReplayingTheTapeGivesTheSameJournal) {
  Rig lived{busy_seats(GetParam()), busy_guards()};
  TroubledWorld world{GetParam(), 20};
  run(*lived.host, world, world, at(1000s));
  std::istringstream text{lived.lines()};
  const JournalText recorded = read_journal(text);
  Rig replayed{busy_seats(GetParam()), busy_guards()};
  TapeFeed tape{recorded.entries};
  NullActuator actuator;
  run(*replayed.host, tape, actuator, at(1000s));
  EXPECT_EQ(replayed.lines(), lived.lines());
  EXPECT_EQ(replayed.journal.digest(), lived.journal.digest());
}

TEST_P(Trouble, TheJournalReadsBackByteForByte) {
  Rig rig{busy_seats(GetParam()), busy_guards()};
  TroubledWorld world{GetParam(), 20};
  run(*rig.host, world, world, policy::never);
  std::istringstream text{rig.lines()};
  const JournalText recorded = read_journal(text);
  std::string again = std::string{journal_header} + '\n';
  Journal copy;
  for (const Entry& entry : recorded.entries) {
    (again += print(entry)) += '\n';
    copy.write(entry);
  }
  EXPECT_EQ(again, rig.lines());
  EXPECT_EQ(copy.digest(), rig.journal.digest());
  EXPECT_EQ(recorded.bytes, again.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Trouble, testing::Range<std::uint64_t>(1, 41));

}  // namespace trouble_test
}  // namespace reeve::host
