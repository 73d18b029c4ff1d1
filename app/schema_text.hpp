// The JSON Schema of scenario files as the text of a file.
#pragma once

#include <string>

namespace reeve::app {

std::string schema_text();

}  // namespace reeve::app
