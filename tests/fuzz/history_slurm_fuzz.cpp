// Fuzz: any bytes are either an export of Slurm or of a tracker of runs, whose jobs keep their
// promise, or an InputError.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace {

using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

template <class T>
void not_negative(const std::optional<T>& value) {
  require(!value || *value >= T{});
}

void check(const History& history) {
  for (const HistoryJob& job : history.jobs) {
    const ImportedJob& record = job.record;
    require(!record.job_id.empty());
    not_negative(record.nodes);
    not_negative(record.gpus_total);
    not_negative(record.duration);
    not_negative(record.observed_wait);
    not_negative(record.lost);
    not_negative(record.attempts);
    require(!job.started || *job.started <= *history.newest);
    nlohmann::json(record.user + record.queue + job.resource).dump();
  }
  for (const TrackedRun& run : history.runs) {
    require(!run.id.empty() && !run.state.empty());
    nlohmann::json(run.id + run.job).dump();
  }
  for (const FileReport& file : history.files) {
    require(file.used <= file.records);
    for (const Diagnostic& warning : file.warnings) {
      require(warning.severity == Severity::warning && !warning.message.empty());
      diagnostic_json(warning).dump();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  constexpr const char* kinds[] = {"slurm", "slurm-json", "wandb", "mlflow", ""};
  HistoryOptions options;
  options.as = kinds[data[0] % 5];
  // Half of the inputs get a header, so that mutation reaches the rows at once.
  std::string text{reinterpret_cast<const char*>(data + 1), size - 1};
  if (data[0] % 5 == 0 && data[0] >= 128) {
    text = "JobID|State|Submit|Start|End|ElapsedRaw|Timelimit|AllocTRES|Restarts|Cluster\n" + text;
  }
  History history;
  try {
    read_history_stream("fuzz", std::make_unique<std::istringstream>(text), options, history);
    sum_up_work(history, {});
    check(history);
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
