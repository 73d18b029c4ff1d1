#include "scenarios/records/metric_label.hpp"

#include <algorithm>
#include <array>

#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {

MetricLabel read_metric_label(std::string_view label) {
  MetricLabel read;
  const std::size_t algo = label.rfind("algo-");
  if (algo == label.npos) return read;
  std::string_view digits = label.substr(algo + 5);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  const auto number = few_digits(digits);
  if (!number || *number < 1 || *number > 65'535) return read;
  read.host = static_cast<std::uint32_t>(*number);
  if (algo == 0 || label[algo - 1] != '/') return read;
  std::string_view job = label.substr(0, algo - 1);
  if (const std::size_t blank = job.find_last_of(" ="); blank != job.npos) {
    job.remove_prefix(blank + 1);
  }
  read.job = job;
  return read;
}

bool is_another_metric(std::string_view label) {
  constexpr std::array<std::string_view, 5> others{"GPUMemoryUtilization", "MemoryUtilization",
                                                   "CPUUtilization", "DiskUtilization",
                                                   "GPUTemperature"};
  return std::any_of(others.begin(), others.end(),
                     [label](std::string_view other) { return label.find(other) != label.npos; });
}

}  // namespace reeve::scenarios
