// Traces as other programs write them: their words, delimiters, dates and names of columns.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/records/trace.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace trace_words_test {

using namespace std::chrono_literals;

struct Job {  // a row that outlives the reader
  std::string id, user;
  TraceRow row;
};

struct Result {
  std::vector<Job> jobs;
  std::vector<Diagnostic> warnings;
};

Result read(const std::string& bytes, const ColumnNames& names = {}) {
  TraceReader reader{"t.csv", std::make_unique<std::istringstream>(bytes), {}, names};
  Result result;
  for (TraceRow row; reader.next(row);) {
    result.jobs.push_back({std::string{row.job_id}, std::string{row.user}, row});
  }
  result.warnings = reader.warnings();
  return result;
}

Diagnostic refusal(const std::string& bytes, const ColumnNames& names = {}) {
  try {
    read(bytes, names);
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "accepted: " << bytes;
  return {};
}

std::string place(const Diagnostic& found) {
  return found.code + " " + std::to_string(found.position.line) + ":" +
         std::to_string(found.position.column) + "+" + std::to_string(found.position.length);
}

TEST(TraceWords, EndStatesInTheWordsOfOtherPrograms) {
  const std::vector<std::pair<std::string, EndStatus>> words{
      {"COMPLETED", EndStatus::completed},
      {"TIMEOUT", EndStatus::timeout},
      {"CANCELLED by 4594", EndStatus::killed},
      {"CANCELLED+", EndStatus::killed},
      {"OUT_OF_ME+", EndStatus::out_of_memory},
      {"RESIZING", EndStatus::running},
      {"OUT_OF_MEMORY", EndStatus::out_of_memory},
      {"NODE_FAIL", EndStatus::node_failure},
      {"PREEMPTED", EndStatus::preempted},
      {"FAILED", EndStatus::failed},
      {"Pass", EndStatus::completed},
      {"Killed", EndStatus::killed},
      {"Failed", EndStatus::failed},
      {"RUNNING", EndStatus::running},
      {"PENDING", EndStatus::pending},
      {"n/a", EndStatus::unknown},
      {"", EndStatus::unknown},
  };
  for (const auto& [word, status] : words) {
    const Result result = read("job_id,submit_s,duration_s,end_status\na,0,1," + word + "\n");
    EXPECT_EQ(result.jobs.at(0).row.end_status, status) << word;
    EXPECT_TRUE(result.warnings.empty()) << word;
  }
}

TEST(TraceWords, AnUnknownEndStateIsRefused) {
  const Diagnostic found =
      refusal("job_id,submit_s,duration_s,end_status\na,0,1,failed\nb,0,1,compleeted\n");
  EXPECT_EQ(place(found), "E0325 3:7+10");
  EXPECT_EQ(found.help, "did you mean \"completed\"?");
  const Diagnostic far = refusal("job_id,submit_s,duration_s,end_status\na,0,1,xyzzy\n");
  EXPECT_NE(far.help.find("never_started"), std::string::npos) << far.help;
}

TEST(TraceWords, AnEndStateThatIsIgnoredMayBeAnyWord) {
  TraceReader reader{"jobs.csv",
                     std::make_unique<std::istringstream>(
                         "job_id,submit_s,duration_s,end_status\na,0,1,EVICTED\nb,0,1,failed\n")};
  reader.ignore_end_status();
  TraceRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.end_status, EndStatus::unknown);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.end_status, EndStatus::unknown);
}

TEST(TraceWords, DelimitersAreDetected) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text =
        "job_id,submit_s,user,duration_s\n\"a\",0,\"x" + std::string(1, delimiter) + "y\",60\n";
    for (char& c : text) c = c == ',' ? delimiter : c;
    const Result result = read(text);
    ASSERT_EQ(result.jobs.size(), 1u) << delimiter;
    EXPECT_EQ(result.jobs[0].user, "x" + std::string(1, delimiter) + "y");
    EXPECT_EQ(result.jobs[0].row.duration, 60s);
  }
  const Diagnostic extra = refusal("job_id;submit_s;duration_s\na;0;1;2\n");
  EXPECT_EQ(place(extra), "E0312 2:7+1");
  EXPECT_EQ(extra.help, "put a text with a semicolon in double quotes");
  EXPECT_EQ(refusal("job_id|submit_s|duration_s\n\"a\"x|0|1\n").label, "expected a vertical bar");
  // A delimiter at the end of each line makes no column.
  const Result closed = read("job_id|submit_s|duration_s|\na|0|1|\n");
  EXPECT_EQ(closed.jobs.size(), 1u);
  EXPECT_TRUE(closed.warnings.empty());
}

TEST(TraceWords, SubmissionsMayBeDates) {
  const Result result = read(
      "job_id,submit_s,duration_s\na,2025-01-05T12:02:55,1\nb,2025-01-05 13:02:55.5+01:00,1\n");
  EXPECT_EQ(result.jobs[0].row.submit, 0s);
  EXPECT_EQ(show(*result.jobs[0].row.date), "2025-01-05T12:02:55Z");
  EXPECT_EQ(*result.jobs[1].row.date - *result.jobs[0].row.date, 500ms);
  EXPECT_EQ(read("job_id,submit_s,duration_s\na,5,1\n").jobs[0].row.date, std::nullopt);
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\na,5,1\nb,2025-01-05T12:02:55,1\n")),
            "E0326 3:3+19");
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\na,2025-01-05T12:02:55,1\nb,5,1\n")),
            "E0326 3:3+1");
  EXPECT_EQ(refusal("job_id,submit_s,duration_s\na,2025-13-05T12:02:55,1\n").code, "E0137");
}

TEST(TraceWords, DurationsMayBeClockTimes) {
  const auto duration = [](const std::string& cell) {
    return read("job_id,submit_s,duration_s\na,0," + cell + "\n").jobs.at(0).row.duration;
  };
  EXPECT_EQ(duration("1-02:00:06"), 26h + 6s);
  EXPECT_EQ(duration("00:00:00"), 0s);
  EXPECT_EQ(duration("101:59:59.25"), 102h - 750ms);
  for (const std::string bad : {"1:30", "1-2:3", "00:60:00", "00:00:60", "1-:00:00", "a:00:00",
                                "-1:00:00", "00:00:-1", "40000-00:00:00", "00:00:"}) {
    const Diagnostic found = refusal("job_id,submit_s,duration_s\na,0," + bad + "\n");
    EXPECT_EQ(found.code, "E0313") << bad;
    EXPECT_EQ(found.help, "write seconds, HH:MM:SS or D-HH:MM:SS") << bad;
  }
}

TEST(TraceWords, EstimatesAndLimits) {
  const Result result = read(
      "job_id,submit_s,duration_s,time_limit_s,estimate_s\na,0,1,4-00:00:00,60\n"
      "b,0,1,UNLIMITED,\n");
  EXPECT_EQ(result.jobs[0].row.time_limit, 96h);
  EXPECT_EQ(result.jobs[0].row.estimate, 60s);
  EXPECT_EQ(result.jobs[1].row.time_limit, std::nullopt);
  EXPECT_EQ(result.jobs[1].row.estimate, std::nullopt);
}

TEST(TraceWords, AllMissingColumnsAreNamedAtOnce) {
  const std::string text = "JobID,Submit,Elapsed,gpus\na,0,1,8\n";
  const Diagnostic none = refusal(text);
  EXPECT_EQ(place(none), "E0321 1:1+5");
  EXPECT_EQ(none.message, "the columns \"job_id\", \"submit_s\" and \"duration_s\" are missing");
  EXPECT_EQ(none.help,
            "rename \"JobID\" to \"job_id\", rename \"Submit\" to \"submit_s\", rename "
            "\"Elapsed\" to \"duration_s\"");
  EXPECT_EQ(refusal(text, {.by = ColumnNames::By::key}).help,
            "\"columns\": { \"job_id\": \"JobID\", \"submit_s\": \"Submit\", \"duration_s\": "
            "\"Elapsed\" }");
  EXPECT_EQ(refusal(text, {.by = ColumnNames::By::option}).help,
            "--columns 'job_id=JobID,submit_s=Submit,duration_s=Elapsed'");
  EXPECT_EQ(refusal("job_id,when,colour\na,0,1\n").message,
            "the columns \"submit_s\" and \"duration_s\" are missing");
}

TEST(TraceWords, ColumnsMayHaveOtherNames) {
  const ColumnNames names{.by = ColumnNames::By::key,
                          .stated = {{"job_id", "JobID"}, {"duration_s", "Elapsed"}}};
  const Result result = read("job_id,submit_s,JobID,Elapsed\nx,0,a,00:01:00\n", names);
  ASSERT_EQ(result.jobs.size(), 1u);
  EXPECT_EQ(result.jobs[0].id, "a");
  EXPECT_EQ(result.jobs[0].row.duration, 60s);
  ASSERT_EQ(result.warnings.size(), 1u) << "the column that is called as ours is another";
  const Diagnostic absent = refusal("JobId,submit_s,Elapsed\na,0,1\n", names);
  EXPECT_EQ(absent.code, "E0321");
  EXPECT_EQ(absent.message, "no column \"JobID\" for \"job_id\"");
  EXPECT_EQ(absent.help, "did you mean \"JobId\"?");
}

}  // namespace trace_words_test
}  // namespace reeve::scenarios
