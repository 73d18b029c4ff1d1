#include "app/compare/expectation.hpp"

#include <cmath>
#include <cstdint>

namespace reeve::app {
namespace {

using experiments::Quantity;
using scenarios::CompareOp;
using scenarios::Literal;
using scenarios::MetricComparison;

/// The count of micro-dollars or nanoseconds a literal means where `value` is exact, if any.
std::optional<std::int64_t> exact(const Literal& literal, const Quantity& value) {
  if (std::holds_alternative<policy::Usd>(value) && literal.usd) return literal.usd->micros();
  if (std::holds_alternative<policy::Duration>(value) && literal.duration) {
    return literal.duration->count();
  }
  return std::nullopt;
}

std::int64_t units(const Quantity& value) {
  if (const auto* usd = std::get_if<policy::Usd>(&value)) return usd->micros();
  return std::get<policy::Duration>(value).count();
}

template <class Number>
bool holds_for(CompareOp op, Number actual, Number wanted, Number tolerance) {
  const bool equal =
      actual == wanted || (actual > wanted ? actual - wanted : wanted - actual) <= tolerance;
  switch (op) {
    case CompareOp::equal:
      return equal;
    case CompareOp::not_equal:
      return !equal;
    case CompareOp::less:
      return actual < wanted;
    case CompareOp::less_equal:
      return actual <= wanted;
    case CompareOp::greater:
      return actual > wanted;
    case CompareOp::greater_equal:
      return actual >= wanted;
  }
  return false;
}

}  // namespace

bool holds(const MetricComparison& comparison, const std::optional<Quantity>& value) {
  if (!value) return false;
  const auto wanted = exact(comparison.value, *value);
  const auto tolerance =
      comparison.tolerance ? exact(*comparison.tolerance, *value) : std::optional<std::int64_t>{0};
  if (wanted && tolerance) {
    using Wide = models::Charge;  // differences of int64 fit
    return holds_for<Wide>(comparison.op, units(*value), *wanted, *tolerance);
  }
  const double actual = experiments::as_double(*value);
  if (std::isnan(actual)) return false;
  return holds_for(comparison.op, actual, comparison.value.number,
                   comparison.tolerance ? comparison.tolerance->number : 0.0);
}

}  // namespace reeve::app
