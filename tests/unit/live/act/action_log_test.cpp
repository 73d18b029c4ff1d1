#include "live/act/action_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "host/confirm_first.hpp"
#include "live/journal/sqlite_journal.hpp"

namespace reeve::live {
namespace {

class ActionLogTest : public testing::Test {
 protected:
  ActionLogTest() { std::filesystem::create_directories(folder_); }
  ~ActionLogTest() override { std::filesystem::remove_all(folder_); }

  /// As a later run reads it.
  ActionLog opened() {
    auto journal =
        SqliteJournal::open((folder_ / "actions.db").string(), SqliteJournal::Access::write);
    return ActionLog{std::get<std::unique_ptr<ActionJournal>>(std::move(journal))};
  }
  static LoggedAction stop(const std::string& id) {
    return {id, "watch", "stop_job", "job-" + id, {{"reason", "it stands still"}}};
  }
  Answer answer(const std::string& id, bool confirms) const { return {id, confirms, "ann", at_}; }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("action_log_test-" + std::to_string(getpid()));
  policy::Instant at_{std::chrono::seconds{1'800'000'000}};
};

TEST_F(ActionLogTest, AHeldActionWaitsUntilAPersonAnswers) {
  {
    ActionLog log = opened();
    for (const char* id : {"a", "b", "c"}) log.hold(at_, stop(id), host::ConfirmFirst::name);
    log.hold(at_, stop("d"), "office_hours");
    EXPECT_TRUE(log.waits_for_person("a"));
    EXPECT_FALSE(log.waits_for_person("d"));  // it waits for the hour
    log.answer(at_, answer("a", true));
    log.answer(at_, answer("b", false));
    log.answer(at_, answer("b", true));  // the first one counts
  }
  const ActionLog log = opened();
  EXPECT_FALSE(log.broken());
  EXPECT_EQ(log.confirmed(), 1U);
  EXPECT_FALSE(log.waits_for_person("a"));
  EXPECT_FALSE(log.waits_for_person("b"));
  EXPECT_TRUE(log.waits_for_person("c"));
  ASSERT_NE(log.answer_about("b"), nullptr);
  EXPECT_FALSE(log.answer_about("b")->confirms);
  EXPECT_EQ(log.answer_about("a")->by, "ann");
  EXPECT_EQ(log.answer_about("c"), nullptr);
  EXPECT_EQ(log.standing().at("c").reason, "it stands still");
  EXPECT_EQ(log.standing().at("b").outcome, "refused");
}

TEST_F(ActionLogTest, AnAnswerOutlivesWhatBecomesOfTheAction) {
  {
    ActionLog log = opened();
    log.hold(at_, stop("a"), host::ConfirmFirst::name);
    log.answer(at_, answer("a", true));
    log.plan(at_, stop("a"));
    EXPECT_EQ(log.standing().at("a").outcome, "");  // in flight
    log.send(at_, "a", 1, "sagemaker:StopTrainingJob");
    log.settle(at_, "a", {.detail = "no reply"});
  }
  const ActionLog log = opened();
  EXPECT_EQ(log.confirmed(), 1U);
  EXPECT_EQ(log.standing().at("a").outcome, "expired");
  EXPECT_NE(log.answer_about("a"), nullptr);  // so it is not asked about again
}

TEST_F(ActionLogTest, WhatIsHeldWasNotSent) {
  ActionLog log = opened();
  log.hold(at_, stop("a"), host::ConfirmFirst::name);
  EXPECT_EQ(log.stops_within_hour(at_), 0U);
  EXPECT_FALSE(log.is_done("a"));
  EXPECT_FALSE(log.standing().at("a").is_sent);
}

TEST_F(ActionLogTest, AMessageThatArrivedSomewhereIsNotSentAgain) {
  ActionLog log = opened();
  log.plan(at_, {"m", "watch", "notify", "job-m", {{"reason", "it stands still"}}});
  log.send(at_, "m", 1, "message");
  log.settle(at_, "m", {.outcome = policy::Outcome::partly_done});
  EXPECT_TRUE(log.is_done("m"));
}

TEST_F(ActionLogTest, KnowsWhenAnActionWasFirstPlanned) {
  ActionLog log = opened();
  log.plan(at_, stop("a"));
  log.settle(at_, "a", {.outcome = policy::Outcome::refused});
  log.plan(at_ + std::chrono::hours{3}, stop("a"));
  EXPECT_EQ(log.standing().at("a").first, at_);
  EXPECT_EQ(log.standing().at("a").acted, at_ + std::chrono::hours{3});
}

}  // namespace
}  // namespace reeve::live
