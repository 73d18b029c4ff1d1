// Fuzz: any bytes are either a readable utilization trace, whose steps keep their promise, or an
// InputError.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/records/utilization_trace.hpp"

namespace {

using namespace std::chrono_literals;
using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

void check(const reeve::models::UtilTrace& trace, std::uint64_t& steps) {
  require(trace.length >= 0s);
  for (const auto& host : trace.hosts) {
    steps += host.size();
    for (std::size_t i = 0; i < host.size(); ++i) {
      require(i == 0 ? host[i].at == 0s : host[i].at > host[i - 1].at);
      require(host[i].at <= trace.length);
      const double percent = host[i].percent;
      require(std::isnan(percent) || (percent >= 0 && percent <= 100));
      require(i == 0 || percent != host[i - 1].percent);
      require(i == 0 || !std::isnan(percent) || !std::isnan(host[i - 1].percent));
    }
  }
}

void check(const UtilFile& file) {
  require(!file.jobs.empty() && file.samples > 0);
  std::uint64_t steps = 0;
  for (const UtilOfJob& job : file.jobs) check(*job.trace, steps);
  require(steps == file.changes);
  for (const Diagnostic& warning : file.warnings) {
    require(warning.severity == Severity::warning && !warning.message.empty());
    diagnostic_json(warning).dump();
  }
}

// Half of the inputs get a header, so that mutation reaches the rows at once.
constexpr const char* headers[] = {"t_s,host,gpu_util_pct\n",
                                   "timestamp, index, utilization.gpu [%]\n"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::uint8_t how = data[0];
  std::string text{reinterpret_cast<const char*>(data + 1), size - 1};
  if (how % 4 < 2) text = headers[how % 4] + text;
  UtilOptions options;
  if (how % 8 >= 4) options.gaps = UtilGaps::hold;
  if (how % 16 >= 8) options.scale = UtilScale::sum;
  if (how % 32 >= 16) options.gpus = 8;
  if (how >= 128) options.format = static_cast<UtilFormat>(how / 32 % 3);
  options.limits = {std::uint64_t{1} << 22, std::size_t{1} << 12};
  try {
    check(read_utilization("fuzz", std::make_unique<std::istringstream>(text), options));
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
