#include "tests/tidy/layers.hpp"

#include <algorithm>
#include <utility>

namespace reeve::tidy {

namespace {

bool has_prefix(std::string_view name, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// <vector>, <cmath>: the headers of the C++ standard library have no dot and no slash.
bool is_standard(std::string_view name) {
  return name.find_first_of("./") == name.npos;
}

/// Truth, and scenario files: the rooms of models/ and scenarios/.
std::vector<Layer> layers_of_rooms() {
  return {
      {.folder = "models/fleet",
       .name_space = "reeve::models",
       .quoted = {"models/", "sim/", "host/ports.hpp", "host/check.hpp", "host/target.hpp"},
       .bracketed = {"reeve/policy/", "boost/"}},
      {.folder = "models",
       .name_space = "reeve::models",
       .quoted = {"models/", "sim/", "host/ports.hpp", "host/check.hpp", "host/target.hpp"},
       .bracketed = {"reeve/policy/", "boost/", "Eigen/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/text",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/", "zlib.h", "re2/", "boost/"}},
      {.folder = "scenarios/records",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/records/", "scenarios/text/", "models/"},
       .bracketed = {"reeve/policy/", "fmt/", "boost/", "Eigen/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/lints",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/lints/", "scenarios/load/", "scenarios/records/", "scenarios/text/",
                  "models/", "host/", "sim/", "policies/registry.hpp",
                  "policies/weekly_options.hpp"},
       .bracketed = {"reeve/policy/", "fmt/", "boost/", "Eigen/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/exchange",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/exchange/", "scenarios/load/", "scenarios/records/", "scenarios/text/",
                  "models/", "host/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/", "zlib.h", "boost/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load.hpp", "scenarios/lints/lint.hpp", "scenarios/load/",
                  "scenarios/text/"},
       .bracketed = {}},
  };
}

/// The rooms of scenarios/load: what a file may say, what it means so far, and the steps of loading
/// by subject.  Steps of jobs ask those of fleets; rules ask neither.
std::vector<Layer> layers_of_load() {
  return {
      {.folder = "scenarios/load/keys",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/keys/", "scenarios/records/", "scenarios/text/", "models/",
                  "host/canary.hpp", "host/mode.hpp", "host/seat.hpp", "policies/registry.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/load/resolved",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/resolved/", "scenarios/load/keys/", "scenarios/records/",
                  "scenarios/text/", "models/", "policies/registry.hpp"},
       .bracketed = {"reeve/policy/", "fmt/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/load/fleet",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/fleet/", "scenarios/load/resolved/", "scenarios/load/keys/",
                  "scenarios/records/", "scenarios/text/", "models/", "sim/draws.hpp",
                  "policies/registry.hpp"},
       .bracketed = {"reeve/policy/", "fmt/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/load/jobs",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/jobs/", "scenarios/load/fleet/steps.hpp",
                  "scenarios/load/resolved/", "scenarios/load/keys/", "scenarios/records/",
                  "scenarios/text/", "models/", "sim/draws.hpp"},
       .bracketed = {"reeve/policy/", "fmt/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/load/rules",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/rules/", "scenarios/load/resolved/", "scenarios/load/keys/",
                  "scenarios/text/", "models/", "host/check.hpp", "policies/registry.hpp",
                  "policies/weekly_options.hpp"},
       .bracketed = {"reeve/policy/", "fmt/"},
       .never = {"models/fleet/"}},
      {.folder = "scenarios/load",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/load/", "scenarios/text/", "models/"},
       .bracketed = {"reeve/policy/"},
       .never = {"models/fleet/"}},
  };
}

/// The rooms of scenarios/history: what a history keeps, what readers share, and the readers of
/// each subject, which do not know each other.
std::vector<Layer> layers_of_history() {
  return {
      {.folder = "scenarios/history/data",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/data/", "scenarios/exchange/job_import.hpp",
                  "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "fmt/"}},
      {.folder = "scenarios/history/reading",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/reading/", "scenarios/history/data/", "scenarios/records/",
                  "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
      {.folder = "scenarios/history/aws",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/aws/", "scenarios/history/reading/", "scenarios/history/data/",
                  "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
      {.folder = "scenarios/history/bills",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/bills/", "scenarios/history/reading/",
                  "scenarios/history/data/", "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "fmt/"}},
      {.folder = "scenarios/history/kubernetes",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/kubernetes/", "scenarios/history/reading/",
                  "scenarios/history/data/", "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
      {.folder = "scenarios/history/metrics",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/metrics/", "scenarios/history/reading/",
                  "scenarios/history/data/", "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "fmt/"}},
      {.folder = "scenarios/history/slurm",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/slurm/", "scenarios/history/reading/",
                  "scenarios/history/data/", "scenarios/exchange/job_columns.hpp",
                  "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/", "zlib.h", "boost/archive/"}},
      {.folder = "scenarios/history/trackers",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/trackers/", "scenarios/history/reading/",
                  "scenarios/history/data/", "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
      {.folder = "scenarios/history",
       .name_space = "reeve::scenarios",
       .quoted = {"scenarios/history/", "scenarios/records/", "scenarios/text/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
  };
}

/// The rooms of live/.
std::vector<Layer> layers_of_live() {
  return {
      {.folder = "live/aws",
       .name_space = "reeve::live",
       .quoted = {"live/aws/"},
       .bracketed = {"reeve/policy/", "curl/", "nettle/", "nlohmann/", "fmt/", "dlfcn.h",
                     "sys/random.h"}},
      {.folder = "live/events",
       .name_space = "reeve::live",
       .quoted = {"live/events/", "live/aws/failure.hpp", "live/aws/timestamps.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/"}},
      {.folder = "live/feed",
       .name_space = "reeve::live",
       .quoted = {"live/", "host/ports.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"}},
      {.folder = "live/alarms",
       .name_space = "reeve::live",
       .quoted = {"live/", "host/ports.hpp", "models/alarm", "models/metric_series.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/"},
       .never = {"live/mock/"}},
      {.folder = "live/act",
       .name_space = "reeve::live",
       .quoted = {"live/", "host/ports.hpp", "host/journal.hpp", "host/target.hpp",
                  "host/enum_names.hpp", "host/confirm_first.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"},
       .never = {"live/mock/"}},
      {.folder = "live/batch",
       .name_space = "reeve::live",
       .quoted = {"live/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/"},
       .never = {"live/mock/"}},
      {.folder = "live/clean_up",
       .name_space = "reeve::live",
       .quoted = {"live/", "host/enum_names.hpp"},
       .bracketed = {"reeve/policy/", "nlohmann/"},
       .never = {"live/mock/"}},
      {.folder = "live/history",
       .name_space = "reeve::live",
       .quoted = {"live/"},
       .bracketed = {"reeve/policy/", "nlohmann/"},
       .never = {"live/mock/"}},
      {.folder = "live/journal",
       .name_space = "reeve::live",
       .quoted = {"live/journal/", "live/aws/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/", "sqlite3.h", "fcntl.h", "unistd.h",
                     "sys/"}},
      {.folder = "live/http",
       .name_space = "reeve::live",
       .quoted = {"live/http/", "live/aws/"},
       .bracketed = {"boost/"}},
      {.folder = "live/https",
       .name_space = "reeve::live",
       .quoted = {"live/https/", "live/aws/"},
       .bracketed = {"boost/", "mbedtls/", "arpa/inet.h", "netdb.h", "netinet/", "poll.h",
                     "sys/socket.h", "unistd.h"}},
      {.folder = "live/mock",
       .name_space = "reeve::live",
       .quoted = {"live/mock/", "live/events/", "live/aws/", "host/ports.hpp",
                  "models/metric_series.hpp"},
       .bracketed = {"reeve/policy/", "boost/", "nlohmann/", "fmt/", "nettle/"}},
  };
}

std::vector<Layer> all_layers() {
  std::vector<Layer> table{
      {.folder = "policies/api",
       .name_space = "reeve::policy",
       .quoted = {},
       .bracketed = {"reeve/policy/"}},
      {.folder = "policies",
       .name_space = "reeve::policies",
       .quoted = {"governance/", "scheduling/", "spot/"},
       .bracketed = {"reeve/policy/", "coin/Clp_C_Interface.h"},
       .plain_names = true},
      {.folder = "docs/plugin_example",
       .name_space = "deadline_risk",
       .quoted = {},
       .bracketed = {"reeve/policy/"}},
      {.folder = "host",
       .name_space = "reeve::host",
       .quoted = {"host/"},
       .bracketed = {"reeve/policy/", "reeve/version.hpp", "nlohmann/", "xxhash.h", "fmt/"}},
      {.folder = "sim", .name_space = "reeve::sim", .quoted = {"sim/"}, .bracketed = {"boost/"}},
      {.folder = "experiments/explain",
       .name_space = "reeve::experiments",
       .quoted = {"experiments/", "scenarios/load/", "scenarios/text/", "models/", "host/", "sim/",
                  "policies/governance/phase_hints.hpp"},
       .bracketed = {"reeve/policy/", "fmt/"}},
      {.folder = "experiments/fit",
       .name_space = "reeve::experiments",
       .quoted = {"experiments/fit/", "experiments/statistics.hpp", "report/format.hpp",
                  "report/table.hpp", "scenarios/records/end_status.hpp", "scenarios/text/",
                  "sim/"},
       .bracketed = {"reeve/policy/", "nlohmann/", "fmt/", "boost/", "Eigen/"}},
      {.folder = "experiments",
       .name_space = "reeve::experiments",
       .quoted = {"experiments/", "scenarios/exchange/shared_nodes.hpp", "scenarios/load/",
                  "scenarios/records/", "scenarios/text/", "models/", "host/", "sim/"},
       .bracketed = {"reeve/policy/", "fmt/", "boost/", "Eigen/"},
       .never = {"experiments/explain/", "experiments/fit/"}},
      {.folder = "report/page",
       .name_space = "reeve::report",
       .quoted = {"report/", "scenarios/text/"},
       .bracketed = {"nlohmann/"}},
      {.folder = "report",
       .name_space = "reeve::report",
       .quoted = {"report/", "models/attempt_names", "models/invoice", "models/ledger",
                  "models/record", "models/world", "host/journal", "host/check"},
       .bracketed = {"reeve/policy/", "reeve/version.hpp", "nlohmann/", "fmt/", "nettle/",
                     "fcntl.h", "unistd.h", "sys/file.h", "sys/stat.h", "zlib.h"}},
      {.folder = "app",
       .name_space = "reeve::app",
       .quoted = {},
       .bracketed = {},
       .everything = true},
      {.folder = "tests", .name_space = "", .quoted = {}, .bracketed = {}, .everything = true},
      {.folder = "bench", .name_space = "", .quoted = {}, .bracketed = {}, .everything = true},
      {.folder = "cmake", .name_space = "", .quoted = {}, .bracketed = {"fmt/"}},
  };
  for (auto& rooms : {layers_of_load(), layers_of_history(), layers_of_rooms(), layers_of_live()}) {
    table.insert(table.end(), rooms.begin(), rooms.end());
  }
  return table;
}

}  // namespace

std::span<const Layer> layers() {
  static const std::vector<Layer> table = all_layers();
  return table;
}

const Layer* layer_of(std::string_view path) {
  const auto table = layers();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Layer& layer) {
    return path.starts_with(std::string{layer.folder} + "/");
  });
  return found == table.end() ? nullptr : &*found;
}

bool may_include(const Layer& layer, const Include& include) {
  if (layer.everything) return true;
  if (!include.quoted)
    return is_standard(include.name) || has_prefix(include.name, layer.bracketed);
  if (has_prefix(include.name, layer.never)) return false;
  const bool plain = include.name.find('/') == std::string::npos;
  return (plain && layer.plain_names) || has_prefix(include.name, layer.quoted);
}

}  // namespace reeve::tidy
