// Fuzz: any bytes are either metrics, logs, events or prices that keep their promise, or an
// InputError.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/aws/event_groups.hpp"
#include "scenarios/history/metrics/series.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/records/utilization_trace.hpp"

namespace {

using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

void check(const UtilizationSeries& series) {
  const auto samples = series.samples.unpacked();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& sample = samples[i];
    require(sample.at >= reeve::policy::Instant{} && sample.percent >= 0);
    require(series.is_sum || sample.percent <= 100);
    require(i == 0 || sample.at > samples[i - 1].at);
  }
  for (std::size_t i = 0; i < series.periods.size(); ++i) {
    require(series.periods[i].lasts >= reeve::policy::Duration{});
    require(i == 0 || series.periods[i].from > series.periods[i - 1].from);
  }
  require(periods_of(series).size() == series.samples.size());
}

/// What is written is read again, without a warning.
void check_file(const std::vector<const UtilizationSeries*>& of_job) {
  if (of_job.empty() || of_job[0]->samples.empty()) return;
  const auto first = of_job[0]->samples.front().at;
  const std::array work{Stretch{first, first + std::chrono::hours{1}},
                        Stretch{first + std::chrono::hours{2}, first + std::chrono::hours{9}}};
  std::ostringstream out;
  const UtilizationFile file = write_utilization(out, of_job, work, 8);
  require(file.covered >= 0 && file.covered <= 1.0000001);
  if (file.rows == 0) return;
  const auto again = read_utilization("fuzz", std::make_unique<std::istringstream>(out.str()), {});
  require(again.samples == file.rows);
}

constexpr std::array<const char*, 7> kinds{"cloudwatch",  "prometheus", "nvidia-smi", "dcgmi",
                                           "spot-prices", "cloudtrail", "eventbridge"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  HistoryOptions options;
  if (data[0] < 128) options.as = kinds[data[0] % kinds.size()];
  if (data[0] % 2 == 0) options.job = "t";
  if (data[0] % 3 == 0) options.host = "algo-1";
  const std::string text{reinterpret_cast<const char*>(data + 1), size - 1};
  History history;
  try {
    for (int twice = 0; twice < 2; ++twice) {
      read_history_stream("fuzz", std::make_unique<std::istringstream>(text), options, history);
    }
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  for (const UtilizationSeries& series : history.series) check(series);
  for (const auto& [job, series] : series_by_job(history, {})) check_file(series);
  interruption_groups(history.events);
  return 0;
}
