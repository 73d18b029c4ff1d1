#include "scenarios/history/data/kubernetes_object.hpp"

#include <algorithm>

namespace reeve::scenarios {

void PodsAsked::add(const PodsAsked& one, std::int64_t count) {
  constexpr std::int64_t most = 1'000'000;
  const std::int64_t times = std::clamp(count, std::int64_t{0}, most);
  const std::int64_t room = std::int64_t{1} << 40;
  gpus = std::min(room, gpus + one.gpus * times);
  pods = std::min(room, pods + one.pods * times);
  gpu_pods = std::min(room, gpu_pods + one.gpu_pods * times);
  if (slice.empty()) slice = one.slice;
  if (gpu_type.empty()) gpu_type = one.gpu_type;
  if (instance_type.empty() && one.gpu_pods > 0) instance_type = one.instance_type;
  if (!market && one.gpu_pods > 0) market = one.market;
}

}  // namespace reeve::scenarios
