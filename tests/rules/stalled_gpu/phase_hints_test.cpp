// What a job says of its phases of little GPU use, and what a rule makes of it.
#include "phase_hints.hpp"

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace phase_hints_test {

constexpr JobId kJob{0};

TEST(PhaseHints, AreOnceOrComeBack) {
  const auto hints = read_phase_hints("0s+20m 4h+15m/4h");
  ASSERT_TRUE(hints);
  EXPECT_EQ(quiet_until(*hints, 0min, 0min), Duration{20min});
  EXPECT_EQ(quiet_until(*hints, 20min, 0min), std::nullopt);
  EXPECT_EQ(quiet_until(*hints, 20min, 5min), Duration{25min}) << "still in the windows";
  EXPECT_EQ(quiet_until(*hints, 3h, 0min), std::nullopt);
  EXPECT_EQ(quiet_until(*hints, 4h, 0min), Duration{4h + 15min});
  EXPECT_EQ(quiet_until(*hints, 8h + 14min, 0min), Duration{8h + 15min});
}

TEST(PhaseHints, ThatNobodyCanReadAreNone) {
  for (const char* value : {"", " ", "20m", "0s+", "0s+0m", "-1s+5m", "0s+20m,1h+5m", "0s+20m/20m",
                            "0s+20", "0s+5d", "99999999999999999999s+1s"}) {
    EXPECT_FALSE(read_phase_hints(value)) << value;
  }
}

// 10 minutes each half hour: with 20 minutes in which windows still hold some of them nothing is
// left, with 19 there is.
TEST(PhaseHints, MayFollowEachOtherWithoutAnEnd) {
  const auto deaf = [](const char* value, Duration tail) {
    return never_end(read_phase_hints(value).value(), tail);
  };
  EXPECT_TRUE(deaf("20m+10m/30m", 20min));
  EXPECT_FALSE(deaf("20m+10m/30m", 19min));
  EXPECT_FALSE(deaf("0s+30h", 20min)) << "it comes once";
  EXPECT_FALSE(deaf("0s+10m/2h 1h+10m/2h", 49min));
  EXPECT_TRUE(deaf("0s+10m/2h 1h+10m/2h", 50min)) << "one follows the other";
  EXPECT_TRUE(deaf("1h+1s/2s", 1s)) << "as far as is looked";
}

/// Trains from 0s on, and says that its first 20 minutes use little.
struct HintedBench : RuleBench {
  explicit HintedBench(const std::string& options) : RuleBench{"stalled_gpu", options} {
    JobDescription description;
    description.tags = directory.intern({{"reeve:low-gpu", "0s+20m"}});
    at(0s, {submitted(kJob, 1, description), changed(kJob, 1, Secondary::training)});
    done(VerbKind::put_alarm);
  }
  void done(VerbKind verb) {
    ActionSettled settled;
    settled.verb = verb;
    settled.seat = kOwnSeat;
    settled.job = kJob;
    settled.host = 1;
    settled.alarm_seat = static_cast<std::uint16_t>(kOwnSeat.index);
    at(1s, {settled});
  }
  static Fact goes(AlarmState state) {
    return AlarmChanged{{kJob, 1, static_cast<std::uint16_t>(kOwnSeat.index)}, 1, state};
  }
};

TEST(PhaseHints, AnAlarmInAPhaseSaysNothingIfItIsOverWithIt) {
  HintedBench bench{R"({"phase_hints": true})"};
  EXPECT_EQ(bench.at(15min, {HintedBench::goes(AlarmState::alarm)}).count<StopJob>(), 0U);
  bench.at(22min, {HintedBench::goes(AlarmState::ok)});
  EXPECT_EQ(bench.tick(40min).count<StopJob>(), 0U);
  EXPECT_EQ(bench.at(3h, {HintedBench::goes(AlarmState::alarm)}).count<StopJob>(), 1U);
}

// 20 minutes, three periods of five until they are out of the windows, and one for samples that are
// published late.
TEST(PhaseHints, AnAlarmThatStandsAfterThePhaseIsOne) {
  HintedBench bench{R"({"phase_hints": true})"};
  bench.at(15min, {HintedBench::goes(AlarmState::alarm)});
  EXPECT_EQ(bench.tick(40min - 1ns).count<StopJob>(), 0U);
  EXPECT_EQ(bench.tick(40min).count<StopJob>(), 1U);
}

TEST(PhaseHints, NobodyHeedsThemUnlessAsked) {
  HintedBench bench{"{}"};
  EXPECT_EQ(bench.at(15min, {HintedBench::goes(AlarmState::alarm)}).count<StopJob>(), 1U);
}

}  // namespace phase_hints_test
}  // namespace reeve::policies
