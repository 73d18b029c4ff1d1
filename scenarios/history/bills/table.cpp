#include "scenarios/history/bills/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/trace_limits.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::int64_t most_nanos = 1'000'000'000'000'000'000;  // $1e9 in one row, 1e8 hours

}  // namespace

BillTable::BillTable(HistoryInput& input, const HistoryOptions& options,
                     std::span<const std::string_view> known,
                     std::span<const std::string_view> required, const ColumnNames& names)
    : input_{input},
      options_{options},
      known_{known},
      csv_{input.name,
           Inflater{input.name, std::move(input.stream), TraceLimits{}.decompressed_bytes},
           TraceLimits{}.record_bytes},
      header_{CsvHeader::read(csv_, known, required, names)},
      seen_(known.size()) {
  const auto first = std::find(known.begin(), known.end(), required.front());
  first_required_ = static_cast<std::size_t>(first - known.begin());
  first_name_ = csv_.fields()[header_.field(first_required_)];
}

bool BillTable::next() {
  while (csv_.next()) {
    is_bad_ = false;
    const std::size_t found = csv_.fields().size();
    if (found == header_.width()) {
      if (csv_.fields()[header_.field(first_required_)] == first_name_) continue;
      ++input_.report.records;
      return true;
    }
    ++input_.report.records;
    input_.findings.warn(
        "W0632", line(),
        fmt::format("the header has {} columns, this row has {}", header_.width(), found));
  }
  return false;
}

std::string_view BillTable::field(std::size_t index) const {
  const std::string_view text = trimmed(csv_.fields()[index]);
  const bool is_null = text.size() == 4   ? text == "NULL" || text == "null"
                       : text.size() == 2 ? text == "\\N"
                                          : false;
  return is_null ? std::string_view{} : text;
}

std::string_view BillTable::cell(std::size_t column) const {
  return header_.has(column) ? field(header_.field(column)) : std::string_view{};
}

void BillTable::refuse(std::size_t column, std::string message) {
  if (!std::exchange(is_bad_, true)) doubt(column, std::move(message));
}

void BillTable::doubt(std::size_t column, std::string message) {
  const std::size_t place = header_.has(column) ? header_.field(column) : header_.width();
  input_.findings.warn(csv_.at(place, "W0632", std::move(message)));
}

std::int64_t BillTable::dollars(std::size_t column) {
  const std::string_view text = cell(column);
  if (text.empty()) return 0;
  const ScaledDecimal read = scale_decimal(text, 9, Rounding::nearest);
  __extension__ using Wide = __int128;
  constexpr std::int64_t one = 1'000'000'000;
  Wide nanos = Wide{read.value} * nano_rate_;
  nanos = (nanos + (nanos < 0 ? -one / 2 : one / 2)) / one;  // a half goes away from zero
  const bool fits = nanos >= -most_nanos && nanos <= most_nanos;
  if (read.fault == DecimalFault::none && fits) return static_cast<std::int64_t>(nanos);
  refuse(column, fmt::format("{} is no amount: {}", known_[column], in_quotes(text)));
  return 0;
}

std::int64_t BillTable::hours(std::size_t column) {
  const std::string_view text = cell(column);
  if (text.empty()) return 0;
  const ScaledDecimal read = scale_decimal(text, 10, Rounding::nearest);
  const bool fits = read.value >= -most_nanos && read.value <= most_nanos;
  if (read.fault == DecimalFault::none && fits) return read.value;
  refuse(column, fmt::format("{} is no number of hours: {}", known_[column], in_quotes(text)));
  return 0;
}

std::optional<policy::Instant> BillTable::instant(std::size_t column) {
  return instant_of_text(cell(column), column);
}

std::optional<policy::Instant> BillTable::instant_of_text(std::string_view text,
                                                          std::size_t column) {
  if (text.empty()) return {};
  Seen& seen = seen_[column];
  if (seen.text != text) seen = {std::string{text}, scenarios::instant_of(text)};
  if (!seen.at) refuse(column, fmt::format("{} is no time: {}", known_[column], in_quotes(text)));
  return seen.at;
}

void BillTable::currency(std::size_t column) {
  const std::string_view code = cell(column);
  if (code == currency_) return;
  currency_ = code;
  nano_rate_ = 1'000'000'000;
  if (code.empty() || code == "USD") return;
  const auto stated = options_.usd_per.find(currency_);
  if (stated != options_.usd_per.end() && stated->second > 0 && stated->second < 1e6) {
    nano_rate_ = std::llround(stated->second * 1e9);
    return;
  }
  throw InputError{csv_.at(header_.field(column), "E0398",
                           fmt::format("the bill is in {}, and no rate is known", code),
                           "not dollars")
                       .with_help(fmt::format("say --usd-per {}=RATE, dollars per unit", code))};
}

}  // namespace reeve::scenarios
