// Removals: looked at before the call, settled by what is still there, and done once.
#include "live/clean_up/remover.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "live/act/unsettled.hpp"
#include "live/journal/sqlite_journal.hpp"
#include "tests/unit/live/clean_up/removal_account.hpp"

namespace reeve::live {
namespace remover_test {

using policy::Outcome;

class RemoverTest : public testing::Test {
 protected:
  RemoverTest()
      : journal_{testing::TempDir() + "remover_test-" + std::to_string(getpid()) + ".db"} {
    forget_journal();
  }
  ~RemoverTest() override { forget_journal(); }

  void forget_journal() {
    for (const char* end : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(journal_ + end);
  }
  ActionLog open_log() {
    return ActionLog{std::get<std::unique_ptr<ActionJournal>>(
        SqliteJournal::open(journal_, SqliteJournal::Access::write))};
  }
  RemoverSettings settings() {
    RemoverSettings made;
    made.rule = "test";
    made.is_held_back = [this] { return is_held_back_; };
    made.judge_again = [this](Resource& resource) {
      const bool is_used = resource.id == in_use_;
      return Judgement{is_used ? Verdict::keep : Verdict::remove, "job", "", resource.made};
    };
    return made;
  }
  static std::vector<Removal> removals_of(std::vector<Resource> resources) {
    std::vector<Removal> removals;
    for (Resource& each : resources) {
      const Judgement judgement{Verdict::remove, "job", "job Completed", each.made};
      removals.push_back({std::move(each), judgement});
    }
    return removals;
  }
  /// Of one run with all that there is.
  std::vector<Removal> remove_all() {
    std::vector<Resource> all = account_.instances();
    for (Resource& alarm : account_.alarms()) all.push_back(std::move(alarm));
    std::vector<Removal> removals = removals_of(std::move(all));
    ActionLog log = open_log();
    Remover remover{account_.client, account_.clock, account_.resources, log, settings()};
    EXPECT_FALSE(remover.settle_open(account_.clock.time));
    remover.remove(removals);
    for (const auto& [id, standing] : log.standing())
      outcomes_[standing.resource] = standing.outcome;
    return removals;
  }
  static std::vector<std::string> outcomes(const std::vector<Removal>& removals) {
    std::vector<std::string> all;
    for (const Removal& removal : removals) all.push_back(removal.outcome);
    return all;
  }
  using Words = std::vector<std::string>;

  RemovalAccount account_;
  std::string journal_;
  std::string in_use_;
  bool is_held_back_ = false;
  std::map<std::string, std::string> outcomes_;  ///< in the log, by resource
};

TEST_F(RemoverTest, DeletesAHundredAlarmsWithOneCall) {
  for (int nth = 0; nth < 101; ++nth) account_.put_alarm("a" + std::to_string(nth));
  const auto removals = remove_all();
  EXPECT_EQ(outcomes(removals), Words(101, "done"));
  EXPECT_EQ(account_.transport.count("DeleteAlarms"), 2U);
  EXPECT_TRUE(account_.alarms().empty());
  EXPECT_EQ(outcomes_.size(), 101U);
}

TEST_F(RemoverTest, LeavesWhatIsInUseAgain) {
  account_.put_alarm("a");
  in_use_ = account_.launch();
  EXPECT_EQ(outcomes(remove_all()), (Words{"refused", "done"}));
  EXPECT_EQ(account_.transport.count("TerminateInstances"), 0U);
  EXPECT_EQ(account_.instances().size(), 1U);
  EXPECT_EQ(outcomes_.size(), 1U);  // what was not sent has no entry
}

TEST_F(RemoverTest, LeavesAnAlarmThatWasChanged) {
  account_.put_alarm("a");
  int looks = 0;
  account_.transport.before = [&](const std::string& operation) {
    if (operation != "DescribeAlarms" || ++looks != 2) return;
    account_.clock.time += std::chrono::seconds{1};
    account_.put_alarm("a", 5);
  };
  EXPECT_EQ(outcomes(remove_all()), (Words{"refused"}));
  EXPECT_EQ(account_.alarms().size(), 1U);
}

TEST_F(RemoverTest, DoesNotSendAgainWhatHadItsEffect) {
  account_.put_alarm("a");
  const std::string instance = account_.launch();
  account_.transport.after = [](const std::string& operation) {
    return operation == "DeleteAlarms" || operation == "TerminateInstances";
  };
  EXPECT_EQ(outcomes(remove_all()), (Words{"done", "done"}));
  EXPECT_EQ(account_.transport.count("DeleteAlarms"), 1U);
  EXPECT_EQ(account_.transport.count("TerminateInstances"), 1U);
}

/// Then AWS deletes none of those in the call.
TEST_F(RemoverTest, DeletesTheOthersIfOneAlarmGoesAtTheLastMoment) {
  for (const char* name : {"a", "b", "c"}) account_.put_alarm(name);
  bool is_first = true;
  account_.transport.before = [&](const std::string& operation) {
    if (operation == "DeleteAlarms" && std::exchange(is_first, false)) account_.delete_alarm("b");
  };
  EXPECT_EQ(outcomes(remove_all()), Words(3, "done"));
  EXPECT_EQ(account_.transport.count("DeleteAlarms"), 3U);  // together, then "a" and "c"
}

TEST_F(RemoverTest, RefusesByItselfAnInstanceThatAwsProtects) {
  account_.launch({{"DisableApiTermination", "true"}});
  account_.launch();
  const auto removals = remove_all();
  EXPECT_EQ(outcomes(removals), (Words{"refused", "done"}));
  EXPECT_EQ(removals[0].end.code, "OperationNotPermitted");
}

TEST_F(RemoverTest, SendsNothingWhileItIsHeldBack) {
  account_.put_alarm("a");
  account_.launch();
  is_held_back_ = true;
  EXPECT_EQ(outcomes(remove_all()), Words(2, "not sent"));
  EXPECT_EQ(account_.transport.count("DeleteAlarms"), 0U);
  EXPECT_TRUE(outcomes_.empty());
}

/// An earlier run was killed: after the call for "gone", before it for "stays".
TEST_F(RemoverTest, SettlesWhatAnEarlierRunSent) {
  for (const char* name : {"gone", "stays"}) account_.put_alarm(name);
  {
    ActionLog log = open_log();
    for (const Resource& alarm : account_.alarms()) {
      const std::string id = ActionLog::removal_id(alarm.id, alarm.made);
      log.plan(account_.clock.time, {id, "test", "delete_alarm", "job", {{"resource", alarm.id}}});
      log.send(account_.clock.time, id, 1, "cloudwatch:DeleteAlarms");
    }
    TrainingJobReader reader{account_.client, account_.clock};  // rules leave removals open
    ServiceJobReader service_jobs{account_.client, account_.clock};
    const auto found =
        settle_unsettled(log, reader, service_jobs, [&] { return account_.clock.time; });
    EXPECT_TRUE(std::get<FoundActions>(found).settled.empty());
  }
  account_.delete_alarm("gone");
  account_.clock.time += std::chrono::seconds{1};
  account_.put_alarm("gone");  // another one
  const auto removals = remove_all();
  EXPECT_EQ(outcomes(removals), Words(2, "done"));
  EXPECT_TRUE(account_.alarms().empty());
  EXPECT_EQ(outcomes_["stays"], "done");
}

}  // namespace remover_test
}  // namespace reeve::live
