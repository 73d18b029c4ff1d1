// What is said of price books.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array price_book_rows = std::to_array<ErrorCode>({
    {"E0280", "a price above that of any instance",
     "No instance costs $10,000 an hour. The price may be per month, or in cents.", "3000000",
     "3000.00"},
    {"E0281", "`retrieved` before `valid_from`",
     "`retrieved` is the last day on which the price was seen on its page.",
     "valid_from 2026-01-01, retrieved 2025-12-01", "retrieved 2026-01-05"},
    {"E0282", "an instance type with two accelerator counts",
     "All rows of an instance type, for every market and day, must have the same number of "
     "accelerators.",
     "p4d.24xlarge with 8 and with 16", "p4d.24xlarge with 8"},
    {"E0341", "an invalid day, count, percentage or column of a price book",
     "Write days as YYYY-MM-DD, savings as 67%, bands as 10-15, and accelerators as a whole "
     "number.",
     "1 June 2025", "2025-06-01"},
    {"E0342", "an unknown word in a price book",
     "Service, market, managed and confidence accept few values. A book covers one region.",
     "ondemand", "on_demand"},
    {"E0343", "a duplicate price", "Each service, market and type has one price a day.",
     "two rows of p4d.24xlarge from 2025-06-23", "one of them"},
    {"E0344", "prices out of order", "Rows of one service, market and type must be in date order.",
     "2025-06-23 before 2020-11-02", "2020-11-02 before 2025-06-23"},
    {"E0345", "an empty cell in a price row",
     "A price needs its source and day. Only managed, retrieved and confidence may be empty.",
     "a row without source", "the public page it is from"},
    {"E0348", "a price of 0", "Prices are more than $0 an hour.", "0", "3.06"},
    {"E0349", "a price book without prices", "The book lists no instance type.", "a header only",
     "a header and rows"},
    {"W0479", "a Spot price above the on-demand price",
     "AWS Spot prices do not exceed on-demand prices; the two may be exchanged. For a record, "
     "reeve warns if most prices are above: they may be in cents, or of another type.",
     "\"usd_per_hour\": 9, \"spot_usd_per_hour\": 30",
     "\"usd_per_hour\": 30, \"spot_usd_per_hour\": 9"},
    {"W0481", "a zone of an unknown region",
     "A zone name is a region plus a letter; shocks and prices apply per region. AWS regions come "
     "from a fixed list. Write zone names (us-east-1a), not zone ids (use1-az1).",
     "\"zone\": \"us-east-1z9\", \"us-esat-1a\"", "\"zone\": \"us-east-1a\""},
});

}  // namespace

std::span<const ErrorCode> price_book_errors() {
  return price_book_rows;
}

}  // namespace reeve::scenarios
