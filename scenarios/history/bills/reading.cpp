#include "scenarios/history/bills/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t most_new_types = 100;

nlohmann::json map_of(std::string_view json) {
  return nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
}

}  // namespace

std::string text_in_map(std::string_view json, std::string_view key) {
  return json.empty() ? std::string{} : text_at(map_of(json), key);
}

void BillTags::take(std::string_view key, std::string_view value) {
  key = trimmed(key);
  if (!key.empty() && !value.empty()) tags_.try_emplace(std::string{key}, value);
}

bool BillTags::take_map(std::string_view json, std::string_view prefix) {
  if (json.empty()) return true;
  const nlohmann::json map = map_of(json);
  if (!map.is_object()) return false;
  for (const auto& [key, value] : map.items()) {
    std::string_view name = key;
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    take(name, text_at(map, key));
  }
  return true;
}

void BillReading::covers(std::string_view account, std::string_view month) {
  month = month.substr(0, std::string_view{"2026-08"}.size());
  if (account == account_ && month == month_) return;
  account_ = account;
  month_ = month;
  if (file_.covers(account, month, form_)) return;
  throw InputError{about_trace(
      input_.name, "E0415",
      fmt::format("{} of account {} is in another file, not as {}", month, account, form_),
      "use one form of the bill for each month")};
}

BillAccount* BillReading::add(const BillRow& row) {
  if (!table_.is_good()) return nullptr;
  if (row.from && row.until && *row.until < *row.from) {
    input_.findings.warn("W0632", table_.line(), "the row ends before it begins");
    return nullptr;
  }
  if (!file_.has_room_for(row.amounts)) {
    throw InputError{about_trace(input_.name, "E0416", "the amounts add up to more than $9 billion",
                                 "check the columns of the bill")};
  }
  const std::uint64_t before = file_.twice();
  BillAccount* account = file_.add(row);
  if (file_.twice() > before) twice_.note(table_.line());
  if (account != nullptr) ++input_.report.used;
  return account;
}

bool BillReading::counts_time(const BillUsage& usage) {
  return usage.kind == BillUsage::Kind::counts &&
         (usage.use == "train" || usage.use == "warm_pool" || usage.use == "instance");
}

BillAccount* BillReading::add_to(BillRow& row, const BillUsage& usage, const BillWords& words,
                                 std::string_view operation) {
  BillTarget& to = row.target;
  switch (usage.kind) {
    case BillUsage::Kind::beside:
      file_.leave_out(operation.empty() ? words.usage_type : operation);
      [[fallthrough]];
    case BillUsage::Kind::ignored:
      to.kind = BillTarget::Kind::ignored;
      break;
    case BillUsage::Kind::unused:
      to.kind = BillTarget::Kind::unused;
      break;
    case BillUsage::Kind::counts:
      to.kind = BillTarget::Kind::use;
      to.use = usage.use;
      to.job = usage.job;
      to.resource = usage.resource;
      to.instance_type = usage.instance_type;
      break;
  }
  if (to.kind != BillTarget::Kind::use) to.market = to.region = {};
  BillAccount* account = add(row);
  if (account != nullptr) note(row, usage, words);
  return account;
}

void BillReading::note(const BillRow& row, const BillUsage& usage, const BillWords& words) {
  if (!row.from) return;
  const auto until = row.until.value_or(*row.from);
  const bool is_long = until - *row.from > std::chrono::hours{1};
  const auto seen = is_long ? *row.from : until;
  if (!newest_ || seen > *newest_) newest_ = seen;
  if (usage.kind != BillUsage::Kind::counts) return;
  if (is_long) long_.note(table_.line());
  if (counts_time(usage) && usage.resource.empty()) nameless_.note(table_.line());
  const bool is_new = !usage.is_known && new_types_.size() < most_new_types;
  if (is_new && new_types_.emplace(words.usage_type).second) {
    input_.findings.warn("W0646", table_.line(),
                         fmt::format("usage type {} is new; it counts as {}",
                                     in_quotes(words.usage_type), usage.use));
  }
}

void BillReading::tell(std::string_view code, const Odd& odd, std::string_view what,
                       std::string help) {
  if (odd.rows == 0) return;
  input_.findings.warn(code, odd.line, fmt::format("{} {}", counted(odd.rows, "row"), what),
                       std::move(help));
}

void BillReading::finish(const std::vector<bool>& fallback, History& into) {
  if (!fallback.front()) {
    for (const auto& [type, rows] : discounts_) file_.leave_out(type, rows);
  }
  if (const std::string job = file_.job_of_other_form(form_); !job.empty()) {
    throw InputError{
        about_trace(input_.name, "E0415",
                    fmt::format("job {} is in a bill of another form too", in_quotes(job)),
                    "import FOCUS or the Cost and Usage Report, not both")};
  }
  file_.finish(fallback, form_);
  input_.report.bytes = table_.bytes();
  if (twice_.rows > 0) {
    input_.findings.warn(
        "W0645", twice_.line,
        fmt::format("{} {} twice; the one with an invoice counts",
                    counted(twice_.rows, "line item"), twice_.rows == 1 ? "stands" : "stand"));
  }
  if (file_.alike() > 0) {
    input_.findings.warn(
        "W0608", 0,
        fmt::format("{} only in id or amounts from those of an earlier file: all count",
                    file_.alike() == 1 ? "1 line item differs"
                                       : counted(file_.alike(), "line item") + " differ"),
        "of two exports of one month, import the newer alone");
  }
  tell("W0648", long_, "of more than an hour: when the hours were used is not told",
       "export the bill hourly");
  tell("W0649", nameless_, "of instances without a resource id: they cannot be joined to jobs",
       "export the bill with resource ids");
  if (newest_ && (!into.newest || *newest_ > *into.newest)) into.newest = newest_;
}

}  // namespace reeve::scenarios
