#include "scenarios/history/gpu_counts.hpp"

#include <algorithm>
#include <array>

namespace reeve::scenarios {
namespace {

/// Sizes with another number of GPUs than the others of their family.
struct Size {
  std::string_view name;
  std::int64_t gpus = 0;
};

struct Family {
  std::string_view name;
  std::int64_t gpus = 1;  ///< of the sizes that are not listed
  std::array<Size, 3> sizes = {};
};

constexpr Size twelve{"12xlarge", 4}, twenty_four{"24xlarge", 4}, forty_eight{"48xlarge", 8};

constexpr auto families = std::to_array<Family>({
    {"p2", 1, {{{"8xlarge", 8}, {"16xlarge", 16}}}},
    {"p3", 1, {{{"8xlarge", 4}, {"16xlarge", 8}}}},
    {"p3dn", 8},
    {"p4d", 8},
    {"p4de", 8},
    {"p5", 8, {{{"4xlarge", 1}}}},
    {"p5e", 8},
    {"p5en", 8},
    {"p6-b200", 8},
    {"p6-b300", 8},
    {"p6e-gb200", 4},
    {"g3", 1, {{{"8xlarge", 2}, {"16xlarge", 4}}}},
    {"g3s", 1},
    {"g4ad", 1, {{{"8xlarge", 2}, {"16xlarge", 4}}}},
    {"g4dn", 1, {{twelve, {"metal", 8}}}},
    {"g5", 1, {{twelve, twenty_four, forty_eight}}},
    {"g5g", 1, {{{"16xlarge", 2}, {"metal", 2}}}},
    {"g6", 1, {{twelve, twenty_four, forty_eight}}},
    {"g6e", 1, {{twelve, twenty_four, forty_eight}}},
    {"gr6", 1},
    {"g7e", 1, {{{"12xlarge", 2}, twenty_four, forty_eight}}},
});

}  // namespace

std::optional<std::int64_t> gpus_of_ec2_type(std::string_view type) {
  const std::size_t dot = type.find('.');
  if (dot == type.npos) return {};
  const auto* const family = std::find_if(families.begin(), families.end(), [&](const Family& of) {
    return of.name == type.substr(0, dot);
  });
  if (family == families.end()) return {};
  for (const Size& size : family->sizes) {
    if (size.name == type.substr(dot + 1)) return size.gpus;
  }
  return family->gpus;
}

}  // namespace reeve::scenarios
