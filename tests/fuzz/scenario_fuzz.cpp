// Any text as a scenario file: InputError or a scenario, nothing else, and soon.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scenarios/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace reeve::scenarios;
  const LoadLimits limits{.written_jobs = 1000};  // a count is one short number
  try {
    std::string text{reinterpret_cast<const char*>(data), size};
    const Loaded loaded =
        load(SourceFile::from_text("fuzz.jsonc", std::move(text)), "/nowhere", limits);
    const auto& world = loaded.scenario.world;
    if (world.pools.empty() || world.jobs.specs.size() != world.jobs.names.size()) std::abort();
    for (const auto& job : world.jobs.specs) {
      const auto& profile = world.profiles.at(job.profile);
      if (job.instances > world.pools.at(profile.pool.index).capacity) std::abort();
    }
  } catch (const InputError& error) {
    if (error.diagnostics().empty() || render(error.diagnostics()).empty()) std::abort();
  }
  return 0;
}
