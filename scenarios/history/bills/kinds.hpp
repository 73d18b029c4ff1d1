// The bills that reeve reads: a reader for each kind.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_focus(std::string_view head);
void read_focus(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_cur(std::string_view head);
void read_cur(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader focus_reader{
    .name = "focus",
    .what = "a bill in FOCUS 1.0 to 1.2, in CSV",
    .one_file = "a bill in FOCUS",
    .export_by = "Data Exports: FOCUS 1.2, hourly, with resource ids, CSV",
    .recognizes = is_focus,
    .read = read_focus,
};
inline constexpr HistoryReader cur_reader{
    .name = "cur",
    .what = "a Cost and Usage Report of AWS, legacy or 2.0, in CSV",
    .one_file = "a Cost and Usage Report",
    .export_by = "Data Exports: CUR 2.0, hourly, with resource ids, CSV",
    .recognizes = is_cur,
    .read = read_cur,
};

}  // namespace reeve::scenarios
