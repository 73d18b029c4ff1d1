// Text as XML and HTML may contain it.
#pragma once

#include <string>
#include <string_view>

namespace reeve::report {

/// Inside text and attributes; control characters, which XML does not have, are spaces.
std::string xml_escaped(std::string_view text);

}  // namespace reeve::report
