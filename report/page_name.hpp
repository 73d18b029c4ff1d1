// How the report page is called in a directory of results, and how it begins.
#pragma once

#include <string_view>

namespace reeve::report {

inline constexpr std::string_view page_file = "index.html";
/// By which reeve knows a page that it may replace.
inline constexpr std::string_view page_begins = "<!doctype html><!-- A report of reeve. -->\n";

}  // namespace reeve::report
