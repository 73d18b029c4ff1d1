// The constant parts of the report page, which the program carries.
#pragma once

#include <span>
#include <string_view>

namespace reeve::report {

/// A file of report/page/web: its name without suffix, and its text.
struct PagePart {
  std::string_view name;
  std::string_view text;
};

std::span<const PagePart> page_templates();  ///< "page"
std::span<const PagePart> page_styles();     ///< "style"

/// The script with the charts that it uses: report/page/web/main.js, bundled by the build.
std::string_view page_script();

}  // namespace reeve::report
