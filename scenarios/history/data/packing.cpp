#include "scenarios/history/data/packing.hpp"

namespace reeve::scenarios {

void PackWriter::grow(std::size_t size) {
  const auto used = static_cast<std::size_t>(at_ - bytes_.data());
  bytes_.resize(2 * bytes_.size() + size);
  at_ = bytes_.data() + used;
  end_ = bytes_.data() + bytes_.size();
}

}  // namespace reeve::scenarios
