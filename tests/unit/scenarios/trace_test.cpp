// Job traces are read exactly, and every way a file can be broken is told with its place.
#include "scenarios/records/trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/exchange/job_import.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/name_set.hpp"

namespace reeve::scenarios {
namespace trace_test {

using namespace std::chrono_literals;

constexpr std::string_view header =
    "job_id,submit_s,user,queue,nodes,gpus_per_node,gpus_total,gpu_milli,gpu_type,duration_s,"
    "end_status,failure_reason,gpu_util_mean,priority,preemptible,observed_wait_s,attempts\n";

struct Job {  // a row that outlives the reader
  std::string id, user, queue, reason;
  TraceRow row;
};

struct Result {
  std::vector<Job> jobs;
  std::vector<Diagnostic> warnings;
};

Result read_all(TraceReader reader) {
  Result result;
  for (TraceRow row; reader.next(row);) {
    result.jobs.push_back({std::string{row.job_id}, std::string{row.user}, std::string{row.queue},
                           std::string{row.failure_reason}, row});
  }
  result.warnings = reader.warnings();
  return result;
}

Result read(const std::string& bytes, const TraceLimits& limits = {},
            const std::string& name = "t.csv") {
  return read_all(TraceReader{name, std::make_unique<std::istringstream>(bytes), limits});
}

Diagnostic refusal(const std::string& bytes, const TraceLimits& limits = {},
                   const std::string& name = "t.csv") {
  try {
    read(bytes, limits, name);
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "accepted: " << bytes.substr(0, 200);
  return {};
}

std::string place(const Diagnostic& found) {
  return found.code + " " + std::to_string(found.position.line) + ":" +
         std::to_string(found.position.column) + "+" + std::to_string(found.position.length);
}

// A refusal of one cell in an otherwise good row.
std::string refused_cell(const std::string& column, const std::string& cell) {
  return place(refusal("job_id,submit_s,duration_s," + column + "\na,0,1," + cell + "\n"));
}

std::string zipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Trace, ReadsEveryColumn) {
  const Result result =
      read(std::string{header} +
           "j1,1.5,ann,prod,2,8,16,1000,V100,3600.000000001,node_fail,\"a, \"\"b\"\"\","
           "95.5,-3,1,12,4\n"
           "j2,0,,,,,,,,,,,,,,,\n");
  ASSERT_EQ(result.jobs.size(), 2u);
  const TraceRow& row = result.jobs[0].row;
  EXPECT_EQ(result.jobs[0].id, "j1");
  EXPECT_EQ(row.line, 2u);
  EXPECT_EQ(row.submit, 1500ms);
  EXPECT_EQ(result.jobs[0].user, "ann");
  EXPECT_EQ(result.jobs[0].queue, "prod");
  EXPECT_EQ(row.nodes, 2);
  EXPECT_EQ(row.gpus_per_node, 8);
  EXPECT_EQ(row.gpus_total, 16);
  EXPECT_EQ(row.gpu_milli, 1000);
  EXPECT_EQ(row.duration, 1h + 1ns);
  EXPECT_EQ(row.end_status, EndStatus::node_failure);
  EXPECT_EQ(result.jobs[0].reason, "a, \"b\"");
  EXPECT_EQ(row.gpu_util_mean, 95.5);
  EXPECT_EQ(row.priority, -3);
  EXPECT_EQ(row.preemptible, true);
  EXPECT_EQ(row.observed_wait, 12s);
  EXPECT_EQ(row.attempts, 4);
  const TraceRow& unknown = result.jobs[1].row;  // empty stays unknown, nothing is invented
  EXPECT_EQ(unknown.nodes, std::nullopt);
  EXPECT_EQ(unknown.gpus_total, std::nullopt);
  EXPECT_EQ(unknown.duration, std::nullopt);
  EXPECT_EQ(unknown.end_status, EndStatus::unknown);
  EXPECT_EQ(unknown.gpu_util_mean, std::nullopt);
  EXPECT_EQ(unknown.priority, std::nullopt);
  EXPECT_EQ(unknown.preemptible, std::nullopt);
  EXPECT_EQ(unknown.observed_wait, std::nullopt);
  EXPECT_EQ(unknown.attempts, std::nullopt);
}

TEST(Trace, ColumnsMayStandInAnyOrderAndStrangersAreNoted) {
  const Result result = read(
      "\xEF\xBB\xBF"
      "duration_s, colour ,submit_s,qeue,job_id\r\n1,red,5,x,a\r\n\r\n2,,3,,b");
  ASSERT_EQ(result.jobs.size(), 2u);
  EXPECT_EQ(result.jobs[0].id, "a");
  EXPECT_EQ(result.jobs[0].row.submit, 5s);
  EXPECT_EQ(result.jobs[1].row.submit, 3s);  // not sorted: the caller's matter
  EXPECT_EQ(result.jobs[1].row.line, 4u);
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_EQ(place(result.warnings[0]), "W0301 1:12+8");
  EXPECT_EQ(result.warnings[1].help, "did you mean \"queue\"?");
}

TEST(Trace, QuotedFieldsHoldLineEndsAndPlacesStayRight) {
  const std::string text =
      "job_id,submit_s,duration_s,user\n\"a\nb\",0,1,\"x,\r\ny\"\nc,1,bad,\"\"\n";
  const Diagnostic found = refusal(text);
  EXPECT_EQ(place(found), "E0313 5:5+3");
  const Result good = read("job_id,submit_s,duration_s,user\n\"a\nb\",0,1,\"x,\r\ny\"\n");
  EXPECT_EQ(good.jobs.at(0).id, "a\nb");
  EXPECT_EQ(good.jobs.at(0).user, "x,\r\ny");
  const Diagnostic second_line = refusal("job_id,submit_s,duration_s,user\na,0,\"1\nx\",u\n");
  EXPECT_EQ(place(second_line), "E0313 2:5+2");
}

TEST(Trace, BadCellsAreRefusedInPlace) {
  EXPECT_EQ(refused_cell("nodes", "many"), "E0313 2:7+4");
  EXPECT_EQ(refused_cell("nodes", "-1"), "E0314 2:7+2");
  EXPECT_EQ(refused_cell("nodes", "1.5"), "E0316 2:7+3");
  EXPECT_EQ(refused_cell("nodes", "1e308"), "E0315 2:7+5");
  EXPECT_EQ(refused_cell("nodes", "99999999999999999999"), "E0315 2:7+20");
  EXPECT_EQ(refused_cell("observed_wait_s", "NaN"), "E0313 2:7+3");
  EXPECT_EQ(refused_cell("observed_wait_s", "inf"), "E0313 2:7+3");
  EXPECT_EQ(refused_cell("observed_wait_s", "-0.5"), "E0314 2:7+4");
  EXPECT_EQ(refused_cell("observed_wait_s", "1e10"), "E0315 2:7+4");
  EXPECT_EQ(refused_cell("observed_wait_s", "5s"), "E0313 2:7+2");
  EXPECT_EQ(refused_cell("gpu_util_mean", "nan"), "E0313 2:7+3");
  EXPECT_EQ(refused_cell("gpu_util_mean", "1e308"), "E0315 2:7+5");
  EXPECT_EQ(refused_cell("gpu_util_mean", "-1"), "E0314 2:7+2");
  EXPECT_EQ(refused_cell("preemptible", "maybe"), "E0319 2:7+5");
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\n,0,1\n")), "E0317 2:1+1");
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\na,,1\n")), "E0317 2:3+1");
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\na,-1,1\n")), "E0314 2:3+2");
  EXPECT_EQ(place(refusal("job_id,submit_s,duration_s\na,0,-1e-3\n")), "E0314 2:5+5");
  EXPECT_EQ(refusal("job_id,submit_s,duration_s\na,0,NaN\n").help,
            "leave the cell empty if the value is unknown");
}

TEST(Trace, CellsAsOtherProgramsWriteThem) {
  const Result result = read(
      "job_id,submit_s,duration_s,nodes,preemptible,end_status\n"
      "a, 1e3 ,0.1234567894999,8.0,True,Completed\n"
      "b,1000.0000000005,1e-10,,FALSE,cancelled\n");
  EXPECT_EQ(result.jobs[0].row.submit, 1000s);
  EXPECT_EQ(result.jobs[0].row.duration, 123456789ns);
  EXPECT_EQ(result.jobs[0].row.nodes, 8);
  EXPECT_EQ(result.jobs[0].row.preemptible, true);
  EXPECT_EQ(result.jobs[0].row.end_status, EndStatus::completed);
  EXPECT_EQ(result.jobs[1].row.submit, 1000s + 1ns);
  EXPECT_EQ(result.jobs[1].row.duration, 0ns);
  EXPECT_EQ(result.jobs[1].row.end_status, EndStatus::killed);
}

TEST(Trace, BrokenRecordsAreRefusedInPlace) {
  const std::string head = "job_id,submit_s,duration_s\n";
  EXPECT_EQ(place(refusal(head + "a,0\n")), "E0312 2:4+1");
  EXPECT_EQ(place(refusal(head + "a,0,1,x,y\n")), "E0312 2:7+1");
  EXPECT_EQ(place(refusal(head + "a,0,\"1\n")), "E0311 2:5+1");
  EXPECT_EQ(place(refusal(head + "\"a\"b,0,1\n")), "E0310 2:4+1");
  EXPECT_EQ(place(refusal(head + std::string{"a,0,1\nb\0,0,1\n", 13})), "E0308 3:2+1");
  EXPECT_EQ(place(refusal(head + "a,0,1\né\xFF,0,1\n")), "E0309 3:2+1");
  EXPECT_EQ(place(refusal(head + "a,0,1\nb,0,1\na,5,5\n")), "E0318 4:1+1");
  EXPECT_EQ(refusal(head + "a,0,1\nb,0,1\na,5,5\n").label, "first on line 2");
}

TEST(Trace, LongLinesAreRefusedWithoutReadingOn) {
  const std::string head = "job_id,submit_s,duration_s\n";
  const std::string fits = head + std::string((1u << 20) - 4, 'x') + ",0,1\n";
  EXPECT_EQ(read(fits).jobs.size(), 1u);
  EXPECT_EQ(place(refusal(head + std::string(1u << 20, 'x') + ",0,1\n")), "E0307 2:1+1");
  EXPECT_EQ(place(refusal(head + "a,0,1\nb,0,\"" + std::string(5u << 20, '\n'))), "E0311 3:5+1");
  EXPECT_EQ(place(refusal(std::string(3u << 20, 'x'))), "E0307 1:1+1");
  EXPECT_LT(render(refusal(std::string(3u << 20, 'x'))).size(), 600u);
}

TEST(Trace, HeadersAreChecked) {
  const Diagnostic missing = refusal("job_id,submit,duration_s\na,0,1\n");
  EXPECT_EQ(place(missing), "E0321 1:8+6");
  EXPECT_EQ(missing.help, "rename \"submit\" to \"submit_s\"");
  EXPECT_EQ(place(refusal("a,0,1\n")), "E0321 1:1+1");
  EXPECT_EQ(place(refusal("job_id,job_id,submit_s,duration_s\n")), "E0322 1:8+6");
  EXPECT_EQ(refusal("").message, "the file is empty");
  EXPECT_EQ(refusal("\n\n").message, "the file is empty");
  EXPECT_EQ(refusal(std::string{header}).message, "the trace has a header but no jobs");
}

TEST(TraceGzip, RunsOfBlankLinesAreRefusedEarly) {
  std::string text = "job_id,submit_s,duration_s\na,0,1\n";
  text += std::string(std::size_t{8} << 20, '\n');
  const Diagnostic found = refusal(zipped(text), {}, "t.csv.gz");
  EXPECT_EQ(found.code, "E0307");
  EXPECT_EQ(found.message, "more than 1048576 blank lines in a row");
  EXPECT_EQ(refusal(std::string(std::size_t{2} << 20, '\n')).code, "E0307");
}

TEST(TraceGzip, WhatUnpacksToMuchMoreIsRefusedEarly) {
  const std::string bomb = zipped(std::string(std::size_t{96} << 20, ' '));
  try {
    read_whole("t.gz", std::make_unique<std::istringstream>(bomb), std::uint64_t{1} << 33);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).code, "E0306");
  }
  const std::string some = zipped(std::string(std::size_t{32} << 20, ' '));
  EXPECT_EQ(read_whole("t.gz", std::make_unique<std::istringstream>(some), 1u << 30).size(),
            std::size_t{32} << 20);
}

TEST(TraceGzip, IsReadByItsContentAndMayHaveSeveralMembers) {
  const std::string head = "job_id,submit_s,duration_s\n";
  const std::string twice = zipped(head + "a,0,1\n") + zipped("b,0,1\n") + std::string(512, '\0');
  EXPECT_EQ(read(twice, {}, "t.csv.gz").jobs.size(), 2u);
  EXPECT_EQ(read(twice, {}, "t.csv").jobs.size(), 2u);
}

TEST(TraceGzip, DamageIsToldApart) {
  std::string text = "job_id,submit_s,duration_s\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919) + ",0,1\n";
  const std::string good = zipped(text);
  EXPECT_EQ(refusal(good.substr(0, good.size() / 2), {}, "t.csv.gz").code, "E0304");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 3), {}, "t.csv.gz").code, "E0304");
  EXPECT_EQ(refusal(good.substr(0, 5), {}, "t.csv.gz").code, "E0304");
  std::string wrong_crc = good;
  wrong_crc[good.size() - 8] = static_cast<char>(wrong_crc[good.size() - 8] ^ 1);
  EXPECT_EQ(refusal(wrong_crc, {}, "t.csv.gz").code, "E0303");
  std::string flipped = good;
  for (std::size_t i = good.size() / 2; i < good.size() / 2 + 50; ++i) flipped[i] = '\x55';
  EXPECT_EQ(refusal(flipped, {}, "t.csv.gz").code, "E0303");
  EXPECT_EQ(refusal(good + "tail", {}, "t.csv.gz").code, "E0303");
  EXPECT_EQ(refusal(text, {}, "t.csv.gz").code, "E0305");
  EXPECT_EQ(refusal("", {}, "t.csv.gz").code, "E0305");
}

TEST(TraceGzip, BombsAreRefused) {
  std::string text = "job_id,submit_s,duration_s\n";
  text += std::string(std::size_t{64} << 20, '\n');
  const std::string bomb = zipped(text);
  EXPECT_LT(bomb.size(), std::size_t{1} << 17);
  TraceLimits limits;
  limits.decompressed_bytes = std::size_t{1} << 20;
  EXPECT_EQ(refusal(bomb, limits, "t.csv.gz").code, "E0306");
}

TEST(Trace, RowsCanBePointedAtLater) {
  TraceReader reader{"t.csv", std::make_unique<std::istringstream>(
                                  "job_id,submit_s,duration_s,nodes\na,0,1,64\n")};
  TraceRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(place(reader.at("nodes", "E0400", "too many")), "E0400 2:7+2");
  EXPECT_EQ(place(reader.at("queue", "E0400", "absent")), "E0400 2:1+1");
}

TEST(Trace, FilesAreNamedWhenMissing) {
  try {
    TraceReader reader{std::filesystem::path{"/nonexistent/a.csv"}};
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).code, "E0001");
  }
}

std::string csv_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

TEST(Trace, ReadsBackWhatIsWritten) {
  EXPECT_TRUE(rc::check([] {
    std::string text = "job_id,user,submit_s,duration_s\n";
    std::vector<std::tuple<std::string, std::string, std::int64_t, std::int64_t>> jobs;
    const int count = *rc::gen::inRange(1, 20);
    for (int i = 0; i < count; ++i) {
      const auto pieces = *rc::gen::container<std::vector<std::string>>(
          rc::gen::element<std::string>("a", ",", "\"", "\n", "é", "\r\n", " "));
      std::string user;
      for (const std::string& piece : pieces) user += piece;
      const auto submit = *rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000);
      const auto duration = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
      const std::string id = "job-" + std::to_string(i);
      const auto decimal = [](std::int64_t ns) {
        return std::to_string(ns / 1'000'000'000) + "." +
               std::to_string(1'000'000'000 + ns % 1'000'000'000).substr(1);
      };
      text += id + "," + csv_quoted(user) + "," + decimal(submit) + "," + decimal(duration) +
              (i % 2 == 0 ? "\n" : "\r\n");
      jobs.emplace_back(id, user, submit, duration);
    }
    const Result result = read(*rc::gen::arbitrary<bool>() ? zipped(text) : text);
    RC_ASSERT(result.jobs.size() == jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& [id, user, submit, duration] = jobs[i];
      RC_ASSERT(result.jobs[i].id == id);
      RC_ASSERT(result.jobs[i].user == user);
      RC_ASSERT(result.jobs[i].row.submit.count() == submit);
      RC_ASSERT(result.jobs[i].row.duration->count() == duration);
    }
  }));
}

TEST(NameSet, FindsEveryRepetitionAndNothingElse) {
  NameSet names;
  std::map<std::string, std::uint64_t> oracle;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const std::string name = std::to_string(i * i % 30'011) + (i % 3 == 0 ? "" : "-suffix-longer");
    const auto [place, added] = oracle.emplace(name, i);
    const auto found = names.insert(name, i);
    ASSERT_EQ(found.has_value(), !added) << name;
    if (found) {
      ASSERT_EQ(*found, place->second);
    }
  }
  EXPECT_EQ(names.size(), oracle.size());
}

TEST(Trace, TheExampleOnThePageIsOne) {
  std::ifstream file{REEVE_SOURCE_DIR "/docs/how-to/replay-trace.md"};
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  const std::string_view fence = "```csv\n";
  const std::size_t begin = page.find(fence) + fence.size();
  ASSERT_LT(begin, page.size());
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const Result result = read(example);
  EXPECT_TRUE(result.warnings.empty());
  ASSERT_EQ(result.jobs.size(), 3u);
  EXPECT_EQ(result.jobs[1].row.duration, 8h);
}

TEST(Trace, ReadsTheSharedCanonicalTraces) {
  const std::filesystem::path folder = REEVE_SOURCE_DIR "/../shared/data/canonical";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no ../shared/data/canonical here";
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (!entry.path().string().ends_with(".csv.gz")) continue;
    const Result result = read_all(TraceReader{entry.path()});
    EXPECT_TRUE(result.warnings.empty()) << entry.path() << render(result.warnings);
    rows += result.jobs.size();
  }
  EXPECT_GT(rows, 100'000u);
}

}  // namespace trace_test
}  // namespace reeve::scenarios
