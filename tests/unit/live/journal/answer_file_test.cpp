#include "live/journal/answer_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace reeve::live {
namespace {

class AnswerFileTest : public testing::Test {
 protected:
  AnswerFileTest() { std::filesystem::create_directories(folder_); }
  ~AnswerFileTest() override { std::filesystem::remove_all(folder_); }

  Answer answer(const std::string& action, bool confirms) const {
    return {action, confirms, "ann", policy::Instant{std::chrono::seconds{1'800'000'000}}};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("answer_file_test-" + std::to_string(getpid()));
  std::string journal_ = (folder_ / "actions.db").string();
};

TEST_F(AnswerFileTest, GivesEachAnswerOnce) {
  AnswerFile reader{journal_};
  EXPECT_TRUE(reader.read_new().empty());
  const AnswerFile writer{journal_};
  EXPECT_FALSE(writer.append({answer("a", true), answer("b", false)}));
  const auto found = reader.read_new();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].action, "a");
  EXPECT_TRUE(found[0].confirms);
  EXPECT_EQ(found[0].by, "ann");
  EXPECT_EQ(found[0].at, answer("a", true).at);
  EXPECT_FALSE(found[1].confirms);
  EXPECT_TRUE(reader.read_new().empty());
  EXPECT_FALSE(writer.append({answer("c", true)}));
  EXPECT_EQ(reader.read_new().size(), 1U);
}

TEST_F(AnswerFileTest, ALineThatWasCutOffIsNoAnswerAndHarmsNoOther) {
  const AnswerFile writer{journal_};
  ASSERT_FALSE(writer.append({answer("a", true)}));
  std::ofstream{writer.path(), std::ios::app} << R"({"action":"b","answer":"conf)";
  AnswerFile reader{journal_};
  EXPECT_EQ(reader.read_new().size(), 1U);
  ASSERT_FALSE(writer.append({answer("c", true)}));
  const auto found = reader.read_new();
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
  EXPECT_TRUE(reader.read_new().empty());
}

TEST_F(AnswerFileTest, SaysThatItCannotBeWritten) {
  const auto failure = AnswerFile{(folder_ / "none" / "actions.db").string()}.append({});
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("actions.db.answers cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace reeve::live
