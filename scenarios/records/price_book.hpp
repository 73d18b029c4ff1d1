// Dated price books: what a machine cost on which day, and who says so.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/decode.hpp"

namespace reeve::scenarios {

using Day = std::chrono::sys_days;  ///< UTC

/// "2026-11-01"; nothing if the text is no day from 1678 to 2261.
std::optional<Day> parse_day(std::string_view text);
std::string show(Day day);

enum class PriceService : std::uint8_t { ec2, sagemaker };

/// What a row prices.  `spot_savings` is in percent of on demand, `spot_band` the share of capacity
/// that was reclaimed in a month, both in percent; the others are dollars per instance-hour.
enum class PriceMarket : std::uint8_t {
  on_demand,
  spot,
  spot_savings,
  spot_band,
  reserved_1y,
  capacity_block,
};

std::string_view name_of(PriceService service);
std::string_view name_of(PriceMarket market);
constexpr bool in_dollars(PriceMarket market) {
  return market != PriceMarket::spot_savings && market != PriceMarket::spot_band;
}

/// Whose price a row is.
struct PriceKey {
  PriceService service = PriceService::ec2;
  PriceMarket market = PriceMarket::on_demand;
  std::string type;  ///< SageMaker's begin with "ml."
  friend auto operator<=>(const PriceKey&, const PriceKey&) = default;
};

/// What was charged from one day on, until the next row of the same key.
struct PriceRow {
  PriceKey key;
  Day valid_from;
  std::string region;
  UsdPerHour price;              ///< > 0 where the market is in dollars
  std::uint8_t low_percent = 0;  ///< savings; low end of a band
  std::uint8_t high_percent = 0;
  std::uint32_t accelerators = 0;
  std::optional<bool> managed;  ///< of EC2's: whether SageMaker training has it; none: not said
  std::string source;
  std::optional<Day> retrieved;
  std::string confidence;
  std::uint64_t line = 0;

  /// The last day on which the row is known to have stood on the list.
  Day last_seen() const { return retrieved ? std::max(*retrieved, valid_from) : valid_from; }
};

/// Rows of one region, at least one, in the order of the file; those of one key by date, no two of
/// one day.
class PriceBook {
 public:
  /// Reads a book front to back.  Throws InputError with all that is wrong in its rows: E0342 ...
  /// E0345, E0348, E0349, and what CsvReader throws.
  PriceBook(std::string name, CsvReader csv);
  /// Reads a file; E0001 ... E0003 as well.
  static PriceBook from_file(const std::filesystem::path& path);
  /// Takes a text as if it had been read from a file `name`.
  static PriceBook from_text(std::string name, std::string_view text);

  const std::string& name() const { return name_; }
  const std::vector<PriceRow>& rows() const { return rows_; }
  /// The row in force on `day`: the newest with valid_from <= day; null if there is none.
  const PriceRow* find(const PriceKey& key, Day day) const;
  /// The oldest row of the key; null if there is none.
  const PriceRow* first(const PriceKey& key) const;
  /// The rows in force on `day`, or with none the newest of each key, by key.
  std::vector<const PriceRow*> in_force(std::optional<Day> day) const;
  /// Every instance type once, by name.
  std::set<std::string_view> types() const;

 private:
  std::string name_;
  std::vector<PriceRow> rows_;
};

/// Of what is named like a region of AWS ("us-esat-1") and is none: which one may be meant, empty
/// if none is near.  Nothing of anything else.
std::optional<std::string> near_unknown_region(std::string_view region);

/// What is doubtful in a book and refused nowhere: W0479, W0481.
std::vector<Diagnostic> doubts(const PriceBook& book);

/// What a person writes for a book: "aws-us-east-1@2026-11-01", "prices/ours.csv".
struct PriceBookReference {
  std::string book;         ///< without the date
  std::optional<Day> date;  ///< as of which
  bool is_file = false;     ///< ends in .csv
};

/// Nothing if what follows the @ is no day.
std::optional<PriceBookReference> parse_book_reference(std::string_view text);

/// One book that is part of the program: scenarios/prices, embedded when it is built.
struct PriceBookText {
  std::string_view name;  ///< of the file, without ".csv"
  std::string_view text;
};

/// Ordered by name.  Defined in a generated source.
std::span<const PriceBookText> price_book_texts();

/// The book of that name, read once; null if there is none.
std::shared_ptr<const PriceBook> built_in_price_book(std::string_view name);

/// The name in SageMaker of EC2's type: "ml.p5.48xlarge"; and back.
std::string managed_name(std::string_view ec2_type);
std::string_view ec2_name(std::string_view managed_type);
bool is_managed_name(std::string_view type);

/// Of one SageMaker type and day: its price as a multiple of EC2's, from two dated rows.
struct ManagedPremium {
  const PriceRow* managed = nullptr;
  const PriceRow* ec2 = nullptr;
  double ratio() const;
};

/// The premium of each type that both services have in force on `day` (none: the newest rows).
std::vector<ManagedPremium> managed_premiums(const PriceBook& book, std::optional<Day> day);

}  // namespace reeve::scenarios
