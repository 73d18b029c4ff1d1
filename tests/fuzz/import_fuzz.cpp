// Fuzz: any bytes are either a log that an importer reads, whose jobs keep their promise, or an
// InputError.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/exchange/job_import.hpp"

namespace {

using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

template <class T>
void not_negative(const std::optional<T>& value) {
  require(!value || *value >= T{});
}

void check(const ImportedJobs& imported) {
  for (const ImportedJob& job : imported.jobs) {
    require(job.submit >= reeve::policy::Duration::zero());
    not_negative(job.nodes);
    not_negative(job.gpus_per_node);
    not_negative(job.gpus_total);
    not_negative(job.duration);
    not_negative(job.observed_wait);
    not_negative(job.attempts);
  }
  for (const Diagnostic& warning : imported.warnings) {
    require(warning.severity == Severity::warning && !warning.message.empty());
    diagnostic_json(warning).dump();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto importers = job_importers();
  const JobImporter& importer = importers[data[0] % importers.size()];
  std::string text{reinterpret_cast<const char*>(data + 1), size - 1};
  // Half of the inputs get a header, so that mutation reaches the rows at once.
  const bool is_table = importer.name != "philly" && importer.name != "swf";
  if (is_table && data[0] >= 128) text = std::string{importer.columns} + "\n" + text;
  try {
    ImportedJobs imported = importer.read("fuzz", std::make_unique<std::istringstream>(text));
    check(imported);
    const std::size_t before = imported.jobs.size();
    drop_before(imported, std::chrono::hours{1});
    require(imported.jobs.size() <= before);
    anonymize(imported);
    check(imported);
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
