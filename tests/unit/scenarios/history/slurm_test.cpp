// Slurm's accounting, as sacct prints it in text and JSON.
#include "scenarios/history/history_scenario.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/runnable.hpp"
#include "scenarios/history/slurm/values.hpp"
#include "scenarios/history/sum_up.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/source.hpp"
#include "slurm_cases.hpp"

namespace reeve::scenarios {
namespace slurm_history_test {

TEST(SlurmHistory, CasesReadAsExpected) {
  const json cases = expected("slurm");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  for (const auto& [file, wanted] : cases.items()) {
    if (wanted["jobs"].empty()) continue;
    HistoryOptions options;
    if (file == "clock-back.psv") options.timezone = "Europe/Berlin";
    const History history = read(folder_of("slurm") / file, options);
    expect_jobs(history, wanted["jobs"], file);
    const bool has_types = file == "tres.psv";  // two types of GPUs, which is told
    EXPECT_EQ(codes(history).empty(), !wanted.contains("warning") && !has_types) << file;
  }
}

TEST(SlurmHistory, AFileWithoutAHeaderNeedsItsColumns) {
  const json cases = expected("slurm");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  const auto file = folder_of("slurm") / "trailing-bar-no-header.psv";
  EXPECT_EQ(error_of([&] { read(file); }), "E0401");
  HistoryOptions options;
  std::istringstream names{
      "JobID JobIDRaw JobName User Account Partition State ExitCode Submit Eligible Start End "
      "ElapsedRaw Timelimit NNodes ReqTRES AllocTRES Restarts"};
  for (std::string name; names >> name;) options.columns.push_back(name);
  const json& wanted = cases["trailing-bar-no-header.psv"]["with_columns"];
  expect_jobs(read(file, options), wanted, "with columns");
  options.columns.pop_back();
  EXPECT_EQ(error_of([&] { read(file, options); }), "E0412");
}

TEST(SlurmHistory, TheTableWithCutColumnsIsRefused) {
  if (expected("slurm").is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  EXPECT_EQ(error_of([] { read(folder_of("slurm") / "table.txt"); }), "E0394");
}

TEST(SlurmHistory, LocalTimesOverTheEndOfSummerTimeAreTold) {
  if (expected("slurm").is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  const History history = read(folder_of("slurm") / "clock-back.psv");
  EXPECT_EQ(codes(history), (std::vector<std::string>{"W0643", "W0643"}));
  EXPECT_EQ(seconds(*job_named(history, "5070")->record.duration), 1800);
}

constexpr std::string_view columns =
    "JobID|User|State|ExitCode|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|ReqTRES|AllocTRES|"
    "Restarts\n";
constexpr std::string_view eight = "gres/gpu=8,node=1|gres/gpu=8,node=1|0\n";

/// A row of day `day` of August 2026 from one o'clock, with times of minutes.
std::string row(const std::string& id, const std::string& state, int day = 3,
                const std::string& rest = std::string{eight}) {
  const std::string date = "2026-08-0" + std::to_string(day) + "T";
  return id + "|ana|" + state + "|0:0|" + date + "01:00:00|" + date + "01:10:00|" + date +
         "01:40:00|1800|60|1|" + rest;
}

std::string rows(const std::string& text) {
  return std::string{columns} + text;
}

TEST(SlurmHistory, TimesWithoutAnOffsetAreLocal) {
  using Kind = SlurmTime::Kind;
  for (const char* local : {"2026-08-03T10:00:00", "2026-08-03T10:00:00.250", "2026-08-03"}) {
    EXPECT_EQ(slurm_time(local).kind, Kind::local) << local;
  }
  for (const char* exact : {"2026-08-03T10:00:00Z", "2026-08-03T10:00:00.250+02:00",
                            "2026-08-03T10:00:00-04:00", "2026-08-03T10:00:00 UTC", "1785751200"}) {
    EXPECT_EQ(slurm_time(exact).kind, Kind::exact) << exact;
  }
}

TEST(SlurmHistory, EndsAreTold) {
  const std::string never =
      "|2026-08-03T01:00:00|None|2026-08-03T01:20:00|0|60|1|" + std::string{eight};
  expect_oddities({
      {"a job that ended in its first second ran",
       rows("7|ana|FAILED|2:0|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:10:00|0|60|1|" +
            std::string{eight}),
       "7", "status", "failed"},
      {"its exit code is kept",
       rows("7|ana|FAILED|2:0|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:10:00|0|60|1|" +
            std::string{eight}),
       "7", "reason", "exit code 2"},
      {"a signal",
       rows("7|ana|FAILED|0:9|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:12:00|120|60|"
            "1|" +
            std::string{eight}),
       "7", "reason", "signal 9"},
      {"a job that was cancelled in the queue waited", rows("7|ana|CANCELLED by 7|0:0" + never),
       "7", "waited_at_least_s", 1200},
      {"the administrator is no person of the team", rows(row("7", "CANCELLED by 0")), "7", "cause",
       json{}},
      {"a user who cancels", rows(row("7", "CANCELLED by 1001")), "7", "cause", "person"},
      {"a state that is cut off", rows(row("7", "CANCELLED+")), "7", "status", "killed"},
      {"a deadline that passed in the queue", rows("7|ana|DEADLINE|0:0" + never), "7", "status",
       "never_started"},
      {"a boot that failed", rows(row("7", "BOOT_FAIL")), "7", "cause", "hardware"},
      {"a suspended job runs",
       rows("7|ana|SUSPENDED|0:0|2026-08-03T01:00:00|2026-08-03T01:10:00|Unknown|600|60|1|" +
            std::string{eight}),
       "7", "status", "running"},
  });
}

TEST(SlurmHistory, RequeuesAreOneJob) {
  expect_oddities({
      {"preempted at last: more work was asked of it", rows(row("7", "PREEMPTED")), "7", "censored",
       true},
      {"a job that waits again keeps what it ran",
       rows(row("7", "NODE_FAIL") +
            "7|ana|PENDING|0:0|2026-08-03T01:45:00|Unknown|Unknown|0|60|1|" + std::string{eight}),
       "7", "status", "node_fail"},
      {"a job that is cancelled after a requeue",
       rows(row("7", "PREEMPTED") +
            "7|ana|CANCELLED by 5|0:0|2026-08-03T01:45:00|None|2026-08-03T02:45:00|0|60|1|" +
            std::string{eight}),
       "7", "status", "killed"},
      {"records in any order", rows(row("7", "COMPLETED", 4) + row("7", "REQUEUED", 3)), "7",
       "submit", "2026-08-03T01:00:00"},
      {"a requeue is an interruption", rows(row("7", "REQUEUED", 3) + row("7", "COMPLETED", 4)),
       "7", "interruptions", 1},
      {"a fault is a restart", rows(row("7", "NODE_FAIL", 3) + row("7", "COMPLETED", 4)), "7",
       "restarts", 1},
      {"what a lost attempt ran", rows(row("7", "NODE_FAIL", 3) + row("7", "COMPLETED", 4)), "7",
       "lost_s", 1800},
      {"a job that grows goes on",
       rows("7|ana|RESIZING|0:0|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:20:00|600|60|"
            "1|" +
            std::string{eight} +
            "7|ana|COMPLETED|0:0|2026-08-03T01:00:00|2026-08-03T01:20:00|2026-08-03T01:40:00|1200|"
            "60|2|gres/gpu=16|gres/gpu=16|0\n"),
       "7", "work_s", 1800},
      {"an id that is used again is another job",
       rows(row("7", "COMPLETED", 3) + row("7", "COMPLETED", 8)), "7@2026-08-08", "work_s", 1800},
  });
}

TEST(SlurmHistory, TimesAndColumnsVary) {
  expect_oddities({
      {"seconds since 1970",
       rows("7|ana|COMPLETED|0:0|1785718800|1785719400|1785721200|1800|60|1|" + std::string{eight}),
       "7", "wait_s", 600},
      {"times with an offset",
       rows("7|ana|COMPLETED|0:0|2026-08-03T03:00:00+0200|2026-08-03T03:10:00+0200|"
            "2026-08-03T03:40:00+0200|1800|60|1|" +
            std::string{eight}),
       "7", "submit", "2026-08-03T01:00:00"},
      {"a blank between date and time",
       rows("7|ana|COMPLETED|0:0|2026-08-03 01:00:00|2026-08-03 01:10:00|2026-08-03 01:40:00|1800|"
            "60|1|" +
            std::string{eight}),
       "7", "wait_s", 600},
      {"a limit of minutes", rows(row("7", "COMPLETED")), "7", "limit_s", 3600},
      {"tasks with a step",
       rows("7_[0-8:4]|ana|PENDING|0:0|2026-08-03T01:00:00|Unknown|Unknown|0|60|1|" +
            std::string{eight}),
       "7_8", "status", "pending"},
      {"an array is a sweep", rows(row("7_3", "COMPLETED")), "7_3", "sweep", "7"},
      {"shards are parts of GPUs",
       rows(row("7", "COMPLETED", 3, "gres/shard=2,node=1|gres/shard=2,node=1|0\n")), "7", "slices",
       true},
      {"nodes of the resources",
       "JobID|State|Submit|Start|End|AllocTRES\n"
       "7|COMPLETED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|gres/gpu:h100=16,"
       "node=2\n",
       "7", "nodes", 2},
      {"another delimiter of several characters",
       "JobID@@State@@Submit@@Start@@End@@AllocTRES\n"
       "7@@COMPLETED@@2026-08-03T01:00:00@@2026-08-03T01:10:00@@2026-08-03T01:40:00@@gres/gpu=16\n",
       "7", "gpus", 16},
      {"commas as delimiters and in the resources",
       "JobID,State,Submit,Start,End,AllocTRES\n"
       "7,COMPLETED,2026-08-03T01:00:00,2026-08-03T01:10:00,2026-08-03T01:40:00,cpu=8,gres/gpu=4,"
       "node=1\n",
       "7", "gpus", 4},
      {"a second header, of a further file",
       rows(row("7", "COMPLETED") + rows(row("8", "TIMEOUT"))), "8", "status", "timeout"},
      {"raw ids only",
       "JobIDRaw|State|Submit|Start|End\n"
       "7|COMPLETED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00\n"
       "7.batch|FAILED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00\n",
       "7", "status", "completed"},
      {"a bar in a name beside another free text",
       "JobID|JobName|State|Submit|Start|End|AdminComment\n"
       "7|a|b|COMPLETED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|\n",
       "7", "status", "completed"},
      {"an elapsed time in words of the clock",
       "JobID|State|Submit|Elapsed|Timelimit\n7|COMPLETED|2026-08-03T01:00:00|1-00:00:01|"
       "UNLIMITED\n",
       "7", "work_s", 86401},
      {"the cluster is part of what others call it",
       "JobID|Cluster|State|Submit|Start|End\n"
       "7|c1|COMPLETED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00\n",
       "7", "resource", "c1/7"},
      {"one id on two clusters",
       "JobID|Cluster|State|Submit|Start|End\n"
       "7|c1|COMPLETED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00\n"
       "7|c2|FAILED|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00\n",
       "c2/7", "status", "failed"},
  });
}

// As `reeve import slurm` reads them: an export with -p, steps, and Elapsed.
TEST(SlurmHistory, AnExportWithStepsAndWithoutRawColumns) {
  const History history = read_text(
      "JobID|JobName|User|Partition|Start|Submit|AllocTRES|NNodes|Elapsed|Timelimit|State|\n"
      "9001|a|u1|gpu|2025-01-05T12:03:00|2025-01-05T12:02:55|cpu=8,gres/gpu=2|1|3-15:54:02|"
      "4-03:50:00|COMPLETED|\n"
      "9001.batch|b||gpu|2025-01-05T12:03:00|2025-01-05T12:03:00|gres/gpu=2|1|3-15:54:02||FAILED|\n"
      "9002_3|s|u2|gpu|2025-01-07T02:07:26|2025-01-07T02:07:26|gres/gpu:a100=1,gres/gpu=1|1|"
      "2-02:00:06|2-02:00:00|TIMEOUT|\n"
      "9003|d|u3|gpu|2025-01-07T23:21:16|2025-01-07T23:21:15|gres/gpu:a100=4|2|12:11:43|UNLIMITED|"
      "CANCELLED by 4594|\n"
      "9004|p|u3|cpu|2025-01-08T01:00:00|2025-01-08T00:30:00|cpu=16|1|01:00:00|02:00:00|COMPLETED|"
      "\n"
      "9005|q|u4|gpu|Unknown|2025-01-08T05:00:00||0|00:00:00|1-00:00:00|PENDING|\n"
      "9006|q|u4|gpu|None|2025-01-08T06:00:00|gres/gpu=8|1|00:00:00|04:00:00|CANCELLED by 4594|\n"
      "9007|q|u4|gpu|2025-01-08T06:20:00|2025-01-08T06:00:00|gres/gpu=8|1|00:00:00|04:00:00|"
      "CANCELLED by 0|\n");
  expect_jobs(history, json::parse(R"({
    "9001": {"wait_s": 5, "work_s": 316442, "limit_s": 359400, "gpus": 2, "status": "completed",
             "attempts": null, "user": "u1", "nodes": 1},
    "9002_3": {"wait_s": 0, "work_s": 180006, "limit_s": 180000, "gpus": 1, "status": "timeout"},
    "9003": {"wait_s": 1, "work_s": 43903, "limit_s": null, "gpus": 4, "status": "killed"},
    "9004": {"wait_s": 1800, "gpus": 0, "status": "completed"},
    "9005": {"wait_s": null, "work_s": 0, "gpus": 0, "status": "pending", "limit_s": 86400},
    "9006": {"wait_s": null, "work_s": 0, "gpus": 8, "status": "never_started"},
    "9007": {"wait_s": 1200, "work_s": 0, "gpus": 8, "status": "never_started"}})"),
              "import slurm");
  EXPECT_TRUE(codes(history).empty());
}

TEST(SlurmHistory, WhatCannotBeUsedIsToldWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"seven|ana|COMPLETED|0:0|||||||||\n", "is no job id"},
      {row("7", "DONE"), "is no state"},
      {"7|ana|COMPLETED|0:0|Unknown|||||||||0\n", "fields"},
      {"7|ana|COMPLETED|0:0|Unknown||||||||0\n", "no time of submission"},
      {"7|ana|COMPLETED|0:0|2026-02-30T01:00:00||||||||0\n", "is no time"},
      {row("7", "COMPLETED", 3, "|gres/gpu=many|0\n"), "count that cannot be read"},
      {"7|a\xFFz" + row("7", "COMPLETED").substr(5), "no plain text"},
      {"7_[4-2]|ana|PENDING|0:0|2026-08-03T01:00:00|Unknown||0||||||\n", "fields"},
      {"7_[4-2]|ana|PENDING|0:0|2026-08-03T01:00:00|Unknown||0|||||\n", "no list of array tasks"},
  };
  for (const auto& [text, message] : faults) {
    const History history = read_text(rows(row("1", "COMPLETED") + text));
    ASSERT_EQ(history.files.at(0).warnings.size(), 1U) << text;
    const Diagnostic& found = history.files[0].warnings[0];
    EXPECT_EQ(found.code, "W0632") << text;
    EXPECT_EQ(found.position.line, 3U) << text;
    EXPECT_NE(found.message.find(message), std::string::npos) << found.message;
    EXPECT_EQ(history.jobs.size(), 1U) << text;
    EXPECT_EQ(history.files[0].records, 2U);
  }
}

TEST(SlurmHistory, TimesWithoutADateAreRefused) {
  for (const char* time : {"10:00:00", "Ystday 10:00", "Tue 10:00", "3 Aug 10:00"}) {
    const std::string text =
        std::string{"JobID|State|Submit|Start|End\n7|COMPLETED|"} + time + "|None|None\n";
    EXPECT_EQ(error_of([&] { read_text(text); }), "E0397") << time;
  }
}

TEST(SlurmHistory, ErrorsOfAFileNameWhatToDo) {
  EXPECT_EQ(error_of([] { read_text("JobID|Submit|State\n7|2026-08-03T01:00:00|FAILED\n"); }),
            "E0321");
  EXPECT_EQ(error_of([] { read_text("JobID|Elapsed|State\n7|01:00:00|FAILED\n"); }), "E0321");
  HistoryOptions zone;
  zone.timezone = "Mars/Olympus";
  EXPECT_EQ(error_of([&] { read_text(rows(row("7", "COMPLETED")), zone); }), "E0410");
  zone.timezone = "+2";
  EXPECT_EQ(error_of([&] { read_text(rows(row("7", "COMPLETED")), zone); }), "E0410");
  zone.timezone = "../etc/passwd";
  EXPECT_EQ(error_of([&] { read_text(rows(row("7", "COMPLETED")), zone); }), "E0410");
}

TEST(SlurmHistory, TimesThatSacctCutToTheWindowAreTold) {
  std::string text = "JobID|State|Submit|Start|End\n";
  for (int i = 1; i <= 6; ++i) {
    text += std::to_string(i) + "|COMPLETED|2026-07-3" + std::to_string(i % 2) + "T0" +
            std::to_string(i) + ":00:00|2026-08-01T00:00:00|2026-08-01T0" + std::to_string(i) +
            ":00:00\n";
  }
  const History history = read_text(text);
  EXPECT_EQ(codes(history), std::vector<std::string>{"W0641"});
  EXPECT_EQ(history.jobs.at(0).record.censored, true);
  EXPECT_FALSE(history.jobs.at(0).record.observed_wait);
}

TEST(SlurmHistory, RestartsThatTheFileDoesNotShowAreTold) {
  const History history = read_text(rows(row("7", "COMPLETED", 3, "||2\n")));
  EXPECT_EQ(codes(history), std::vector<std::string>{"W0641"});
  EXPECT_EQ(history.jobs.at(0).record.attempts, 3);
  EXPECT_FALSE(history.jobs.at(0).record.lost);
}

TEST(SlurmHistory, ARowThatStandsTwiceIsOneJob) {
  const History history =
      read_text(rows("7|ana|RUNNING|0:0|2026-08-03T01:00:00|2026-08-03T01:10:00|Unknown|60|60|1|" +
                     std::string{eight} + row("7", "COMPLETED")));
  EXPECT_EQ(codes(history), std::vector<std::string>{"W0620"});
  ASSERT_EQ(history.jobs.size(), 1U);
  EXPECT_EQ(history.jobs[0].record.end_status, EndStatus::completed);
  EXPECT_EQ(history.files[0].used, 1U);
}

TEST(SlurmHistory, AnIdOfAnEarlierFileIsAnotherJob) {
  History history;
  for (const int day : {3, 8}) {
    read_history_stream("file", std::make_unique<std::istringstream>(rows(row("7", "FAILED", day))),
                        {}, history);
  }
  sum_up_work(history, {});
  EXPECT_NE(job_named(history, "7"), nullptr);
  EXPECT_NE(job_named(history, "7@2026-08-08"), nullptr);
}

TEST(SlurmHistory, TheLatestTimeIsThatOfTheRunningJob) {
  const History history = read_text(
      rows(row("6", "COMPLETED") +
           "7|ana|RUNNING|0:0|2026-08-03T01:00:00|2026-08-03T01:10:00|Unknown|7200|UNLIMITED|1|" +
           std::string{eight}));
  EXPECT_EQ(show(*history.newest), "2026-08-03T03:10:00Z");
  EXPECT_EQ(seconds(*job_named(history, "7")->record.duration), 7200);
}

TEST(SlurmHistory, AListOfTasksThatSlurmCutIsTold) {
  const History history =
      read_text(rows("7_[1-3,...]|ana|PENDING|0:0|2026-08-03T01:00:00|Unknown|Unknown|0|60|1|" +
                     std::string{eight}));
  EXPECT_EQ(history.jobs.size(), 3U);
  EXPECT_EQ(codes(history), std::vector<std::string>{"W0632"});
}

TEST(SlurmHistory, EveryOrderOfRowsGivesTheSameJobs) {
  std::vector<std::string> lines = {row("7", "NODE_FAIL", 3), row("7", "PREEMPTED", 4),
                                    row("7", "COMPLETED", 5), row("8_1", "TIMEOUT", 3)};
  std::sort(lines.begin(), lines.end());
  do {
    std::string text;
    for (const std::string& line : lines) text += line;
    const History history = read_text(rows(text));
    ASSERT_EQ(history.jobs.size(), 2U) << text;
    EXPECT_EQ(history.jobs[0].record.job_id, "7");
    EXPECT_EQ(history.jobs[0].record.attempts, 3);
    EXPECT_EQ(seconds(*history.jobs[0].record.lost), 3600);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST(SlurmHistory, JobsWithoutPricesMakeAScenario) {
  History history = read_text(rows(row("7", "COMPLETED", 3, "|gres/gpu:a100=8,node=1|0\n") +
                                   row("8", "COMPLETED", 3, "|gres/gpu:h100=8,node=1|0\n")));
  JoinedHistory joined = join_history(history, {});
  keep_runnable(joined, history.bill);
  const std::string text = scenario_text(joined, {});
  EXPECT_NE(text.find("no price is known"), std::string::npos);
  EXPECT_NO_THROW(Document::parse(SourceFile::from_text("scenario.jsonc", text))) << text;
}

}  // namespace slurm_history_test
}  // namespace reeve::scenarios
