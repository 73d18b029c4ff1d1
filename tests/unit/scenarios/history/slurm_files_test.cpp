// Slurm's accounting in several files: whichever rows are in which file, the jobs are the same.
#include <map>
#include <random>

#include "scenarios/history/join.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"
#include "slurm_cases.hpp"

namespace reeve::scenarios {
namespace slurm_files_test {

using namespace slurm_history_test;

const std::string columns =
    "JobID|User|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|AllocTRES|Restarts";

/// Times are hours of June 2026.
std::string time_at(int hour) {
  return show(Instant{std::chrono::sys_days{std::chrono::June / 1 / 2026}} +
              std::chrono::hours{hour})
      .substr(0, 19);
}

std::string row(const std::string& id, const std::string& user, const std::string& state,
                int submit, int start, int end) {
  const bool ended = state != "RUNNING" && state != "PENDING";
  const bool ran = state != "PENDING";
  return id + '|' + user + '|' + state + '|' + time_at(submit) + '|' +
         (ran ? time_at(start) : "Unknown") + '|' + (ended ? time_at(end) : "Unknown") + '|' +
         std::to_string(ran ? (end - start) * 3600 : 0) + "|6000|1|gres/gpu=8,node=1|0";
}

using Rows = std::vector<std::string>;

/// Reads each file with a header before its rows, and sums up.
History read_files(const std::vector<Rows>& files, const std::string& header = columns) {
  History history;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string text = header + '\n';
    for (const std::string& each : files[i]) text += each + '\n';
    read_history_stream("file" + std::to_string(i), std::make_unique<std::istringstream>(text), {},
                        history);
  }
  sum_up_work(history, {});
  return history;
}

std::string told(const HistoryJob& job) {
  json all;
  for (const char* key :
       {"submit", "end", "wait_s", "work_s", "lost_s", "status", "cause", "gpus", "nodes",
        "censored", "attempts", "interruptions", "restarts", "user", "sweep", "resource"}) {
    all[key] = slurm_value(job, key);
  }
  return all.dump();
}

/// The jobs by name, after the merge by name that follows.
std::map<std::string, std::string> jobs_of(History history) {
  std::map<std::string, std::string> jobs;
  const std::size_t count = history.jobs.size();
  const JoinedHistory joined = join_history(history, {});
  EXPECT_EQ(joined.jobs.size(), count);
  for (const HistoryJob& job : joined.jobs) jobs[job.record.job_id] = told(job);
  return jobs;
}

TEST(SlurmFiles, AnIdOfTwoUsersIsTwoJobsInAnyOrderOfFiles) {
  const Rows june = {row("7", "ann", "COMPLETED", 0, 1, 3)};
  const Rows july = {row("7", "bob", "FAILED", 1000, 1001, 1002)};
  for (const auto& files : {std::vector{june, july}, std::vector{july, june}}) {
    const History history = read_files(files);
    ASSERT_EQ(history.jobs.size(), 2U);
    EXPECT_EQ(job_named(history, "7")->record.user, "ann");
    EXPECT_EQ(job_named(history, "7@2026-07-12")->record.user, "bob");
    EXPECT_TRUE(codes(history).empty());
  }
}

TEST(SlurmFiles, ARequeueInTheNextFileIsTheSameJob) {
  const Rows first = {row("50", "ann", "NODE_FAIL", 0, 1, 3)};
  const Rows second = {row("50", "ann", "COMPLETED", 3, 4, 9)};
  for (const auto& files : {std::vector{first, second}, std::vector{second, first}}) {
    const History history = read_files(files);
    ASSERT_EQ(history.jobs.size(), 1U);
    EXPECT_EQ(history.jobs[0].record.restarts, 1);
    EXPECT_EQ(seconds(*history.jobs[0].record.lost), 7200);
    EXPECT_EQ(seconds(*history.jobs[0].record.duration), 18000);
  }
}

TEST(SlurmFiles, ClustersWithoutANameThatContradictAreTwoJobs) {
  struct Pair {
    std::string what, first, second;
  };
  const std::vector<Pair> pairs = {
      {"other user", row("7", "ann", "COMPLETED", 0, 1, 3), row("7", "zed", "COMPLETED", 4, 5, 6)},
      {"at a time", row("7", "ann", "COMPLETED", 0, 1, 4), row("7", "ann", "COMPLETED", 1, 2, 3)},
      {"a day", row("7", "ann", "COMPLETED", 0, 1, 4), row("7", "zed", "COMPLETED", 0, 1, 4)},
  };
  for (const Pair& pair : pairs) {
    const History history = read_files({{pair.first}, {pair.second}});
    ASSERT_EQ(history.jobs.size(), 2U) << pair.what;
    ASSERT_EQ(codes(history), std::vector<std::string>{"W0618"}) << pair.what;
    const Diagnostic& found = history.files[1].warnings[0];
    EXPECT_EQ(found.file, "file1");
    EXPECT_EQ(found.position.line, 2U);
    EXPECT_NE(found.message.find("line 2 of file0"), std::string::npos) << found.message;
  }
}

TEST(SlurmFiles, JobsOfOneIdAndDayHaveDifferentNames) {
  Rows all;
  for (const char* user : {"a", "b", "c", "d"}) {
    all.push_back(row("7", user, "COMPLETED", 0, 1, 3));
    all.push_back(row("7", user, "COMPLETED", 2, 4, 5));
  }
  EXPECT_EQ(jobs_of(read_files({all})).size(), read_files({all}).jobs.size());
  EXPECT_GE(read_files({all}).jobs.size(), 4U);
}

TEST(SlurmFiles, AFileWithoutTheClusterIsOfTheClusterThatOthersName) {
  History history;
  const std::string first = "Cluster|" + columns + "\nmain|" + row("5", "u", "NODE_FAIL", 0, 1, 3);
  const std::string second = columns + '\n' + row("5", "u", "COMPLETED", 3, 4, 9);
  for (const std::string& text : {second, first}) {
    read_history_stream("file", std::make_unique<std::istringstream>(text + '\n'), {}, history);
  }
  sum_up_work(history, {});
  ASSERT_EQ(history.jobs.size(), 1U);
  EXPECT_EQ(history.jobs[0].record.restarts, 1);
  EXPECT_EQ(history.jobs[0].resource, "main/5");
}

TEST(SlurmFiles, ARowOfTwoFilesIsUsedOnce) {
  const Rows june = {row("7", "ann", "RUNNING", 0, 1, 3), row("8", "ann", "RESIZING", 0, 1, 3)};
  const Rows july = {row("7", "ann", "COMPLETED", 0, 1, 9), june[1],
                     row("8", "ann", "COMPLETED", 0, 3, 5)};
  for (const bool is_reversed : {false, true}) {
    const History history =
        read_files(is_reversed ? std::vector{july, june} : std::vector{june, july});
    ASSERT_EQ(history.jobs.size(), 2U);
    EXPECT_EQ(seconds(*job_named(history, "7")->record.duration), 8 * 3600);
    EXPECT_EQ(seconds(*job_named(history, "8")->record.duration), 4 * 3600);
    EXPECT_EQ(history.files[0].used + history.files[1].used, 3U);
    EXPECT_EQ(codes(history), std::vector<std::string>(2, "W0620"));
  }
}

TEST(SlurmFiles, ARunningJobLastsUntilItsOwnFileWasWritten) {
  const History history =
      read_files({{row("7", "ann", "RUNNING", 0, 1, 3)}, {row("8", "ann", "COMPLETED", 0, 1, 99)}});
  EXPECT_EQ(seconds(*job_named(history, "7")->record.duration), 2 * 3600);
}

TEST(SlurmFiles, ARefusedFileLeavesNoRecord) {
  const auto folder = std::filesystem::temp_directory_path() / "reeve_slurm_files_test";
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "a.psv"} << columns << '\n' << row("7", "ann", "NODE_FAIL", 0, 1, 3);
  std::ofstream{folder / "b.psv"} << columns << '\n'
                                  << row("7", "ann", "COMPLETED", 3, 4, 9) << '\n'
                                  << "8|ann|COMPLETED|10:00:00|None|None|0|60|1|node=1|0\n";
  HistoryOptions options;
  options.keep_going = true;
  const History history =
      read_history({(folder / "b.psv").string(), (folder / "a.psv").string()}, options);
  ASSERT_EQ(history.jobs.size(), 1U);
  EXPECT_EQ(history.jobs[0].record.end_status, EndStatus::node_failure);
  std::filesystem::remove_all(folder);
}

/// Jobs with requeues, ids that are used again, arrays and parts.
Rows generated(std::mt19937& random) {
  const auto below = [&](unsigned most) { return static_cast<int>(random() % most); };
  Rows rows;
  for (int job = 1; job <= 12; ++job) {
    int at = below(50);
    for (int use = 0; use <= below(3); ++use) {
      const std::string user = "u" + std::to_string(below(4));
      const int tasks = below(3) == 0 ? 3 : 0;
      const bool has_parts = tasks == 0 && below(4) == 0;
      const int submit = at;
      for (int task = 0; task < std::max(1, tasks); ++task) {
        const std::string id = std::to_string(job) + (tasks > 0 ? "_" + std::to_string(task) : "");
        int now = submit;
        for (int attempts = below(4); attempts >= 0; --attempts) {
          constexpr const char* fates[] = {"NODE_FAIL", "PREEMPTED", "REQUEUED"};
          const std::string state = attempts > 0 ? fates[below(3)] : "COMPLETED";
          const int start = now + below(4), end = start + 1 + below(30);
          rows.push_back(row(id + (has_parts ? "+0" : ""), user, state, now, start, end));
          if (has_parts) rows.push_back(row(id + "+1", user, state, now, start, end));
          now = end;
        }
        at = std::max(at, now);
      }
      at += 30 + below(500);
    }
  }
  return rows;
}

TEST(SlurmFiles, EverySplitOfAFileHasTheSameJobs) {
  std::mt19937 random{20260601};
  for (int round = 0; round < 60; ++round) {
    Rows rows = generated(random);
    const auto whole = jobs_of(read_files({rows}));
    ASSERT_FALSE(whole.empty());
    for (unsigned count = 1; count <= 4; ++count) {
      const bool in_order = random() % 2 == 0;
      if (!in_order) std::shuffle(rows.begin(), rows.end(), random);
      std::vector<Rows> files(count);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        files[in_order ? i * count / rows.size() : random() % count].push_back(rows[i]);
        if (random() % 5 == 0) files[random() % count].push_back(rows[i]);  // exports overlap
      }
      std::shuffle(files.begin(), files.end(), random);
      EXPECT_EQ(jobs_of(read_files(files)), whole) << "round " << round << ", files " << count;
    }
  }
}

}  // namespace slurm_files_test
}  // namespace reeve::scenarios
