// Doubts about a price book: regions that AWS does not have, Spot above on demand.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/records/price_book.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

// AWS General Reference, "AWS Regions", with GovCloud, China, the isolated regions and the European
// Sovereign Cloud; as of 2025-12.
constexpr std::array<std::string_view, 45> aws_regions{
    "af-south-1",     "ap-east-1",      "ap-east-2",      "ap-northeast-1",  "ap-northeast-2",
    "ap-northeast-3", "ap-south-1",     "ap-south-2",     "ap-southeast-1",  "ap-southeast-2",
    "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6",  "ap-southeast-7",
    "ca-central-1",   "ca-west-1",      "cn-north-1",     "cn-northwest-1",  "eu-central-1",
    "eu-central-2",   "eu-north-1",     "eu-south-1",     "eu-south-2",      "eu-west-1",
    "eu-west-2",      "eu-west-3",      "eusc-de-east-1", "il-central-1",    "me-central-1",
    "me-south-1",     "mx-central-1",   "sa-east-1",      "us-east-1",       "us-east-2",
    "us-gov-east-1",  "us-gov-west-1",  "us-west-1",      "us-west-2",       "us-iso-east-1",
    "us-iso-west-1",  "us-isob-east-1", "us-isof-east-1", "us-isof-south-1", "eu-isoe-west-1"};

/// Two letters, a word or two, a number: "us-east-1".
bool is_like_aws(std::string_view name) {
  const std::size_t number = name.rfind('-');
  if (number == name.npos || number + 1 == name.size() || name.size() < 7 || name[2] != '-') {
    return false;
  }
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return number > 3 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(number), letter) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(number) + 1, name.end(), digit);
}

/// The first price on demand below that of a row of Spot, while that is in force; null if none is.
const PriceRow* cheaper_on_demand(const PriceBook& book, const PriceRow& spot) {
  PriceKey key = spot.key;
  key.market = PriceMarket::on_demand;
  const PriceRow* then = book.find(key, spot.valid_from);
  if (then && spot.price > then->price) return then;
  Day until = Day::max();
  for (const PriceRow& row : book.rows()) {
    if (row.key == spot.key && row.valid_from > spot.valid_from) {
      until = std::min(until, row.valid_from);
    }
  }
  for (const PriceRow& row : book.rows()) {
    const bool meanwhile = row.valid_from > spot.valid_from && row.valid_from < until;
    if (row.key == key && meanwhile && spot.price > row.price) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> near_unknown_region(std::string_view region) {
  if (!is_like_aws(region)) return std::nullopt;
  if (std::find(aws_regions.begin(), aws_regions.end(), region) != aws_regions.end()) {
    return std::nullopt;
  }
  return did_you_mean_of(region, aws_regions);
}

std::vector<Diagnostic> doubts(const PriceBook& book) {
  std::vector<Diagnostic> found;
  if (const auto help = near_unknown_region(book.rows().front().region)) {
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.code = "W0481";
    warning.file = book.name();
    warning.position.line = book.rows().front().line;
    warning.position.column = 1;
    warning.message = fmt::format("AWS has no region {}", in_quotes(book.rows().front().region));
    warning.help = *help;
    found.push_back(std::move(warning));
  }
  for (const PriceRow& row : book.rows()) {
    if (row.key.market != PriceMarket::spot) continue;
    const PriceRow* other = cheaper_on_demand(book, row);
    if (!other) continue;
    Diagnostic warning;
    warning.severity = Severity::warning;
    warning.code = "W0479";
    warning.file = book.name();
    warning.position.line = row.line;
    warning.position.column = 1;
    warning.message = fmt::format("{} costs more on Spot than on-demand", in_quotes(row.key.type));
    const bool later = other->valid_from > row.valid_from;
    warning.notes.push_back(
        fmt::format("on-demand price on line {}{}", other->line,
                    later ? fmt::format(", from {} on", show(other->valid_from)) : std::string{}));
    warning.help = later ? "used as written until a newer row; add the Spot price after the cut"
                         : "used as written; check whether the two prices are exchanged";
    found.push_back(std::move(warning));
  }
  return found;
}

std::vector<ManagedPremium> managed_premiums(const PriceBook& book, std::optional<Day> day) {
  std::vector<ManagedPremium> premiums;
  const auto rows = book.in_force(day);
  for (const PriceRow* row : rows) {
    if (row->key.service != PriceService::sagemaker) continue;
    if (row->key.market != PriceMarket::on_demand) continue;
    const PriceKey twin{PriceService::ec2, PriceMarket::on_demand,
                        std::string{ec2_name(row->key.type)}};
    const auto ec2 = std::find_if(rows.begin(), rows.end(),
                                  [&twin](const PriceRow* other) { return other->key == twin; });
    if (ec2 != rows.end()) premiums.push_back({row, *ec2});
  }
  return premiums;
}

}  // namespace reeve::scenarios
