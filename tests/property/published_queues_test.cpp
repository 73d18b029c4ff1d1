// What others published of their queues, met by the oracle and, where a rule has the algorithm, by
// reeve: seconds as printed there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/measures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/csv.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests {
namespace published_queues_test {

namespace fs = std::filesystem;

const fs::path data = REEVE_SOURCE_DIR "/../shared/data";

/// The columns of a file as numbers; text is 0.
std::vector<std::map<std::string, std::int64_t>> rows_of(const fs::path& file) {
  const std::uint64_t limit = 1u << 30;
  scenarios::CsvReader reader{file.string(),
                              scenarios::Inflater{file.string(), scenarios::open_file(file), limit},
                              1u << 20};
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::int64_t>> rows;
  while (reader.next()) {
    if (columns.empty()) {
      columns.assign(reader.fields().begin(), reader.fields().end());
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t at = 0; at < columns.size(); ++at) {
      row[columns[at]] = std::atoll(std::string{reader.fields().at(at)}.c_str());
    }
  }
  return rows;
}

struct Published {
  double mean_time_to_result_s = 0;
  double mean_wait_s = 0;
  oracle::Tick makespan_s = 0;
};

/// Each job as often as its weight says.
Published means(const std::vector<oracle::Job>& jobs, const std::vector<oracle::Course>& courses,
                const std::vector<std::int64_t>& weights) {
  std::int64_t results = 0;
  std::int64_t waits = 0;
  Published out;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    results += weights[job] * (courses[job].done - jobs[job].submit);
    waits += weights[job] * (courses[job].first_start() - jobs[job].submit);
    out.makespan_s = std::max(out.makespan_s, courses[job].done);
  }
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  out.mean_time_to_result_s = static_cast<double>(results) / static_cast<double>(all);
  out.mean_wait_s = static_cast<double>(waits) / static_cast<double>(all);
  return out;
}

/// One run of reeve on the jobs that `work` is the key of; `rule` is in the braces of `schedule`.
std::map<std::string, double> measured_of(const std::string& work, const fs::path& folder,
                                          std::int64_t capacity, const std::string& rule) {
  constexpr const char* text = R"jsonc({{
    "reeve": 1,
    "name": "published",
    "clock": {{ "start": "2020-01-01T00:00:00Z", "horizon": "until_done" }},
    "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 1, "gpus": 1 }} }} }},
    "fleet": [ {{ "name": "cluster", "instance_type": "gpu", "capacity": {},
                  "market": "reserved" }} ],
    "platform": {{ "model": "ideal" }},
    "queues": [ {{ "name": "main" }} ],
    {},
    "policies": {{ "only": [ {{ "rule": "schedule", {} }} ] }}
  }})jsonc";
  const auto scenario =
      scenarios::load(scenarios::SourceFile::from_text("published.jsonc",
                                                       fmt::format(text, capacity, work, rule)),
                      folder)
          .scenario;
  const auto result = experiments::run(scenario, scenario.policies.front(), 0);
  std::map<std::string, double> out;
  for (const experiments::Measure& measure : experiments::measures(scenario, result)) {
    if (measure.value) out[measure.name] = experiments::as_double(*measure.value);
  }
  return out;
}

/// Of a trace in reeve's form.
std::map<std::string, double> measured(const std::string& trace, const fs::path& folder,
                                       std::int64_t capacity, const std::string& rule) {
  constexpr const char* text = R"("workload": {{ "trace": "{}", "format": "canonical",
    "instances_from": "gpus_total", "estimates_from": "duration_s", "end_status": "ignore",
    "queue": "main", "checkpoint": {{ "every": "1s" }} }})";
  return measured_of(fmt::format(text, trace), folder, capacity, rule);
}

double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

/// 20,000 jobs on 650,000 hundredths of a GPU and 15,093,000 of a processor.  A row's `gpu_pct` and
/// `cpu_pct` are of one instance; its `instances` start together, each takes `duration_s`, and each
/// counts in the means (a row of four is four times to result).
struct PaiLike {
  std::vector<oracle::Job> jobs;
  std::vector<std::int64_t> weights;
  oracle::Amounts capacity{650'000, 15'093'000};

  static bool is_here() { return fs::exists(file()); }
  static fs::path file() { return data / "pai_like_20k" / "jobs.csv.gz"; }

  PaiLike() {
    for (const auto& row : rows_of(file())) {
      oracle::Job job;
      job.submit = row.at("submit_s");
      job.work = row.at("duration_s");
      job.needs = {row.at("gpu_pct") * row.at("instances"),
                   row.at("cpu_pct") * row.at("instances")};
      jobs.push_back(job);
      weights.push_back(row.at("instances"));
    }
  }

  /// reeve's form: one resource, hundredths of a GPU as machines.
  void write(const fs::path& trace) const {
    std::ofstream out{trace};
    out << "job_id,submit_s,gpus_total,duration_s,weight\n";
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      out << fmt::format("j{},{},{},{},{}\n", job, jobs[job].submit, jobs[job].needs.front(),
                         jobs[job].work, weights[job]);
    }
  }
};

/// What the unmodified simulator of Alibaba's PAI printed; every queued job that fits starts.
struct PaiAnswer {
  const char* algorithm;
  oracle::Rank rank;
  double mean_time_to_result_s, mean_wait_s;
};

const std::vector<PaiAnswer>& pai_answers() {
  static const std::vector<PaiAnswer> all{{"fifo", oracle::by_submission(), 7007.26, 2133.28},
                                          {"sjf", oracle::by_estimate(), 5751.71, 877.72}};
  return all;
}

TEST(PublishedQueues, OfPaiAreMetByTheOracle) {
  if (!PaiLike::is_here()) GTEST_SKIP() << "no ../shared/data/pai_like_20k here";
  const PaiLike pai;
  ASSERT_EQ(pai.jobs.size(), 20'000u);
  for (const PaiAnswer& answer : pai_answers()) {
    oracle::InOrder order{answer.rank, oracle::Behind::may_pass};
    const auto courses = oracle::schedule(pai.jobs, pai.capacity, order);
    const Published met = means(pai.jobs, courses, pai.weights);
    EXPECT_EQ(rounded(met.mean_time_to_result_s, 2), answer.mean_time_to_result_s)
        << answer.algorithm;
    EXPECT_EQ(rounded(met.mean_wait_s, 2), answer.mean_wait_s) << answer.algorithm;
  }
}

// A fleet has one resource.  The processors never are what is short (the figures come out without
// them), so the GPUs alone are the same queue.
TEST(PublishedQueues, OfPaiAreMetByTheRule) {
  if (!PaiLike::is_here()) GTEST_SKIP() << "no ../shared/data/pai_like_20k here";
  const PaiLike pai;
  const fs::path folder{::testing::TempDir()};
  pai.write(folder / "pai_like_20k.csv");
  for (const PaiAnswer& answer : pai_answers()) {
    const auto met =
        measured("pai_like_20k.csv", folder, pai.capacity.front(),
                 fmt::format(R"("algorithm": "{}", "backfill": "any_fit")", answer.algorithm));
    EXPECT_EQ(rounded(met.at("weighted_mean_time_to_result_s"), 2), answer.mean_time_to_result_s)
        << answer.algorithm;
    EXPECT_EQ(rounded(met.at("weighted_mean_wait_s"), 2), answer.mean_wait_s) << answer.algorithm;
    EXPECT_EQ(met.at("ledger.residual_usd"), 0);
  }
  fs::remove(folder / "pai_like_20k.csv");
}

/// Of a trace in reeve's form, one resource: GPUs.
std::vector<oracle::Job> jobs_of(const fs::path& file) {
  std::vector<oracle::Job> jobs;
  for (const auto& row : rows_of(file)) {
    oracle::Job job;
    job.submit = row.at("submit_s");
    job.work = row.at("duration_s");
    job.needs = {row.at("gpus_total")};
    jobs.push_back(job);
  }
  return jobs;
}

/// 60 jobs on 2 nodes of 8 GPUs, GPUs counted and not placed (`count`).  `avg_jct_from_log` is the
/// mean time from submission to result (the `avg_jct_reported` beside it is cut to whole seconds),
/// `makespan_reported` the end of the last job; `fjf` is "fit job first".
struct TiresiasAnswer {
  const char* policy;
  oracle::Behind behind;
  const char* rule;
  double mean_time_to_result_s;
  oracle::Tick makespan_s;
};

constexpr std::int64_t tiresias_gpus = 16;
constexpr const char* tiresias_file = "tiresias_60.csv.gz";

const std::vector<TiresiasAnswer>& tiresias_answers() {
  static const std::vector<TiresiasAnswer> all{
      {"fifo_count", oracle::Behind::waits, R"("algorithm": "fifo")", 200.817, 3'335},
      {"fjf_count", oracle::Behind::may_pass, R"("algorithm": "fifo", "backfill": "any_fit")",
       190.683, 3'271}};
  return all;
}

TEST(PublishedQueues, OfTiresiasAreMetByTheOracle) {
  const fs::path file = data / "canonical" / tiresias_file;
  if (!fs::exists(file)) GTEST_SKIP() << "no ../shared/data/canonical here";
  const std::vector<oracle::Job> jobs = jobs_of(file);
  ASSERT_EQ(jobs.size(), 60u);
  for (const TiresiasAnswer& answer : tiresias_answers()) {
    oracle::InOrder order{oracle::by_submission(), answer.behind};
    const auto courses = oracle::schedule(jobs, {tiresias_gpus}, order);
    const Published met = means(jobs, courses, std::vector<std::int64_t>(jobs.size(), 1));
    EXPECT_EQ(rounded(met.mean_time_to_result_s, 3), answer.mean_time_to_result_s) << answer.policy;
    EXPECT_EQ(met.makespan_s, answer.makespan_s) << answer.policy;
  }
}

TEST(PublishedQueues, OfTiresiasAreMetByTheRule) {
  if (!fs::exists(data / "canonical" / tiresias_file)) {
    GTEST_SKIP() << "no ../shared/data/canonical here";
  }
  for (const TiresiasAnswer& answer : tiresias_answers()) {
    const auto met = measured(tiresias_file, data / "canonical", tiresias_gpus, answer.rule);
    EXPECT_EQ(rounded(met.at("mean_time_to_result_s"), 3), answer.mean_time_to_result_s)
        << answer.policy;
    EXPECT_EQ(met.at("makespan"), static_cast<double>(answer.makespan_s)) << answer.policy;
  }
}

/// Muri's testbed: 400 jobs on 8 nodes of 8 GPUs, measured (`result.out`).  What an ideal pool does
/// is better, for three reasons: there all starts are at multiples of 360 s or seconds later
/// (rounds), a job wants its GPUs on as few nodes as hold them (`yarn`), and work took longer than
/// `duration` says (column `real_executed_time`): 5 % of job time, 10 % of GPU time.
struct MuriAnswer {
  const char* policy;
  oracle::Rank rank;
  double mean_time_to_result_s, makespan_s;
  double deviation_pct, makespan_deviation_pct;  ///< of the ideal pool, in whole percent
};

TEST(PublishedQueues, OfMurisTestbedAreMetButForItsRoundsAndNodes) {
  const fs::path file = data / "canonical" / "muri_cluster_400.csv.gz";
  if (!fs::exists(file)) GTEST_SKIP() << "no ../shared/data/canonical here";
  const std::vector<oracle::Job> jobs = jobs_of(file);
  ASSERT_EQ(jobs.size(), 400u);
  const std::vector<MuriAnswer> answers{
      {"SRTF", oracle::by_remaining(), 249'140.176953, 4'156'633.262890, -12, -8},
      {"SRSF", oracle::by_remaining_service(), 238'612.092932, 4'223'121.821402, -10, -11}};
  for (const MuriAnswer& answer : answers) {
    oracle::Preempting order{answer.rank};
    const auto courses = oracle::schedule(jobs, {64}, order);
    const Published met = means(jobs, courses, std::vector<std::int64_t>(jobs.size(), 1));
    const double result = met.mean_time_to_result_s / answer.mean_time_to_result_s - 1;
    EXPECT_EQ(rounded(result, 2), answer.deviation_pct / 100) << answer.policy;
    const double last = static_cast<double>(met.makespan_s) / answer.makespan_s - 1;
    EXPECT_EQ(rounded(last, 2), answer.makespan_deviation_pct / 100) << answer.policy;
  }
}

// ---- the table of the documentation ------------------------------------------------------------

/// Of a run of the rule; `digits` as the source prints it.
struct PublishedRow {
  const char* trace;
  const char* policy;
  const char* figure;
  const char* measure;
  double published;
  int digits;
};

std::string with_commas(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  std::size_t at = std::min(text.find('.'), text.size());
  while (at > 3) text.insert(at -= 3, 1, ',');
  return text;
}

std::string line_of(const PublishedRow& row, double met) {
  const double apart = (rounded(met, row.digits) / row.published - 1) * 100;
  return fmt::format("| {} | {} | {} | {} | {} | {} |", row.trace, row.policy, row.figure,
                     with_commas(row.published, row.digits), with_commas(met, row.digits),
                     apart == 0 ? "0" : fmt::format("{:+.1f} %", apart));
}

/// Whether the page says so.
void expect_in_table(const std::vector<PublishedRow>& rows,
                     const std::map<std::string, double>& met) {
  std::ifstream file{fs::path{REEVE_SOURCE_DIR} / "docs" / "explanation" / "published-figures.md"};
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  ASSERT_FALSE(page.empty());
  for (const PublishedRow& row : rows) {
    const std::string line = line_of(row, met.at(row.measure));
    EXPECT_NE(page.find(line), std::string::npos) << "docs/explanation/published-figures.md lacks\n"
                                                  << line;
  }
}

constexpr const char* by_gpu_time = "weighted_mean_time_to_result_s";
constexpr const char* wait_by_gpu_time = "weighted_mean_wait_s";

TEST(PublishedQueues, TheTableSaysWhatIsMetOfPai) {
  if (!PaiLike::is_here()) GTEST_SKIP() << "no ../shared/data/pai_like_20k here";
  const fs::path folder{::testing::TempDir()};
  const PaiLike pai;
  pai.write(folder / "pai_like_table.csv");
  for (const PaiAnswer& answer : pai_answers()) {
    const auto met =
        measured("pai_like_table.csv", folder, pai.capacity.front(),
                 fmt::format(R"("algorithm": "{}", "backfill": "any_fit")", answer.algorithm));
    expect_in_table(
        {{"PAI-like", answer.algorithm, "mean time to result, s", by_gpu_time,
          answer.mean_time_to_result_s, 2},
         {"PAI-like", answer.algorithm, "mean wait, s", wait_by_gpu_time, answer.mean_wait_s, 2}},
        met);
  }
  fs::remove(folder / "pai_like_table.csv");
}

TEST(PublishedQueues, TheTableSaysWhatIsMetOfTiresias) {
  if (!fs::exists(data / "canonical" / tiresias_file)) {
    GTEST_SKIP() << "no ../shared/data/canonical here";
  }
  for (const TiresiasAnswer& answer : tiresias_answers()) {
    const auto met = measured(tiresias_file, data / "canonical", tiresias_gpus, answer.rule);
    expect_in_table({{"Tiresias-60", answer.policy, "mean time to result, s",
                      "mean_time_to_result_s", answer.mean_time_to_result_s, 3},
                     {"Tiresias-60", answer.policy, "makespan, s", "makespan",
                      static_cast<double>(answer.makespan_s), 0}},
                    met);
  }
}

TEST(PublishedQueues, TheTableSaysWhatIsMetOfMurisTestbed) {
  if (!fs::exists(data / "canonical" / "muri_cluster_400.csv.gz")) {
    GTEST_SKIP() << "no ../shared/data/canonical here";
  }
  struct Answer {
    const char* policy;
    const char* algorithm;
    double mean_time_to_result_s, makespan_s, p99_time_to_result_s;
  };
  for (const Answer& answer :
       {Answer{"SRTF", "srtf", 249'140.18, 4'156'633.26, 2'723'588.79},
        Answer{"SRSF", "srsf", 238'612.09, 4'223'121.82, 3'138'494.38},
        Answer{"Tiresias", "las", 336'533.17, 3'959'796.87, 2'812'808.29},
        Answer{"Themis", "themis", 461'456.23, 3'924'818.88, 2'876'142.92}}) {
    const auto met = measured("muri_cluster_400.csv.gz", data / "canonical", 64,
                              fmt::format(R"("algorithm": "{}")", answer.algorithm));
    expect_in_table(
        {{"Muri testbed", answer.policy, "mean time to result, s", "mean_time_to_result_s",
          answer.mean_time_to_result_s, 2},
         {"Muri testbed", answer.policy, "makespan, s", "makespan", answer.makespan_s, 2},
         {"Muri testbed", answer.policy, "99 % to result within, s", "p99_time_to_result_s",
          answer.p99_time_to_result_s, 2}},
        met);
    EXPECT_EQ(met.at("ledger.residual_usd"), 0);
  }
}

/// A trace of Gavel's simulator in reeve's form: of each line the GPUs, the seconds that the job
/// takes by itself, and when it comes.
std::size_t write_gavel_trace(const fs::path& from, const fs::path& to) {
  const std::uint64_t limit = 1u << 30;
  scenarios::CsvReader lines{from.string(),
                             scenarios::Inflater{from.string(), scenarios::open_file(from), limit},
                             1u << 20};
  std::ofstream out{to};
  out << "job_id,submit_s,gpus_total,duration_s\n";
  std::size_t jobs = 0;
  while (lines.next()) {
    const auto& cells = lines.fields();  // between tabs
    const auto cell = [&](std::size_t from_end) { return cells.at(cells.size() - from_end); };
    out << 'j' << ++jobs << ',' << cell(1) << ',' << cell(6) << ',' << cell(2) << '\n';
  }
  return jobs;
}

TEST(PublishedQueues, TheTableSaysWhatIsMetOfShockwavesSimulation) {
  const fs::path trace =
      data / "jobs_shockwave" /
      "120_0.2_5_100_40_25_0,0.5,0.5_0.6,0.3,0.09,0.01_multigpu_dynamic.trace.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "no ../shared/data/jobs_shockwave here";
  const fs::path folder{::testing::TempDir()};
  ASSERT_EQ(write_gavel_trace(trace, folder / "shockwave_120.csv"), 120u);
  const auto met =
      measured("shockwave_120.csv", folder, 32, R"("algorithm": "gavel", "round": "120s")");
  struct Answer {
    const char* trace;
    double mean_time_to_result_s, makespan_s;
    int digits;  // of the makespan: what is measured is whole seconds
  };
  for (const Answer& answer : {Answer{"Shockwave-120", 11'274.12, 33'207.66, 2},
                               Answer{"Shockwave-120, again", 11'091.51, 33'067.83, 2},
                               Answer{"Shockwave-120, measured", 12'113.04, 34'619, 0}}) {
    expect_in_table({{answer.trace, "max_min_fairness", "mean time to result, s",
                      "mean_time_to_result_s", answer.mean_time_to_result_s, 2},
                     {answer.trace, "max_min_fairness", "makespan, s", "makespan",
                      answer.makespan_s, answer.digits}},
                    met);
  }
  EXPECT_EQ(met.at("ledger.residual_usd"), 0);
  fs::remove(folder / "shockwave_120.csv");
}

/// The results of ElasticFlow's Tiresias tell the trace: when each job came, its GPUs, how long it
/// ran and its deadline.
std::string jobs_of_elasticflow(const fs::path& results) {
  std::string jobs;
  for (const auto& row : rows_of(results)) {
    jobs += fmt::format(
        R"({}{{ "name": "{}", "queue": "main", "submit": "{}s", "deadline": "{}s", )"
        R"("instances": {}, "work": "{}s", "checkpoint": {{ "every": "1s" }} }})",
        jobs.empty() ? "" : ", ", row.at("job_id"), row.at("submit_time"),
        row.at("ddl") - row.at("submit_time"), row.at("num_gpu"), row.at("executed_time"));
  }
  return R"("jobs": [ )" + jobs + " ]";
}

TEST(PublishedQueues, TheTableSaysWhatIsMetOfElasticFlowsSimulation) {
  const fs::path results = data / "jobs_ms_itp_elasticflow/expected_fig10/figure10/dlas-gpu";
  if (!fs::exists(results)) GTEST_SKIP() << "no ../shared/data/jobs_ms_itp_elasticflow here";
  const std::string jobs = jobs_of_elasticflow(results / "job.csv.gz");
  struct Answer {
    const char* policy;
    const char* algorithm;
    double mean_time_to_result_s, makespan_s, deadlines_missed;
  };
  for (const Answer& answer : {Answer{"Tiresias", "las", 51'045.95, 740'161, 0},
                               Answer{"Themis", "themis", 51'242.94, 740'400, 1}}) {
    auto met = measured_of(jobs, data, 128, fmt::format(R"("algorithm": "{}")", answer.algorithm));
    met["deadlines_met_pct"] = met.at("jobs_done") - met.at("deadlines_missed");  // of 100 jobs
    expect_in_table(
        {{"ElasticFlow-100", answer.policy, "mean time to result, s", "mean_time_to_result_s",
          answer.mean_time_to_result_s, 2},
         {"ElasticFlow-100", answer.policy, "makespan, s", "makespan", answer.makespan_s, 0},
         {"ElasticFlow-100", answer.policy, "deadlines met, %", "deadlines_met_pct",
          100 - answer.deadlines_missed, 0}},
        met);
    EXPECT_EQ(met.at("jobs_done"), 100);
    EXPECT_EQ(met.at("ledger.residual_usd"), 0);
  }
}

}  // namespace published_queues_test
}  // namespace reeve::tests
