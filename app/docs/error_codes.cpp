#include "app/docs/error_codes.hpp"

#include <algorithm>
#include <vector>

#include "app/study/plugins.hpp"
#include "scenarios/exchange/errors.hpp"
#include "scenarios/history/errors.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/load/errors.hpp"
#include "scenarios/records/errors.hpp"
#include "scenarios/text/errors.hpp"

namespace reeve::app {
namespace {

std::vector<ErrorCode> joined() {
  std::vector<ErrorCode> all;
  for (const auto& table :
       {scenarios::text_errors(), scenarios::csv_errors(), scenarios::market_errors(),
        scenarios::price_book_errors(), scenarios::trace_errors(), scenarios::platform_errors(),
        scenarios::fleet_errors(), scenarios::job_errors(), scenarios::rule_errors(),
        scenarios::exchange_errors(), scenarios::history_errors(), plugin_errors()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  for (const scenarios::Lint& lint : scenarios::all_lints()) {
    if (!lint.code.text.empty()) all.push_back(lint.code);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.code < b.code; });
  return all;
}

}  // namespace

std::span<const ErrorCode> error_codes() {
  static const std::vector<ErrorCode> all = joined();
  return all;
}

const ErrorCode* find_error_code(std::string_view code) {
  const auto all = error_codes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ErrorCode& of) { return of.code == code; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace reeve::app
