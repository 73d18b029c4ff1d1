// Whether anything in a world is drawn, so that one run of it is one sample.
#pragma once

#include "models/world.hpp"

namespace reeve::scenarios {

bool is_random(const models::World& world);

}  // namespace reeve::scenarios
