#include "live/journal/answer_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

namespace reeve::live {
namespace {

class AnswerFileTest : public testing::Test {
 protected:
  AnswerFileTest() { std::filesystem::create_directories(folder_); }
  ~AnswerFileTest() override { std::filesystem::remove_all(folder_); }

  Answer answer(const std::string& action, bool confirms) const {
    return {action, confirms, "ann", policy::Instant{std::chrono::seconds{1'800'000'000}}};
  }

  static std::vector<Answer> new_in(AnswerFile& file) {
    return std::get<std::vector<Answer>>(file.read_new());
  }
  static std::string failure_in(AnswerFile& file) {
    const auto read = file.read_new();
    const Failure* failure = failure_of(read);
    return failure == nullptr ? "" : failure->message;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("answer_file_test-" + std::to_string(getpid()));
  std::string journal_ = (folder_ / "actions.db").string();
};

TEST_F(AnswerFileTest, GivesEachAnswerOnce) {
  AnswerFile reader{journal_};
  EXPECT_TRUE(new_in(reader).empty());
  const AnswerFile writer{journal_};
  EXPECT_FALSE(writer.append({answer("a", true), answer("b", false)}));
  const auto found = new_in(reader);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].action, "a");
  EXPECT_TRUE(found[0].confirms);
  EXPECT_EQ(found[0].by, "ann");
  EXPECT_EQ(found[0].at, answer("a", true).at);
  EXPECT_FALSE(found[1].confirms);
  EXPECT_TRUE(new_in(reader).empty());
  EXPECT_FALSE(writer.append({answer("c", true)}));
  EXPECT_EQ(new_in(reader).size(), 1U);
}

TEST_F(AnswerFileTest, ALineThatWasCutOffIsNoAnswerAndHarmsNoOther) {
  const AnswerFile writer{journal_};
  ASSERT_FALSE(writer.append({answer("a", true)}));
  std::ofstream{writer.path(), std::ios::app} << R"({"action":"b","answer":"conf)";
  AnswerFile reader{journal_};
  EXPECT_EQ(new_in(reader).size(), 1U);
  ASSERT_FALSE(writer.append({answer("c", true)}));
  const auto found = new_in(reader);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].action, "c");
}

TEST_F(AnswerFileTest, OtherWordsAreNoAnswers) {
  const AnswerFile writer{journal_};
  std::ofstream{writer.path()}
      << "{}\n[1]\nyes\n"
      << R"({"action":"a","answer":"maybe","by":"x","at":"2026-03-02T00:00:00Z"})" << '\n'
      << R"({"action":"a","answer":"confirm","by":"x","at":"today"})" << '\n'
      << R"({"action":"","answer":"confirm","by":"x","at":"2026-03-02T00:00:00Z"})" << '\n';
  AnswerFile reader{journal_};
  EXPECT_TRUE(new_in(reader).empty());
}

TEST_F(AnswerFileTest, SaysThatItCannotBeWritten) {
  const auto failure = AnswerFile{(folder_ / "none" / "actions.db").string()}.append({});
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("actions.db.answers cannot be written"), std::string::npos);
}

TEST_F(AnswerFileTest, SaysThatItCannotBeReadUntilItCan) {
  const AnswerFile writer{journal_};
  AnswerFile reader{journal_};
  std::filesystem::create_directory(writer.path());  // root too cannot read it
  EXPECT_NE(failure_in(reader).find("actions.db.answers cannot be read: "), std::string::npos);
  EXPECT_NE(failure_in(reader), "");
  std::filesystem::remove(writer.path());
  ASSERT_FALSE(writer.append({answer("a", true)}));
  EXPECT_EQ(new_in(reader).size(), 1U);
  AnswerFile below_a_file{(std::filesystem::path{writer.path()} / "actions.db").string()};
  EXPECT_NE(failure_in(below_a_file), "");
}

TEST_F(AnswerFileTest, SaysThatItIsNotPermittedToRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read all files";
  const AnswerFile writer{journal_};
  ASSERT_FALSE(writer.append({answer("a", true)}));
  std::filesystem::permissions(writer.path(), std::filesystem::perms::none);
  AnswerFile reader{journal_};
  EXPECT_NE(failure_in(reader).find("Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace reeve::live
