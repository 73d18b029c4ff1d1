#include "app/docs/shape_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/docs/option_text.hpp"
#include "policies/registry.hpp"
#include "scenarios/load/keys/condition.hpp"

namespace reeve::app {
namespace {

using scenarios::ObjectShape;
using scenarios::Shape;
using scenarios::ShapeKind;

constexpr double no_shape_limit = 1e15;
constexpr double hundred_years = 36525.0 * 86400;

/// ", 0 to 100", ", at least 1s"; empty: any.
std::string shape_limits(const Shape& shape) {
  const bool is_length = shape.kind == ShapeKind::duration;
  const auto value = [&](double limit) {
    return is_length ? seconds_text(limit) : fmt::format("{:.15g}", limit);
  };
  const bool low = shape.min > -no_shape_limit && (!is_length || shape.min > 0 || shape.above_min);
  const bool high = shape.max < no_shape_limit && (!is_length || shape.max < hundred_years);
  if (low && shape.min == shape.max) return ", " + value(shape.min);
  if (low && high && !shape.above_min) {
    return fmt::format(", {} to {}", value(shape.min), value(shape.max));
  }
  std::string out;
  if (low)
    out += fmt::format(", {} {}", shape.above_min ? "more than" : "at least", value(shape.min));
  if (high) out += fmt::format(", at most {}", value(shape.max));
  return out;
}

std::string choices_text(const Shape& shape, const ShapeStyle& style) {
  std::string out;
  for (const std::string_view choice : shape.choices) {
    out += (out.empty() ? "" : ", ") + style.literal(fmt::format("\"{}\"", choice));
  }
  return out;
}

std::string any_of_text(const Shape& shape, const ShapeStyle& style) {
  if (holds_rule_options(shape)) return style.rule_options;
  std::string out;
  for (const Shape& part : shape.parts) {
    out += (out.empty() ? "" : ", or ") + shape_text(part, style);
  }
  return out;
}

}  // namespace

std::string shape_text(const Shape& shape, const ShapeStyle& style) {
  const std::string unit = shape.unit.empty() ? "" : fmt::format(", {}", shape.unit);
  switch (shape.kind) {
    case ShapeKind::flag:
      return style.literal("true") + " or " + style.literal("false");
    case ShapeKind::integer:
      return "whole number" + shape_limits(shape) + unit;
    case ShapeKind::number:
      return "number" + shape_limits(shape) + unit;
    case ShapeKind::duration:
      return "duration" + shape_limits(shape);
    case ShapeKind::instant:
      return "instant";
    case ShapeKind::usd:
      return "dollars" + shape_limits(shape);
    case ShapeKind::usd_per_hour:
      return "dollars per hour" + shape_limits(shape);
    case ShapeKind::text:
      return "text";
    case ShapeKind::choice:
      return choices_text(shape, style);
    case ShapeKind::list:
      return "list of: " + shape_text(shape.parts.at(0), style);
    case ShapeKind::map:
      return "object with any keys; each value: " + shape_text(shape.parts.at(0), style);
    case ShapeKind::pair:
      return fmt::format("pair [{}; {}]", shape_text(shape.parts.at(0), style),
                         shape_text(shape.parts.back(), style));
    case ShapeKind::object:
      return style.object(*shape.object);
    case ShapeKind::any_of:
      return any_of_text(shape, style);
    case ShapeKind::condition:
      return style.object(scenarios::condition_shape());
  }
  return {};
}

std::vector<const ObjectShape*> objects_in(const Shape& shape) {
  if (shape.kind == ShapeKind::object) return {shape.object.get()};
  if (shape.kind == ShapeKind::condition) return {&scenarios::condition_shape()};
  std::vector<const ObjectShape*> out;
  for (const Shape& part : shape.parts) {
    for (const ObjectShape* inner : objects_in(part)) out.push_back(inner);
  }
  return out;
}

bool holds_rule_options(const Shape& shape) {
  if (shape.kind == ShapeKind::map) return holds_rule_options(shape.parts.at(0));
  return shape.kind == ShapeKind::any_of &&
         std::all_of(shape.parts.begin(), shape.parts.end(), [](const Shape& part) {
           return part.kind == ShapeKind::object &&
                  policies::find_kind(part.object->name) != nullptr;
         });
}

}  // namespace reeve::app
