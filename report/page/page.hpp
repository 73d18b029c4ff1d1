// The report page: one HTML file with the results of a directory, which needs no other file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/page/result_directory.hpp"

namespace reeve::report {

/// What the page shows, as `page_text` embeds it: the summary of the manifest and every section.
nlohmann::ordered_json page_data(const ResultDirectory& results);

/// The page.  `title` replaces that of the scenario unless it is empty.  `is_beside`: the tables
/// are in the same directory, so it has links to them.  Throws as ResultTable, and
/// std::runtime_error if the manifest is damaged.
std::string page_text(const ResultDirectory& results, std::string_view title, bool is_beside);

}  // namespace reeve::report
