// Bills as short texts, for the tests of their readers.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/history/readers.hpp"

namespace reeve::scenarios {

inline std::string usd_text(std::int64_t nanos) {
  std::string text = fmt::format("{}{}.{:09}", nanos < 0 ? "-" : "",
                                 std::abs(nanos) / 1'000'000'000, std::abs(nanos) % 1'000'000'000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

/// All that a bill says: a use a line, then the rest.
inline std::string bill_text(const Bill& bill) {
  std::string text;
  for (const BilledUse& use : bill.uses) {
    text += fmt::format("{} {} {} {} {} {:.10g}h ${} list ${}", use.use,
                        use.job.empty() ? use.resource : use.job, use.instance_type, use.market,
                        use.region, use.instance_hours, usd_text(use.cost.nanos),
                        usd_text(use.list.nanos));
    for (const auto& [key, value] : use.tags) text += fmt::format(" {}={}", key, value);
    text += '\n';
  }
  for (const auto& [name, cost] : bill.apart) {
    text += fmt::format("{} ${}\n", name, usd_text(cost.nanos));
  }
  if (bill.unused_commitment.nanos != 0) {
    text += fmt::format("unused ${}\n", usd_text(bill.unused_commitment.nanos));
  }
  if (bill.ignored.nanos != 0) text += fmt::format("ignored ${}\n", usd_text(bill.ignored.nanos));
  for (const auto& [name, rows] : bill.left_out)
    text += fmt::format("left out {} {}\n", name, rows);
  return text;
}

/// The texts as files of one history, in their order.
inline History history_of(const std::vector<std::string>& texts,
                          const HistoryOptions& options = {}) {
  History history;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    read_history_stream(fmt::format("bill{}.csv", i + 1),
                        std::make_unique<std::istringstream>(texts[i]), options, history);
  }
  return history;
}

/// The code of the error that ends the reading; empty without one.
inline std::string code_of(const std::vector<std::string>& texts,
                           const HistoryOptions& options = {}) {
  try {
    history_of(texts, options);
    return "";
  } catch (const InputError& error) {
    return error.diagnostics().front().code;
  }
}

/// What is said of the files: "W0645: 1 line item ..." a line each.
inline std::string warnings_text(const History& history) {
  std::string text;
  for (const FileReport& file : history.files) {
    for (const Diagnostic& warning : file.warnings) {
      text += fmt::format("{}: {}\n", warning.code, warning.message);
    }
  }
  return text;
}

}  // namespace reeve::scenarios
