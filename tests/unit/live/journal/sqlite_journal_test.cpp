#include "live/journal/sqlite_journal.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace reeve::live {
namespace {

using Access = SqliteJournal::Access;

class SqliteJournalTest : public testing::Test {
 protected:
  SqliteJournalTest() { std::filesystem::create_directories(folder_); }
  ~SqliteJournalTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ActionJournal> opened(Access access = Access::write) {
    auto journal = SqliteJournal::open(file_, access);
    const Failure* failure = failure_of(journal);
    EXPECT_EQ(failure, nullptr) << (failure == nullptr ? "" : failure->message);
    return failure == nullptr ? std::get<std::unique_ptr<ActionJournal>>(std::move(journal))
                              : nullptr;
  }
  std::string why_not(Access access) {
    auto journal = SqliteJournal::open(file_, access);
    const Failure* failure = failure_of(journal);
    return failure == nullptr ? "" : failure->message;
  }
  void change(const std::string& statement) {
    sqlite3* base = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &base), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(base, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(base);
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("sqlite_journal_test-" + std::to_string(getpid()));
  std::string file_ = (folder_ / "actions.db").string();
  policy::Instant at_{std::chrono::seconds{1'800'000'000}};
};

TEST_F(SqliteJournalTest, ContinuesAfterItWasClosed) {
  opened()->append(at_, JournalKind::planned, "a", "{\"x\":1}");
  opened()->append(at_ + std::chrono::milliseconds{5}, JournalKind::settled, "a", "{}");
  std::vector<JournalEntry> found;
  const auto journal = opened(Access::read);
  journal->for_each([&](const JournalEntry& entry) { found.push_back(entry); });
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].body, "{\"x\":1}");
  EXPECT_EQ(found[1].number, 2U);
  EXPECT_EQ(found[1].kind, JournalKind::settled);
  EXPECT_EQ(found[1].at, at_ + std::chrono::milliseconds{5});
  EXPECT_FALSE(journal->for_each([](const JournalEntry&) {}));
}

TEST_F(SqliteJournalTest, FindsAChangedMovedOrMissingEntry) {
  for (const char* statement :
       {"UPDATE entries SET body = '{}' WHERE number = 2",
        "UPDATE entries SET action = 'z' WHERE number = 2", "DELETE FROM entries WHERE number = 2",
        "UPDATE entries SET at = '2026-01-01T00:00:00Z' WHERE number = 2"}) {
    std::filesystem::remove(file_);
    {
      const auto journal = opened();
      for (const char* action : {"a", "b", "c"}) {
        journal->append(at_, JournalKind::sent, action, "{\"try\":1}");
      }
    }
    change(statement);
    const auto broken = opened(Access::read)->for_each([](const JournalEntry&) {});
    ASSERT_TRUE(broken) << statement;
    EXPECT_EQ(broken->number, 2U) << statement;
  }
}

TEST_F(SqliteJournalTest, HasOneWriterAndMayBeReadMeanwhile) {
  const auto writer = opened();
  writer->append(at_, JournalKind::planned, "a", "{}");
  EXPECT_NE(why_not(Access::write).find("another reeve acts"), std::string::npos);
  EXPECT_EQ(why_not(Access::read), "");
}

TEST_F(SqliteJournalTest, RefusesOtherFiles) {
  std::ofstream{file_} << "no database, but a long text of some lines";
  EXPECT_NE(why_not(Access::write), "");
  std::filesystem::remove(file_);
  EXPECT_NE(why_not(Access::read), "");
  change("CREATE TABLE mine(x)");
  EXPECT_NE(why_not(Access::write).find("no journal"), std::string::npos);
}

}  // namespace
}  // namespace reeve::live
