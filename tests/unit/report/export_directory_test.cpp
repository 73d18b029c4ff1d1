#include "report/export_directory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "csv_text.hpp"
#include "report/journal_file.hpp"
#include "report/schema.hpp"
#include "tests/sanitizers.hpp"
#include "weekend_run.hpp"

namespace reeve::report {
namespace export_directory_test {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class ExportDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path{testing::TempDir()} / "reeve-export" / test->name();
    fs::remove_all(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator{directory_}) {
      out.push_back(entry.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  static constexpr ExportTables everything{{true, true, true, true, true}, true, true};
  fs::path directory_;
};

TEST_F(ExportDirectoryTest, LeavesNoDirectoryOfItsOwnIfNothingIsWritten) {
  const fs::path before = directory_ / "there before";
  fs::create_directories(before);
  { const ExportDirectory out{before / "new" / "deep", everything}; }
  EXPECT_FALSE(fs::exists(before / "new"));
  EXPECT_TRUE(fs::exists(before)) << "not made by the export";
  WeekendRun run = weekend_run();
  {
    ExportDirectory out{before / "new" / "deep", everything};
    out.add(run.rows());
    out.finish({"name", "", ""});
  }
  EXPECT_TRUE(fs::exists(before / "new" / "deep" / "runs.csv"));
}

TEST_F(ExportDirectoryTest, DescribesEveryTableItWrites) {
  WeekendRun first = weekend_run();
  WeekendRun second = weekend_run();
  second.info.replication = 1;
  second.record.partial = true;
  ExportDirectory out{directory_, everything};
  out.add(first.rows());
  out.add(second.rows());
  out.finish({"Stalled weekend", "A title", "a paper"});

  EXPECT_EQ(names(),
            (std::vector<std::string>{"alarms.csv", "attempts.csv", "datapackage.json",
                                      "decisions.csv", "events.csv", "jobs.csv", "ledger.csv",
                                      "metrics.csv", "pools.csv", "preemptions.csv", "queue.csv",
                                      "runs.csv", "spot.csv", "stops.csv", "utilization.csv"}));
  const auto package = nlohmann::json::parse(contents(directory_ / "datapackage.json"));
  EXPECT_EQ(package["name"], "stalled-weekend");
  ASSERT_EQ(package["resources"].size(), table_count);
  for (const auto& resource : package["resources"]) {
    const std::string text = contents(directory_ / std::string{resource["path"]});
    EXPECT_EQ(resource["bytes"], text.size());
    const CsvRows rows = parse_csv(text);
    EXPECT_EQ(resource["x_rows"], rows.size() - 1) << resource["name"];
    std::vector<std::string> fields;
    for (const auto& field : resource["schema"]["fields"]) {
      fields.push_back(field["name"]);
      EXPECT_FALSE(std::string{field["description"]}.empty());
    }
    EXPECT_EQ(rows[0], fields);
    // The primary key is one.
    const std::size_t key = resource["schema"]["primaryKey"].size();
    std::set<std::vector<std::string>> seen;
    for (std::size_t row = 1; row < rows.size(); ++row) {
      std::vector<std::string> value{rows[row].begin(),
                                     rows[row].begin() + static_cast<std::ptrdiff_t>(key)};
      EXPECT_TRUE(seen.insert(value).second) << resource["name"];
    }
  }
  EXPECT_EQ(package["x_reeve"]["partial"], true);
  const auto& runs = package["x_reeve"]["runs"];
  EXPECT_EQ(runs[1]["run_id"], "gpu-alarm/1");
  EXPECT_EQ(runs[0]["partial"], false);
  EXPECT_EQ(runs[0]["digest"], "4be1c90a");
  const CsvRows decisions = parse_csv(contents(directory_ / "decisions.csv"));
  EXPECT_EQ(runs[1]["decisions_hash"], decisions.back().back());
}

TEST_F(ExportDirectoryTest, LeavesOutTablesThatRunsDidNotKeep) {
  const WeekendRun run = weekend_run();
  {
    ExportDirectory full{directory_, everything};
    full.add(run.rows());
    full.finish({"weekend", "", ""});
  }
  std::ofstream{directory_ / "mine.txt"} << "keep";
  ExportDirectory out{directory_, {}};
  out.add(run.rows());
  out.finish({"weekend", "", ""});
  EXPECT_EQ(names(), (std::vector<std::string>{"alarms.csv", "datapackage.json", "jobs.csv",
                                               "metrics.csv", "mine.txt", "pools.csv",
                                               "preemptions.csv", "runs.csv", "stops.csv"}));
}

TEST_F(ExportDirectoryTest, ChangesNothingUnlessFinished) {
  const WeekendRun run = weekend_run();
  {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.finish({"weekend", "", ""});
  }
  const std::string before = contents(directory_ / "runs.csv");
  {
    ExportDirectory out{directory_, everything};
    out.add(run.rows());
    out.add(run.rows());
  }
  EXPECT_EQ(contents(directory_ / "runs.csv"), before);
  EXPECT_EQ(names().size(), 8u);
}

TEST_F(ExportDirectoryTest, RefusesADirectoryThatAnotherExportWrites) {
  const WeekendRun run = weekend_run();
  ExportDirectory first{directory_, {}};
  EXPECT_THROW((ExportDirectory{directory_, {}}), std::runtime_error);
  first.add(run.rows());
  first.finish({"weekend", "", ""});
  EXPECT_EQ(names().size(), 8u);
  EXPECT_NO_THROW((ExportDirectory{directory_, {}}));
  EXPECT_EQ(names().size(), 8u) << "the second changed nothing, as it did not finish";
}

TEST_F(ExportDirectoryTest, IsMarkedUntilItIsFinished) {
  const WeekendRun run = weekend_run();
  ExportDirectory out{directory_, {}};
  EXPECT_TRUE(is_incomplete(directory_));
  out.add(run.rows());
  EXPECT_TRUE(is_incomplete(directory_));
  out.finish({"weekend", "", ""}, "{}");
  EXPECT_FALSE(is_incomplete(directory_));
  EXPECT_EQ(contents(directory_ / "manifest.json"), "{}");
}

std::unique_ptr<JournalFile> journal_of(const fs::path& file, std::string_view lines) {
  auto journal = std::make_unique<JournalFile>(file);
  journal->stream() << "reeve-journal 2\n" << lines;
  journal->close();
  return journal;
}

TEST_F(ExportDirectoryTest, PutsJournalsInPlaceWithTheTables) {
  const WeekendRun run = weekend_run();
  const fs::path file = directory_ / "none.journal";
  {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.add_journal(journal_of(file, "first\n"));
    EXPECT_FALSE(fs::exists(file));
    out.finish({"weekend", "", ""});
  }
  const std::string first = contents(directory_ / "datapackage.json");
  EXPECT_EQ(nlohmann::json::parse(first)["x_reeve"]["journals"],
            nlohmann::json::parse(R"([{"path": "none.journal", "bytes": 22}])"));
  {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.add_journal(journal_of(file, "second\n"));
  }
  EXPECT_EQ(contents(file), "reeve-journal 2\nfirst\n") << "the second was not finished";
  EXPECT_EQ(contents(directory_ / "datapackage.json"), first);
}

TEST_F(ExportDirectoryTest, RemovesJournalsOfTheEarlierExport) {
  const WeekendRun run = weekend_run();
  fs::create_directories(directory_);
  std::ofstream{directory_ / "mine.journal"} << "reeve-journal 2\n";
  for (const bool with_journal : {true, false}) {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    if (with_journal) {
      out.add_journal(journal_of(directory_ / "one.journal", ""));
      out.add_journal(journal_of(directory_ / "two.journal", ""));
      out.add_journal(journal_of(directory_ / "three.journal", ""));
    }
    out.finish({"weekend", "", ""});
    if (with_journal) std::ofstream{directory_ / "two.journal"} << "notes";
    if (with_journal) std::ofstream{directory_ / "three.journal"} << "reeve-journal 2\nother\n";
  }
  EXPECT_FALSE(fs::exists(directory_ / "one.journal"));
  EXPECT_TRUE(fs::exists(directory_ / "two.journal")) << "no journal any more";
  EXPECT_TRUE(fs::exists(directory_ / "three.journal")) << "the journal of another command";
  EXPECT_TRUE(fs::exists(directory_ / "mine.journal")) << "no export wrote it";
}

TEST_F(ExportDirectoryTest, IsMarkedIfAJournalCannotBePutInPlace) {
  const WeekendRun run = weekend_run();
  const fs::path file = directory_ / "none.journal";
  {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.add_journal(journal_of(file, ""));
    fs::create_directories(file / "not empty");
    EXPECT_THROW(out.finish({"weekend", "", ""}), std::runtime_error);
  }
  EXPECT_TRUE(is_incomplete(directory_));
  fs::remove_all(file);
  std::ofstream{file} << "reeve-journal 2\n";  // as one that was put in place before a kill
  {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.finish({"weekend", "", ""});
  }
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(is_incomplete(directory_));
}

TEST_F(ExportDirectoryTest, ReplacesALinkWithAJournal) {
  fs::create_directories(directory_);
  const fs::path file = directory_ / "none.journal";
  fs::create_symlink("target", file);
  journal_of(file, "")->put_in_place();
  EXPECT_FALSE(fs::exists(directory_ / "target"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
  EXPECT_TRUE(is_journal(file));
}

TEST_F(ExportDirectoryTest, LeavesNoMarkIfAFileCannotBeOpened) {
  if (tests::with_sanitizers) GTEST_SKIP() << "the sanitizers need file descriptors of their own";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  fs::create_directories(directory_);
  bool failed = false;
  for (rlim_t files = 4; files < 40; ++files) {
    const rlimit few{files, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    try {
      const ExportDirectory out{directory_, everything};
    } catch (const std::runtime_error&) {
      failed = true;
    }
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(names(), std::vector<std::string>{}) << files;
  }
  EXPECT_TRUE(failed);
}

TEST_F(ExportDirectoryTest, KeepsThePermissionsOfTheFilesItReplaces) {
  const WeekendRun run = weekend_run();
  const auto permissions = [&](const char* file) {
    return fs::status(directory_ / file).permissions();
  };
  for (int time = 0; time < 2; ++time) {
    ExportDirectory out{directory_, {}};
    out.add(run.rows());
    out.finish({"weekend", "", ""}, "{}");
    if (time > 0) continue;
    for (const char* const file : {"jobs.csv", "datapackage.json", "manifest.json"}) {
      fs::permissions(directory_ / file, fs::perms{0600});
    }
    fs::permissions(directory_ / "runs.csv", fs::perms{0660});
  }
  EXPECT_EQ(permissions("jobs.csv"), fs::perms{0600});
  EXPECT_EQ(permissions("datapackage.json"), fs::perms{0600});
  EXPECT_EQ(permissions("manifest.json"), fs::perms{0600});
  EXPECT_EQ(permissions("runs.csv"), fs::perms{0660});
}

TEST_F(ExportDirectoryTest, RemovesTheParentsOfADirectoryThatCannotBeCreated) {
  fs::create_directories(directory_);
  const fs::path too_long = directory_ / "new" / std::string(300, 'x');
  EXPECT_THROW((ExportDirectory{too_long, {}}), std::runtime_error);
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST(TemporaryFile, KnowsWhatItWasToBecome) {
  EXPECT_EQ(becomes_of("out/.runs.csv.123-4.tmp"), "runs.csv");
  EXPECT_EQ(becomes_of(".runs.csv.tmp"), "runs.csv");
  EXPECT_EQ(becomes_of(".a.b.journal.1-0.tmp"), "a.b.journal");
  EXPECT_EQ(becomes_of("runs.csv"), "");
}

TEST_F(ExportDirectoryTest, FollowsNoLinks) {
  fs::create_directories(directory_);
  const fs::path victim = directory_.string() + "-victim";
  std::ofstream{victim} << "precious";
  fs::create_symlink(victim, directory_ / "jobs.csv");
  fs::create_symlink(victim, directory_ / ".jobs.csv.tmp");
  const WeekendRun run = weekend_run();
  ExportDirectory out{directory_, {}};
  out.add(run.rows());
  out.finish({"weekend", "", ""});
  EXPECT_EQ(contents(victim), "precious");
  EXPECT_FALSE(fs::is_symlink(directory_ / "jobs.csv"));
  fs::remove(victim);
}

TEST_F(ExportDirectoryTest, WritesTheSameBytesTwice) {
  const WeekendRun run = weekend_run();
  std::vector<std::string> seen;
  for (int time = 0; time < 2; ++time) {
    ExportDirectory out{directory_, everything};
    out.add(run.rows());
    out.finish({"weekend", "", ""});
    std::string all;
    for (const std::string& name : names()) all += contents(directory_ / name);
    seen.push_back(all);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_GT(seen[0].size(), 1000u);
}

TEST_F(ExportDirectoryTest, NamesThePathItCannotCreate) {
  fs::create_directories(directory_);
  std::ofstream{directory_ / "file"} << "x";
  try {
    ExportDirectory out{directory_ / "file" / "out", {}};
    FAIL() << "a file is not a directory";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find((directory_ / "file" / "out").string()),
              std::string::npos)
        << error.what();
  }
}

}  // namespace export_directory_test
}  // namespace reeve::report
