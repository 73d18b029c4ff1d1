// Fuzz: any bytes are either jobs of AWS Batch or Kubernetes, whose times are in order, or an
// InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/join.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace {

using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

void check(const std::optional<reeve::policy::Duration>& length) {
  require(!length || length->count() >= 0);
}

void check(const History& history) {
  for (const HistoryJob& job : history.jobs) {
    const ImportedJob& record = job.record;
    require(!record.job_id.empty());
    for (const auto& length :
         {record.duration, record.startup, record.lost, record.observed_wait, record.time_limit,
          job.queued, job.waited_at_least, job.waited_at_most}) {
      check(length);
    }
    for (const auto& count : {record.nodes, record.gpus_total, record.gpus_per_node,
                              record.attempts, record.interruptions, record.restarts}) {
      require(!count || *count >= 0);
    }
  }
  for (const FileReport& file : history.files) {
    require(file.used <= file.records);
    for (const Diagnostic& found : file.warnings) diagnostic_json(found).dump();
  }
}

// Some inputs get a frame, so that mutation reaches the fields at once.
struct Frame {
  const char *before, *after;
};
constexpr Frame frames[] = {
    {"", ""},
    {R"({"jobs": [{"jobId": "a", "jobQueue": "q", "createdAt": 1785715200000, )", "}]}"},
    {R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "creationTimestamp":
        "2026-08-03T00:00:00Z"}, )",
     "}"},
    {R"({"apiVersion": "v1", "items": [)", "]}"},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const Frame& frame = frames[data[0] % 4];
  const std::string text =
      frame.before + std::string{reinterpret_cast<const char*>(data + 1), size - 1} + frame.after;
  for (const char* kind : {"aws-batch", "kubernetes"}) {
    try {
      HistoryOptions options;
      options.as = kind;
      History history;
      read_history_stream("fuzz", std::make_unique<std::istringstream>(text), options, history);
      sum_up_work(history, options.as_of);
      check(history);
      if (!history.jobs.empty()) join_history(history, options.as_of);
    } catch (const InputError& error) {
      for (const Diagnostic& found : error.diagnostics()) {
        require(render(found).size() <= 5000);
        diagnostic_json(found).dump();
      }
    }
  }
  return 0;
}
