// Fuzz: any bytes are either a readable job trace or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/records/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using reeve::scenarios::InputError;
  using reeve::scenarios::TraceReader;
  std::string text{reinterpret_cast<const char*>(data), size};
  // Half of the inputs get a header, so that mutation reaches the rows at once.
  if (size > 0 && data[0] % 2 == 0) {
    text = "job_id,submit_s,duration_s,end_status,nodes,preemptible,gpu_util_mean,time_limit_s\n" +
           text;
  }
  const reeve::scenarios::TraceLimits limits{std::uint64_t{1} << 22, std::size_t{1} << 12};
  try {
    TraceReader reader{"fuzz.csv", std::make_unique<std::istringstream>(text), limits};
    reeve::scenarios::TraceRow row;
    while (reader.next(row)) {
      if (row.job_id.empty() || row.submit.count() < 0) std::abort();
      if (row.duration && row.duration->count() < 0) std::abort();
      if (row.time_limit && row.time_limit->count() < 0) std::abort();
    }
    for (const auto& warning : reader.warnings()) reeve::scenarios::diagnostic_json(warning).dump();
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      if (reeve::scenarios::render(diagnostic).size() > 5000) std::abort();
      reeve::scenarios::diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
