// Cost and Usage Reports of AWS, legacy and 2.0.  What a row cost follows the summary view of AWS's
// Cloud Intelligence Dashboards and the effective cost of the FOCUS converters; the columns are
// those of the user guide of Data Exports.
#include <fmt/format.h>

#include <array>

#include "scenarios/history/bills/kinds.hpp"
#include "scenarios/history/bills/reading.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

// As CUR 2.0 spells them.
enum CurColumn : std::size_t {
  cur_id,
  cur_interval,
  cur_invoice,
  cur_payer,
  cur_month,
  cur_account,
  cur_type,
  cur_start,
  cur_end,
  cur_product,
  cur_usage,
  cur_operation,
  cur_zone,
  cur_resource,
  cur_amount,
  cur_currency,
  cur_unblended,
  cur_net,
  cur_description,
  cur_tax,
  cur_instance_type,
  cur_region,
  cur_region_code,
  cur_product_map,
  cur_list,
  cur_plan,
  cur_plan_cost,
  cur_plan_net,
  cur_commitment,
  cur_used,
  cur_reservation,
  cur_reserved_cost,
  cur_reserved_net,
  cur_unused_upfront,
  cur_unused_fee,
  cur_split,
  cur_tags,
  cur_columns,
};
constexpr std::array<std::string_view, cur_columns> cur_names{
    "identity_line_item_id",
    "identity_time_interval",
    "bill_invoice_id",
    "bill_payer_account_id",
    "bill_billing_period_start_date",
    "line_item_usage_account_id",
    "line_item_line_item_type",
    "line_item_usage_start_date",
    "line_item_usage_end_date",
    "line_item_product_code",
    "line_item_usage_type",
    "line_item_operation",
    "line_item_availability_zone",
    "line_item_resource_id",
    "line_item_usage_amount",
    "line_item_currency_code",
    "line_item_unblended_cost",
    "line_item_net_unblended_cost",
    "line_item_line_item_description",
    "line_item_tax_type",
    "product_instance_type",
    "product_region",
    "product_region_code",
    "product",
    "pricing_public_on_demand_cost",
    "savings_plan_savings_plan_a_r_n",
    "savings_plan_savings_plan_effective_cost",
    "savings_plan_net_savings_plan_effective_cost",
    "savings_plan_total_commitment_to_date",
    "savings_plan_used_commitment",
    "reservation_reservation_a_r_n",
    "reservation_effective_cost",
    "reservation_net_effective_cost",
    "reservation_unused_amortized_upfront_fee_for_billing_period",
    "reservation_unused_recurring_fee",
    "split_line_item_split_cost",
    "resource_tags"};
constexpr std::array cur_required{cur_names[cur_type],    cur_names[cur_start],
                                  cur_names[cur_product], cur_names[cur_usage],
                                  cur_names[cur_amount],  cur_names[cur_unblended]};

/// "line_item_usage_type" of "lineItem/UsageType"; CUR 2.0 stays as it is.
std::string cur_spelling(std::string_view theirs) {
  std::string ours;
  for (const char c : theirs) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital && !ours.empty() && ours.back() != '_') ours += '_';
    ours += c == '/' ? '_' : is_capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return ours;
}

/// One file of a report.
class CurReader {
 public:
  CurReader(HistoryInput& input, const HistoryOptions& options, Bill& bill)
      : table_{input, options, cur_names, cur_required, {.spelled = cur_spelling}},
        reading_{input, table_, bill, "CUR"} {
    for (std::size_t i = 0; i < table_.names().size(); ++i) {
      const std::string_view name = trimmed(table_.names()[i]);
      for (const std::string_view mark : {"resourceTags/user:", "resource_tags_user_"}) {
        if (name.starts_with(mark)) tags_.push_back({i, std::string{name.substr(mark.size())}});
      }
    }
  }

  void read(History& into) {
    while (table_.next()) read_row();
    reading_.finish({!has_net_}, into);
  }

 private:
  std::string_view cell(std::size_t column) const { return table_.cell(column); }

  void read_row() {
    table_.currency(cur_currency);
    row_ = {};
    row_.from = table_.instant(cur_start);
    row_.until = table_.instant(cur_end);
    const std::string_view interval = cell(cur_interval);
    const std::size_t slash = interval.find('/');
    if (!row_.until && slash != interval.npos) {
      row_.until = table_.instant_of_text(interval.substr(slash + 1), cur_interval);
    }
    identify(interval);
    const std::string_view type = cell(cur_type), operation = cell(cur_operation);
    // Rows without a cost of their own: they stand for parts of others, or of the sums of others.
    const bool is_fee_of_plan = type == "SavingsPlanNegation" || type == "SavingsPlanUpfrontFee";
    if (is_split(operation) || !cell(cur_split).empty()) return reading_.leave_out(operation);
    if (is_fee_of_plan || (type == "Fee" && !cell(cur_reservation).empty())) {
      return reading_.leave_out(type);
    }
    place(type, operation);
  }

  void identify(std::string_view interval) {
    for (const std::size_t column :
         {cur_payer, cur_account, cur_type, cur_product, cur_usage, cur_operation, cur_zone,
          cur_resource, cur_description, cur_tax, cur_plan, cur_reservation}) {
      hash_ << cell(column);
    }
    hash_ << row_.from << row_.until;
    row_.item = hash_.value();
    if (!cell(cur_id).empty()) {
      hash_ << cell(cur_id) << interval << cell(cur_type) << cell(cur_usage) << cell(cur_resource);
      row_.copy = row_.id = hash_.value();
    } else {
      for (const std::size_t column :
           {cur_amount, cur_unblended, cur_net, cur_list, cur_plan_cost, cur_reserved_cost}) {
        hash_ << cell(column);
      }
      row_.copy = hash_.value_with(row_.item);
    }
    reading_.prefetch(row_);
    using Invoice = BillRow::Invoice;
    row_.invoice = !table_.has(cur_invoice)    ? Invoice::unknown
                   : cell(cur_invoice).empty() ? Invoice::open
                                               : Invoice::sent;
    reading_.covers(cell(cur_payer), cell(cur_month));
  }

  void place(std::string_view type, std::string_view operation) {
    BillWords words{cell(cur_product),       {},
                    cell(cur_usage),         cell(cur_resource),
                    cell(cur_instance_type), cell(cur_description)};
    const BillUsage usage = usage_of(words);
    BillTarget& to = row_.target;
    if (type == "SavingsPlanRecurringFee" || type == "RIFee") {
      to.kind = BillTarget::Kind::unused;
      cost(type == "RIFee" ? table_.dollars(cur_unused_upfront) + table_.dollars(cur_unused_fee)
                           : table_.dollars(cur_commitment) - table_.dollars(cur_used));
      reading_.add(row_);
      return;
    }
    const bool is_discount = type.ends_with("Discount");
    const bool is_usage = type == "Usage" || type == "SavingsPlanCoveredUsage" ||
                          type == "DiscountedUsage" || is_discount;
    if (!is_usage) {
      to.kind = BillTarget::Kind::apart;
      to.name = type;
      cost(unblended());
      reading_.add(row_);
      return;
    }
    if (is_discount) {
      // The net costs have it in them; without these it lowers the cost of its resource.
      reading_.discount(type);
      row_.amounts.fallback = table_.dollars(cur_unblended);
    } else {
      price(type, usage.is_spot);
    }
    to.market = type == "SavingsPlanCoveredUsage" ? "savings_plan"
                : type == "DiscountedUsage"       ? "reserved"
                : usage.is_spot                   ? "spot"
                                                  : "on_demand";
    to.region = region(words);
    if (BillReading::counts_time(usage) && !is_discount)
      row_.amounts.hours = table_.hours(cur_amount);
    for (const auto& [field, key] : tags_) hash_ << table_.field(field);
    hash_ << cell(cur_tags);
    reading_.add_usage(row_, usage, words, operation, hash_.value(),
                       [this](BillTags& tags) { read_tags(tags); });
  }

  void cost(std::int64_t nanos) { row_.amounts.cost = row_.amounts.fallback = nanos; }

  std::int64_t unblended() {
    const bool is_net = !cell(cur_net).empty();
    has_net_ |= is_net;
    return table_.dollars(is_net ? cur_net : cur_unblended);
  }

  /// What it cost, and would at list price.
  void price(std::string_view type, bool is_spot) {
    const auto net_or = [this](std::size_t net, std::size_t plain) {
      return table_.dollars(cell(net).empty() ? plain : net);
    };
    if (type == "SavingsPlanCoveredUsage") {
      cost(net_or(cur_plan_net, cur_plan_cost));
    } else if (type == "DiscountedUsage") {
      cost(net_or(cur_reserved_net, cur_reserved_cost));
    } else {
      cost(unblended());
    }
    const bool is_listed = !cell(cur_list).empty();
    // Without the column for it, the price of Spot says nothing of the list.
    if (is_listed || !is_spot)
      row_.amounts.list = table_.dollars(is_listed ? cur_list : cur_unblended);
  }

  std::string_view region(const BillWords& words) {
    for (const std::size_t column : {cur_region_code, cur_region}) {
      if (!cell(column).empty()) return cell(column);
    }
    for (const std::string_view region :
         {region_of_arn(words.resource), region_of_usage(words.usage_type)}) {
      if (!region.empty()) return region;
    }
    region_ = text_in_map(cell(cur_product_map), "region");
    return region_;
  }

  void read_tags(BillTags& tags) {
    for (const auto& [field, key] : tags_) tags.take(key, table_.field(field));
    if (tags.take_map(cell(cur_tags), "user_")) return;
    table_.doubt(cur_tags, "the tags are no JSON object");
  }

  BillTable table_;
  BillReading reading_;
  std::vector<std::pair<std::size_t, std::string>> tags_;  ///< fields of tags
  BillRow row_;
  BillHash hash_;
  std::string region_;
  bool has_net_ = false;
};

}  // namespace

bool is_cur(std::string_view head) {
  const std::string_view header = head.substr(0, head.find('\n'));
  return header.find("lineItem/") != header.npos || header.find("line_item_") != header.npos;
}

void read_cur(HistoryInput& input, const HistoryOptions& options, History& into) {
  CurReader{input, options, into.bill}.read(into);
}

}  // namespace reeve::scenarios
