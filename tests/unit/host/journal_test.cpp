#include "host/journal.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "host/enum_names.hpp"
#include "scripted_host.hpp"

namespace reeve::host {
namespace journal_test {

using testing::HasSubstr;
using testing::SizeIs;

JournalText read(const std::string& lines) {
  std::istringstream text{"reeve-journal 2\n" + lines};
  return read_journal(text);
}

/// One entry of every kind, fact and verb, with values at the ends of their ranges.
std::vector<Entry> one_of_each() {
  const Instant first = Instant::min();
  std::vector<Entry> all = {
      SeatListed{{3}, "a \"b\" \\ \n\x7f ü", "", -5, Mode::shadow},
      StepBegun{policy::never, 4'294'967'295U, 0},
      Observation{
          first,
          policy::JobSubmitted{{1},
                               2,
                               policy::Origin::rule,
                               {at(1ns), 2ns, Duration::max(), 8ns, 3, {4}, {5}, {6}, -7, true}}},
      Observation{at(0s), policy::JobChanged{{1},
                                             65535,
                                             7,
                                             Primary::failed,
                                             Secondary::other,
                                             policy::FailureClass::out_of_memory,
                                             3}},
      Observation{at(0s), policy::JobPlaced{{1}, 2, {3}}},
      Observation{at(0s), policy::ProgressReported{{1}, 2, 3ns, 4ns, true, {5}}},
      Observation{at(0s), policy::SpotNotice{{1}, 2, policy::SpotSignal::rebalance, at(3ns), 4}},
      Observation{at(0s), policy::NodesLost{{1}, 2, 3, 4}},
      Observation{at(0s), policy::TrainingReported{{1}, 2, 3ns, true, 0.1}},
      Observation{at(0s), policy::AlarmChanged{{{1}, 2, 3}, 4, policy::AlarmState::alarm}},
      Observation{at(0s), policy::CapacityChanged{{1}, 2}},
      Observation{at(0s), policy::KillSwitchChanged{true}},
      Observation{at(0s), policy::TimerFired{std::numeric_limits<std::uint64_t>::max()}},
      Observation{at(0s),
                  policy::ActionSettled{
                      action(9), policy::VerbKind::clone_job, Outcome::partly_done, {1}, {2}, 3}},
      Reply{action(5), 6, ReplyKind::unknown},
      Refused{action(1), {0}, policy::Notify{{1}, 1}, "r", Why::moot, {}, {}},
      Refused{action(1), {0}, policy::Notify{{1}, 1}, "r", Why::conflict, action(7), {}},
      Refused{action(1), {0}, policy::Notify{{1}, 1}, "r", Why::guard, {}, "g"},
      Shadowed{action(1), {0}, policy::StopJob{{1}, 1}, "r"},
      Warned{action(1), {0}, policy::StopJob{.job = {1}, .incident = 7}, std::string_view{}},
      Accepted{action(1), {0}, policy::StopJob{{1}, 1}, "r", "tag team is \"none\""},
      Refused{action(1), {0}, policy::Notify{{1}, 1}, "r", Why::guard, {}, "g", "for 3h"},
      Attempted{action(1), 2},
      Settled{action(1), Outcome::expired},
  };
  for (const double threshold :
       {0.0, -0.0, 0.1, 1e300, 5e-324, std::numeric_limits<double>::quiet_NaN(),
        -std::numeric_limits<double>::infinity(), 80.0}) {
    policy::AlarmRule rule;
    rule.threshold = threshold;
    rule.missing = policy::MissingData::not_breaching;
    all.push_back(Accepted{action(1), {2}, policy::PutAlarm{{{1}, 2, 3}, 4, rule}, "alarm"});
  }
  for (const policy::Verb& verb : {policy::Verb{policy::StartJob{{1}, 2}},
                                   {policy::StopJob{{1}, 2}},
                                   {policy::CloneJob{{1}, 2, policy::ResumeFrom::scratch, false}},
                                   {policy::CloneJob{{1}, 2, {}, true, policy::PoolId{0}}},
                                   {policy::PlaceJob{{1}, 2, {3}}},
                                   {policy::MoveJob{{1}, 2, false, {3}}},
                                   {policy::TerminateInstances{{1}, 2}},
                                   {policy::LimitRuntime{{1}, 2, -3ns}},
                                   {policy::DeleteAlarm{{{1}, 2, 3}}}}) {
    all.push_back(Accepted{action(1), {2}, verb, "verb"});
  }
  return all;
}

TEST(JournalTest, EveryKindOfEntryReadsBack) {
  for (const Entry& entry : one_of_each()) {
    const std::string line = print(entry);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const JournalText back = read(line + "\n");
    ASSERT_THAT(back.entries, SizeIs(1)) << line;
    EXPECT_EQ(print(back.entries[0]), line);
    EXPECT_EQ(back.entries[0].index(), entry.index());
    Journal one;
    Journal other;
    one.write(entry);
    other.write(back.entries[0]);
    EXPECT_EQ(one.digest(), other.digest()) << line;
  }
}

TEST(JournalTest, LinesLookAsDocumented) {
  EXPECT_EQ(print(StepBegun{at(1s), 3, 1}), "step now=1000000000 observations=3 replies=1");
  EXPECT_EQ(print(Observation{
                at(2ns), policy::JobChanged{{4}, 1, 2, Primary::in_progress, Secondary::training}}),
            "job_changed at=2 job=4 attempt=1 revision=2 primary=in_progress secondary=training "
            "failure=none interruptions=0");
  EXPECT_EQ(
      print(Observation{at(2ns), policy::QueueBlocked{{4}, 1, {2}, policy::Blockage::environment}}),
      "queue_blocked at=2 job=4 attempt=1 queue=2 by=environment");
  EXPECT_EQ(print(Accepted{action(8), {1}, policy::CloneJob{{2}, 3}, "r"}),
            "accept action=8 seat=1 verb=clone_job job=2 attempt=3 from=last_checkpoint "
            "keep_tags=true pool=none max_runtime=0 reason=\"r\"");
  EXPECT_EQ(print(Accepted{action(8), {1}, policy::LimitRuntime{{2}, 1, 5s}, "say \"why\""}),
            "accept action=8 seat=1 verb=limit_runtime job=2 attempt=1 limit=5000000000 "
            "reason=\"say \\\"why\\\"\"");
  EXPECT_EQ(print(Accepted{action(8), {1}, policy::LimitRuntime{{2}, 1, 5s}, "r", "for 3h"}),
            "accept action=8 seat=1 verb=limit_runtime job=2 attempt=1 limit=5000000000 "
            "basis=\"for 3h\" reason=\"r\"");
}

TEST(JournalTest, EveryEnumeratorHasItsOwnName) {
  EXPECT_EQ(name_of(Secondary::max_wait_time_exceeded), "max_wait_time_exceeded");
  EXPECT_EQ(name_of(Secondary::other), "other");
  EXPECT_EQ(name_of(policy::FailureClass::configuration), "configuration");
  EXPECT_EQ(name_of(policy::Metric::gpu_utilization), "gpu_utilization");
  EXPECT_EQ(name_of(policy::Statistic::sample_count), "sample_count");
  EXPECT_EQ(name_of(policy::Compare::greater_or_equal), "greater_or_equal");
  EXPECT_EQ(name_of(policy::Window::wall_clock), "wall_clock");
  EXPECT_EQ(name_of(ReplyKind::unknown), "unknown");
  EXPECT_EQ(name_of(policy::VerbKind::notify), "notify");
  EXPECT_EQ(name_of(Mode::enforce), "enforce");
}

void expect_error(const std::string& line, std::uint64_t column) {
  try {
    read("settle action=1 outcome=done\n" + line + "\n");
    ADD_FAILURE() << "accepted: " << line;
  } catch (const JournalError& error) {
    EXPECT_EQ(error.line, 3U) << line;
    EXPECT_EQ(error.column, column) << line << ": " << error.what();
  }
}

TEST(JournalTest, WhatNoJournalWouldWriteIsAnErrorWithItsPlace) {
  expect_error("", 1);
  expect_error("what=ever", 1);
  expect_error("settle", 7);
  expect_error("settle outcome=done action=1", 7);
  expect_error("settle action= outcome=done", 15);
  expect_error("settle action=-1 outcome=done", 15);
  expect_error("settle action=01 outcome=done", 15);
  expect_error("settle action=+1 outcome=done", 15);
  expect_error("settle action=18446744073709551616 outcome=done", 15);
  expect_error("settle action=1 outcome=perhaps", 25);
  expect_error("settle action=1 outcome=done ", 29);
  expect_error("settle action=1 outcome=done\r", 25);
  expect_error("attempt action=1 number=4294967296", 25);
  expect_error("kill_switch_changed at=-0 engaged=true", 24);
  expect_error("kill_switch_changed at=0 engaged=yes", 34);
  const std::string shadow =
      "shadow action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken incident=1 reason=";
  expect_error(shadow + "r", 90);
  expect_error(shadow + "\"r", 92);
  expect_error(shadow + "\"\\q\"", 91);
  expect_error(shadow + "\"\\x41\"", 91);
  expect_error(shadow + "\"\\x0A\"", 91);
  expect_error(shadow + "\"\t\"", 91);
  expect_error(
      "refuse action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken incident=1 "
      "reason=\"\" why=moot winner=1",
      101);
  const std::string alarm =
      "accept action=1 seat=0 verb=put_alarm job=0 host=1 alarm_seat=0 attempt=1 "
      "metric=gpu_utilization statistic=average period=1 evaluation_periods=1 "
      "datapoints_to_alarm=1 threshold=";
  expect_error(alarm + "1.0 compare=less missing=missing window=sliding reason=\"\"",
               alarm.size() + 1);
}

TEST(JournalTest, TextWithoutTheHeaderIsNoJournal) {
  std::istringstream text{"reeve-journal 1\n"};
  EXPECT_THROW(read_journal(text), JournalError);
}

TEST(JournalTest, ALastLineWithoutNewlineIsLeftOut) {
  const JournalText cut = read("attempt action=1 number=1\nattempt action=1 num");
  EXPECT_TRUE(cut.cut);
  EXPECT_THAT(cut.entries, SizeIs(1));
  EXPECT_EQ(cut.lines(), 2U);
  EXPECT_EQ(cut.bytes, 42U);
  EXPECT_FALSE(read("").cut);
}

TEST(JournalTest, TheDigestSeesEveryEntryAndTheirOrder) {
  const std::vector<Entry> all = one_of_each();
  const auto digest_without = [&](std::size_t left_out) {
    Journal journal;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != left_out) journal.write(all[i]);
    }
    return journal.digest().hex();
  };
  const std::string whole = digest_without(all.size());
  EXPECT_EQ(whole.size(), 32U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(digest_without(i), whole) << i;
  Journal forwards;
  Journal backwards;
  forwards.write(Attempted{action(1), 1});
  forwards.write(Attempted{action(2), 1});
  backwards.write(Attempted{action(2), 1});
  backwards.write(Attempted{action(1), 1});
  EXPECT_NE(forwards.digest(), backwards.digest());
}

TEST(JournalTest, HostsThat16BitsCannotCountAreToldApart) {
  std::set<std::string> digests;
  for (const std::uint32_t host : {1u, 65'534u, 65'535u, 65'536u, 65'537u, 1'000'000u}) {
    const Entry entry =
        Observation{at(0s), policy::AlarmChanged{{{1}, host, 3}, 4, policy::AlarmState::ok}};
    const JournalText back = read(print(entry) + "\n");
    ASSERT_THAT(back.entries, SizeIs(1));
    EXPECT_EQ(print(back.entries[0]), print(entry));
    Journal journal;
    journal.write(entry);
    digests.insert(journal.digest().hex());
  }
  EXPECT_EQ(digests.size(), 6U);
}

TEST(JournalTest, TheDigestOfAKnownJournalDoesNotChange) {
  Journal journal;
  for (int round = 0; round < 500; ++round) {
    for (const Entry& entry : one_of_each()) {
      const bool has_nan = print(entry).find("nan") != std::string::npos;
      if (!has_nan) journal.write(entry);
    }
  }
  EXPECT_EQ(journal.digest().hex(), "5669f975de36dead9c52af3c83b61c07");
}

TEST(JournalTest, LongTextsReachTheDigestWhole) {
  const auto digest_of = [](std::size_t size, char last) {
    std::string reason(size, 'r');
    reason.back() = last;
    Journal journal;
    for (int i = 0; i < 100; ++i) {
      journal.write(Shadowed{action(1), {0}, policy::StopJob{}, reason});
    }
    return journal.digest().hex();
  };
  for (const std::size_t size : {127U, 128U, 129U, 50'000U}) {
    EXPECT_NE(digest_of(size, 'a'), digest_of(size, 'b')) << size;
  }
}

TEST(JournalTest, ThePlaceOfADigestDoesNotMatter) {
  Journal asked;
  Journal silent;
  for (std::uint64_t id = 1; id < 5000; ++id) {
    asked.write(Settled{action(id), Outcome::done});
    if (id % 100 == 0) asked.digest();
    silent.write(Settled{action(id), Outcome::done});
  }
  EXPECT_EQ(asked.digest(), silent.digest());
}

TEST(JournalTest, TextCanSkipWhatTheFileAlreadyHas) {
  std::ostringstream file;
  Journal journal;
  journal.write_text_to(file, Journal::Flush::each_step, 2);
  journal.write(Attempted{action(1), 1});
  journal.write(Attempted{action(2), 1});
  EXPECT_EQ(file.str(), "");
  journal.end_step();
  EXPECT_EQ(file.str(), "attempt action=2 number=1\n");
}

TEST(JournalTest, AStreamThatFailsIsNotIgnored) {
  std::ostringstream file;
  file.setstate(std::ios::badbit);
  Journal journal;
  journal.write_text_to(file, Journal::Flush::each_step);
  EXPECT_THROW(journal.end_step(), std::runtime_error);
}

TEST(JournalTest, InputsAreWrittenBeforeTheyAreDecidedOn) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("a"));
  Rig rig{std::move(seats)};
  puppet.wants(policy::StopJob{{0}, 1}, "why");
  rig.step(5s, {submitted(0), training(0)}, {{action(77), 1, ReplyKind::done}});
  EXPECT_EQ(rig.lines(),
            "reeve-journal 2\n"
            "seat seat=0 name=\"a\" rule=\"a_rule\" priority=0 mode=enforce\n"
            "step now=5000000000 observations=2 replies=1\n"
            "job_submitted at=0 job=0 attempt=1 origin=person submitted_at=0 expected_work=0 "
            "max_runtime=9223372036854775807 instances=1 pool=0 type=0 tags=0 priority=0 "
            "deadline=9223372036854775807 awaits_placement=false\n"
            "job_changed at=0 job=0 attempt=1 revision=1 primary=in_progress secondary=training "
            "failure=none interruptions=0\n"
            "reply action=77 number=1 kind=done\n"
            "accept action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken incident=1 "
            "reason=\"why\"\n"
            "attempt action=1 number=1\n");
}

}  // namespace journal_test
}  // namespace reeve::host
