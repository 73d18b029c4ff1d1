// The network of the program.
#pragma once

#include <memory>

#include "live/aws/environment.hpp"
#include "live/aws/failure.hpp"
#include "live/aws/transport.hpp"

namespace reeve::app {

/// Each program defines it: reeve over libcurl, that for AWS Lambda without it.
live::Result<std::unique_ptr<live::Transport>> new_transport(const live::Environment& environment);

}  // namespace reeve::app
