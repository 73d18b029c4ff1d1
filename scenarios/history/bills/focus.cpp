// Bills in FOCUS 1.0 to 1.2.  Sources: the FOCUS specification; the published sample (NULL as a
// word, rounded EffectiveCost); the columns that AWS adds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "scenarios/history/bills/kinds.hpp"
#include "scenarios/history/bills/reading.hpp"
#include "scenarios/text/aws_names.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

enum FocusColumn : std::size_t {
  focus_zone,
  focus_billed,
  focus_account,
  focus_currency,
  focus_month,
  focus_category,
  focus_class,
  focus_description,
  focus_end,
  focus_start,
  focus_frequency,
  focus_discount_id,
  focus_discount_category,
  focus_discount_status,
  focus_discount_type,
  focus_consumed,
  focus_consumed_unit,
  focus_effective,
  focus_invoice,
  focus_list,
  focus_pricing,
  focus_quantity,
  focus_quantity_unit,
  focus_provider,
  focus_region,
  focus_resource,
  focus_service,
  focus_service_category,
  focus_sku,
  focus_meter,
  focus_sku_price,
  focus_details,
  focus_sub_account,
  focus_tags,
  focus_capacity_status,
  focus_split,
  focus_usage,
  focus_operation,
  focus_service_code,
  focus_columns,
};
constexpr std::array<std::string_view, focus_columns> focus_names{
    "AvailabilityZone",
    "BilledCost",
    "BillingAccountId",
    "BillingCurrency",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ChargeFrequency",
    "CommitmentDiscountId",
    "CommitmentDiscountCategory",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    "ConsumedQuantity",
    "ConsumedUnit",
    "EffectiveCost",
    "InvoiceId",
    "ListCost",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "RegionId",
    "ResourceId",
    "ServiceName",
    "ServiceCategory",
    "SkuId",
    "SkuMeter",
    "SkuPriceId",
    "SkuPriceDetails",
    "SubAccountId",
    "Tags",
    "CapacityReservationStatus",
    "AllocatedMethodId",
    "x_UsageType",
    "x_Operation",
    "x_ServiceCode",
};
constexpr std::array focus_required{focus_names[focus_category],  focus_names[focus_billed],
                                    focus_names[focus_effective], focus_names[focus_start],
                                    focus_names[focus_end],       focus_names[focus_service]};

/// How many hours one unit is, as a fraction; nothing if it is none of time.
struct TimeUnit {
  std::int64_t hours = 0;
  std::int64_t per = 1;
};
std::optional<TimeUnit> time_unit(std::string_view unit) {
  TimeUnit time{1, 1};
  if (unit.empty()) return {};
  if (unit == "Hours") return time;
  const std::size_t blank = unit.find(' ');
  if (const auto many = few_digits(unit.substr(0, blank)); many && blank != unit.npos) {
    time.hours = *many;  // "100 Hours"
    unit.remove_prefix(blank + 1);
  }
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), unit) != names.end();
  };
  if (is({"Seconds", "Second", "s"})) time.per = 3600;
  if (is({"Minutes", "Minute"})) time.per = 60;
  const bool is_time = time.per > 1 || is({"Hours", "Hour", "Hrs", "Hr", "h", "hours", "hour"});
  return is_time ? std::optional{time} : std::nullopt;
}

bool is_whole(std::string_view amount) {
  const auto read = scale_decimal(amount, 0, Rounding::exact);
  return amount.empty() || read.fault != DecimalFault::finer;
}

class FocusReader {
 public:
  FocusReader(HistoryInput& input, const HistoryOptions& options, Bill& bill)
      : input_{input},
        table_{input, options, focus_names, focus_required},
        reading_{input, table_, bill, "FOCUS"} {}

  void read(History& into) {
    while (table_.next()) read_row();
    std::vector<bool> fallback;
    for (const Provider& provider : providers_) {
      fallback.push_back(provider.is_whole && provider.is_rounded);
      if (!fallback.back()) continue;
      input_.findings.warn(
          "W0647", 0,
          fmt::format("EffectiveCost of {} is whole dollars in every row: BilledCost is used",
                      provider.name.empty() ? "the provider" : provider.name));
    }
    if (fallback.empty()) fallback.push_back(false);
    reading_.finish(fallback, into);
  }

 private:
  /// Whose EffectiveCost may be rounded to dollars.
  struct Provider {
    std::string name;
    bool is_whole = true;     ///< its EffectiveCost, everywhere
    bool is_rounded = false;  ///< a row has cents in BilledCost, and less than a dollar beside it
  };

  std::string_view cell(std::size_t column) const { return table_.cell(column); }

  void read_row() {
    table_.currency(focus_currency);
    row_ = {};
    row_.from = table_.instant(focus_start);
    row_.until = table_.instant(focus_end);
    identify();
    const std::string_view category = cell(focus_category);
    if (!cell(focus_split).empty()) return reading_.leave_out("AllocatedMethodId");
    row_.amounts.fallback = table_.dollars(focus_billed);
    row_.amounts.cost =
        cell(focus_effective).empty() ? row_.amounts.fallback : table_.dollars(focus_effective);
    const bool is_purchase = category == "Purchase";
    // The costs of the hours that it pays for have it in them.
    const bool is_paid_ahead = !cell(focus_discount_id).empty() || row_.amounts.cost == 0 ||
                               cell(focus_service).find("Savings Plan") != std::string_view::npos;
    if (is_purchase && is_paid_ahead) return reading_.leave_out(category);
    row_.target.provider = provider();
    const bool is_correction = cell(focus_class) == "Correction";
    if (category != "Usage" || is_correction) {
      row_.target.kind = BillTarget::Kind::apart;
      purchase_ = fmt::format("Purchase, {}", cell(focus_service));
      row_.target.name = is_correction ? cell(focus_class) : is_purchase ? purchase_ : category;
      reading_.add(row_);
    } else if (cell(focus_discount_status) == "Unused" || cell(focus_capacity_status) == "Unused") {
      row_.target.kind = BillTarget::Kind::unused;
      reading_.add(row_);
    } else {
      read_usage();
    }
  }

  void identify() {
    for (const std::size_t column :
         {focus_account, focus_sub_account, focus_service, focus_resource, focus_sku,
          focus_sku_price, focus_meter, focus_usage, focus_operation, focus_category, focus_class,
          focus_description, focus_frequency, focus_pricing, focus_discount_id,
          focus_discount_status, focus_capacity_status, focus_zone}) {
      hash_ << cell(column);
    }
    hash_ << row_.from << row_.until;
    row_.item = hash_.value();
    for (const std::size_t column :
         {focus_billed, focus_effective, focus_list, focus_consumed, focus_quantity}) {
      hash_ << cell(column);
    }
    row_.copy = hash_.value_with(row_.item);
    reading_.prefetch(row_);
    using Invoice = BillRow::Invoice;
    row_.invoice = !table_.has(focus_invoice)    ? Invoice::unknown
                   : cell(focus_invoice).empty() ? Invoice::open
                                                 : Invoice::sent;
    reading_.covers(cell(focus_account), cell(focus_month));
  }

  /// The index of the row's provider, with its costs looked at.
  std::uint32_t provider() {
    const std::string_view name = cell(focus_provider);
    auto known = std::find_if(providers_.begin(), providers_.end(),
                              [&](const Provider& each) { return each.name == name; });
    if (known == providers_.end()) {
      known = providers_.insert(known, Provider{std::string{name}});
    }
    known->is_whole = known->is_whole && is_whole(cell(focus_effective));
    const std::int64_t apart = row_.amounts.cost - row_.amounts.fallback;
    if (known->is_whole && !is_whole(cell(focus_billed)) && std::abs(apart) < 1'000'000'000) {
      known->is_rounded = true;
    }
    return static_cast<std::uint32_t>(known - providers_.begin());
  }

  void read_usage() {
    std::size_t amount = focus_consumed;
    auto unit = time_unit(cell(focus_consumed_unit));
    if (!unit || cell(amount).empty()) {
      amount = focus_quantity;
      unit = time_unit(cell(focus_quantity_unit));
    }
    const std::string_view usage_type =
        cell(focus_usage).empty() ? cell(focus_meter) : cell(focus_usage);
    const bool is_told = usage_type.find(':') != usage_type.npos;
    const BillWords words{.service = cell(focus_service_code).empty() ? cell(focus_service)
                                                                      : cell(focus_service_code),
                          .category = cell(focus_service_category),
                          .usage_type = usage_type,
                          .resource = cell(focus_resource),
                          .instance_type = is_told ? std::string_view{} : instance_type(),
                          .description = cell(focus_description),
                          .in_hours = unit.has_value()};
    const BillUsage usage = usage_of(words);
    if (unit && BillReading::counts_time(usage)) {
      row_.amounts.hours = table_.hours(amount) / unit->per * unit->hours;
    }
    row_.amounts.list = table_.dollars(focus_list);
    row_.target.market = market(usage);
    row_.target.region = region(words);
    hash_ << cell(focus_tags);
    reading_.add_usage(row_, usage, words, cell(focus_operation), hash_.value(),
                       [this](BillTags& tags) {
                         if (tags.take_map(cell(focus_tags), "user:")) return;
                         table_.doubt(focus_tags, "the tags are no JSON object");
                       });
  }

  std::string_view instance_type() {
    if (details_ != cell(focus_details)) {
      details_ = cell(focus_details);
      instance_type_ = text_in_map(details_, "InstanceType");
    }
    return instance_type_;
  }

  std::string_view market(const BillUsage& usage) const {
    const std::string_view pricing = cell(focus_pricing);
    if (pricing == "Dynamic" || usage.is_spot) return "spot";
    if (!pricing.starts_with("Commit") && cell(focus_discount_status) != "Used") return "on_demand";
    const bool is_plan = cell(focus_discount_type).find("Savings Plan") != std::string_view::npos ||
                         cell(focus_discount_category) == "Spend";
    return is_plan ? "savings_plan" : "reserved";
  }

  std::string_view region(const BillWords& words) const {
    if (!cell(focus_region).empty()) return cell(focus_region);
    const std::string_view region = region_of_arn(words.resource);
    return region.empty() ? region_of_usage(words.usage_type) : region;
  }

  HistoryInput& input_;
  BillTable table_;
  BillReading reading_;
  std::vector<Provider> providers_;
  BillRow row_;
  BillHash hash_;
  std::string details_, instance_type_, purchase_;
};

}  // namespace

bool is_focus(std::string_view head) {
  const std::string_view header = head.substr(0, head.find('\n'));
  return header.find("ChargePeriodStart") != header.npos &&
         header.find("BilledCost") != header.npos;
}

void read_focus(HistoryInput& input, const HistoryOptions& options, History& into) {
  FocusReader{input, options, into.bill}.read(into);
}

}  // namespace reeve::scenarios
