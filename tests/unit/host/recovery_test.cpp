#include "host/recovery.hpp"

#include <gmock/gmock.h>

#include "host/tape.hpp"
#include "troubled_world.hpp"

namespace reeve::host {
namespace recovery_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t taste = 7;

JournalText read(const std::string& text) {
  std::istringstream stream{text};
  return read_journal(stream);
}

std::string lived_text() {
  Rig rig{busy_seats(taste), busy_guards()};
  TroubledWorld world{taste, 2};
  run(*rig.host, world, world, at(700s));
  return rig.lines();
}

/// Recovers from the first `bytes` of the journal and lives on as the journal says; the file in the
/// end.
std::string recover_and_go_on(const std::string& lived, const JournalText& whole,
                              std::size_t bytes) {
  JournalText rest = read(lived.substr(0, bytes));
  drop_incomplete_step(rest);
  const policy::Directory directory{.types = {{}}, .pools = {{.name = "pool"}}};
  std::ostringstream file;
  file << lived.substr(0, rest.bytes);
  Journal journal;
  journal.write_text_to(file, Journal::Flush::each_step, rest.lines());
  Host host{busy_seats(taste), Belief{directory}, {}, busy_guards(), journal};
  const Recovered recovered = recover(rest, host, journal);
  TapeFeed world{whole.entries};
  Intake known;
  for (std::uint64_t step = 0; step < recovered.steps; ++step) world.advance(policy::never, known);
  NullActuator actuator;
  run(host, world, actuator, at(700s));
  journal.flush_text();
  return file.str();
}

TEST(RecoveryTest, CutAtAnyLineTheContinuedJournalIsTheSame) {
  const std::string lived = lived_text();
  const JournalText whole = read(lived);
  ASSERT_GT(std::count(lived.begin(), lived.end(), '\n'), 150);
  for (std::size_t end = 0; end != std::string::npos; end = lived.find('\n', end + 1)) {
    const std::size_t bytes = end == 0 ? 0 : end + 1;
    ASSERT_EQ(recover_and_go_on(lived, whole, bytes), lived) << "cut after byte " << bytes;
  }
}

TEST(RecoveryTest, ACutInsideALineLosesOnlyThatLine) {
  const std::string lived = lived_text();
  const JournalText whole = read(lived);
  for (std::size_t bytes = 1; bytes < lived.size(); bytes += 97) {
    ASSERT_EQ(recover_and_go_on(lived, whole, bytes), lived) << "cut after byte " << bytes;
  }
}

class RecoveryOfOneStop : public testing::Test {
 protected:
  RecoveryOfOneStop() {
    std::vector<Seat> seats;
    seats.push_back(puppet_.in("a"));
    Rig rig{std::move(seats)};
    puppet_.wants(policy::StopJob{{0}, 1}, "stop");
    rig.step(5s, {submitted(0, 4s), training(0, 4s)});
    text_ = rig.lines();
    puppet_ = {};
  }
  Recovered recover_text(const std::string& text) {
    std::vector<Seat> seats;
    seats.push_back(puppet_.in("a"));
    Rig rig{std::move(seats)};
    puppet_.wants(policy::StopJob{{0}, 1}, "stop");
    const Recovered recovered = recover(read(text), *rig.host, rig.journal);
    busy_ = rig.status(0).busy;
    deadline_ = rig.host->next_deadline();
    return recovered;
  }
  std::string with(const std::string& old_part, const std::string& new_part) const {
    std::string text = text_;
    return text.replace(text.find(old_part), old_part.size(), new_part);
  }
  void expect_refused(const std::string& text, std::uint64_t line, const std::string& says) {
    try {
      recover_text(text);
      FAIL() << "expected a JournalError";
    } catch (const JournalError& error) {
      EXPECT_EQ(error.line, line) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(says));
    }
  }

  Puppet puppet_;
  std::string text_;
  bool busy_ = false;
  Instant deadline_;
};

TEST_F(RecoveryOfOneStop, TheLastStepsAttemptsAreToBeSentAgain) {
  const Recovered recovered = recover_text(text_);
  EXPECT_EQ(recovered.steps, 1U);
  ASSERT_THAT(recovered.attempts, SizeIs(1));
  EXPECT_EQ(recovered.attempts[0].action, action(1));
  EXPECT_EQ(recovered.attempts[0].number, 1U);
  EXPECT_TRUE(busy_) << "the action is in flight again";
  EXPECT_EQ(deadline_, at(35s)) << "and its time-out runs from when it was first sent";
}

TEST_F(RecoveryOfOneStop, AnotherDecisionThanRecordedIsAnErrorNamingTheLine) {
  expect_refused(with("reason=\"stop\"", "reason=\"other\""), 6,
                 "the recovering host writes: accept action=1");
}

TEST_F(RecoveryOfOneStop, ADecisionTheHostDoesNotMakeIsAnError) {
  expect_refused(
      text_ +
          "accept action=2 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken incident=1 "
          "reason=\"stop\"\n"
          "step now=6000000000 observations=0 replies=0\n",
      8, "does not write this");
}

TEST_F(RecoveryOfOneStop, OtherSeatsAreAnError) {
  expect_refused(with("rule=\"a_rule\"", "rule=\"b_rule\""), 2, "seat seat=0");
}

TEST_F(RecoveryOfOneStop, IdsTheDirectoryDoesNotHaveAreAnError) {
  expect_refused(with("tags=0", "tags=9"), 4, "an id that the directory does not have");
  expect_refused(
      with("job_changed at=4000000000 job=0", "job_changed at=4000000000 job=4000000000"), 5,
      "an id that the directory does not have");
}

TEST_F(RecoveryOfOneStop, AQueueTheDirectoryDoesNotHaveIsAnError) {
  const std::string step = text_ + "step now=6000000000 observations=1 replies=0\n";
  const policy::QueueBlocked blocked{{0}, 1, {0}, policy::Blockage::capacity};
  expect_refused(step + print(Observation{at(6s), blocked}) + "\n", 9,
                 "an id that the directory does not have");
}

TEST_F(RecoveryOfOneStop, WhatOnlyTheHostTellsItsSeatsIsAnError) {
  const std::string step = text_ + "step now=6000000000 observations=1 replies=0\n";
  const policy::ActionSettled settled{action(1), {}, {}, {0}, {4'000'000'000U}, 1};
  for (const policy::Fact& fact : {policy::Fact{settled}, {policy::TimerFired{1}}}) {
    expect_refused(step + print(Observation{at(6s), fact}) + "\n", 9,
                   "only the host itself creates");
  }
}

TEST_F(RecoveryOfOneStop, StepsOutOfOrderAreAnError) {
  expect_refused(text_ + "step now=4000000000 observations=0 replies=0\n", 8, "before");
  expect_refused(text_ + std::string{"step now=5000000000 observations=0 replies=0\n"} +
                     "capacity_changed at=0 pool=0 instances=1\n",
                 9, "more observations");
  expect_refused(with("replies=0", "replies=1"), 6, "expected a reply");
}

/// Wants a stop that nobody answers, and asks again whenever it has expired.
Seat insistent() {
  return seat("insistent", [](const policy::Step& step, policy::Decisions& out) {
    for (const Observation& seen : step.observed) {
      const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
      const bool expired = settled != nullptr && settled->outcome == Outcome::expired;
      const bool starts = std::holds_alternative<policy::JobSubmitted>(seen.fact);
      if (expired || starts) out.propose(policy::StopJob{{0}, 1}, "stop");
    }
  });
}

TEST(RecoveryTest, AReplayEndsWithItsTapeThoughTheHostWaitsForMore) {
  std::vector<Seat> seats;
  seats.push_back(insistent());
  Rig lived{std::move(seats)};
  lived.step(0s, {submitted(0)});
  lived.step(30s);
  seats.clear();
  seats.push_back(insistent());
  Rig replayed{std::move(seats)};
  std::istringstream text{lived.lines()};
  const JournalText recorded = read_journal(text);
  TapeFeed tape{recorded.entries};
  NullActuator actuator;
  int steps = 0;
  run(*replayed.host, tape, actuator, policy::never, [&] { return ++steps > 100; });
  EXPECT_EQ(replayed.lines(), lived.lines());
}

TEST_F(RecoveryOfOneStop, AnEmptyJournalIsAFreshStart) {
  const Recovered recovered = [&] {
    std::vector<Seat> seats;
    seats.push_back(puppet_.in("a"));
    Rig rig{std::move(seats)};
    return recover(JournalText{}, *rig.host, rig.journal);
  }();
  EXPECT_EQ(recovered.steps, 0U);
  EXPECT_THAT(recovered.attempts, IsEmpty());
}

}  // namespace recovery_test
}  // namespace reeve::host
