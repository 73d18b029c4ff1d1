#include "scenarios/load/keys/schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using OrderedJson = nlohmann::ordered_json;

// As parse_duration, parse_instant and parse_usd read them (scenarios/text/quantity.hpp).
constexpr const char* duration_pattern =
    R"(^(?=[0-9])([0-9]+(\.[0-9]+)?w)?([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?h)?)"
    R"(([0-9]+(\.[0-9]+)?m)?([0-9]+(\.[0-9]+)?s)?([0-9]+(\.[0-9]+)?ms)?)"
    R"(([0-9]+(\.[0-9]+)?us)?([0-9]+(\.[0-9]+)?ns)?$)";
constexpr const char* instant_pattern =
    R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?)"
    R"((Z|[+-][0-9]{2}:[0-9]{2})$)";
constexpr const char* money_pattern = R"(^-?\$?[0-9]{1,3}(,?[0-9]{3})*(\.[0-9]+)?$)";

void put_number(OrderedJson& schema, const char* key, double value) {
  if (std::floor(value) == value && std::fabs(value) < 1e15) {
    schema[key] = static_cast<std::int64_t>(value);
  } else if (std::fabs(value) < 1e15) {
    schema[key] = value;
  }
}

void put_limits(OrderedJson& schema, const Shape& shape) {
  put_number(schema, shape.above_min ? "exclusiveMinimum" : "minimum", shape.min);
  put_number(schema, "maximum", shape.max);
}

OrderedJson number_schema(const Shape& shape, const char* type) {
  OrderedJson schema{{"type", type}};
  put_limits(schema, shape);
  return schema;
}

OrderedJson text_schema(std::string_view pattern) {
  OrderedJson schema{{"type", "string"}};
  if (!pattern.empty()) schema["pattern"] = pattern;
  return schema;
}

OrderedJson field_schema(const FieldShape& row) {
  OrderedJson schema = schema_of(row.shape);
  schema["description"] =
      row.shape.unit.empty() ? row.help : fmt::format("{} [{}]", row.help, row.shape.unit);
  if (!row.default_json.empty()) schema["default"] = OrderedJson::parse(row.default_json);
  return schema;
}

void put_fields(OrderedJson& properties, const ObjectShape& object) {
  for (const FieldShape& row : object.fields) properties[row.name] = field_schema(row);
}

OrderedJson required_names(const ObjectShape& object) {
  OrderedJson names = OrderedJson::array();
  for (const FieldShape& row : object.fields) {
    if (row.required) names.push_back(row.name);
  }
  return names;
}

/// The keys of a rule depend on which rule it is: common keys and its own, and no others.
OrderedJson rule_schema(const ObjectShape& common, const ObjectShape& options) {
  OrderedJson then{{"title", options.name}, {"description", options.help}};
  then["properties"] = OrderedJson::object();
  put_fields(then["properties"], common);
  put_fields(then["properties"], options);
  then["additionalProperties"] = false;
  const OrderedJson required = required_names(options);
  if (!required.empty()) {  // a preset may hold them instead
    then["anyOf"] = OrderedJson::array({OrderedJson{{"required", required}},
                                        OrderedJson{{"required", OrderedJson::array({"use"})}}});
  }
  const OrderedJson is_rule{{"properties", {{"rule", {{"const", options.name}}}}},
                            {"required", OrderedJson::array({"rule"})}};
  return OrderedJson{{"if", is_rule}, {"then", then}};
}

OrderedJson object_schema(const ObjectShape& object) {
  OrderedJson schema{{"type", "object"}, {"description", object.help}};
  if (!object.by_rule.empty()) {
    schema["properties"] = OrderedJson{{"rule", field_schema(object.fields.front())}};
    schema["required"] = required_names(object);
    for (const ObjectShape& options : object.by_rule) {
      schema["allOf"].push_back(rule_schema(object, options));
    }
    return schema;
  }
  schema["properties"] = OrderedJson::object();
  put_fields(schema["properties"], object);
  const OrderedJson required = required_names(object);
  if (!required.empty()) schema["required"] = required;
  for (const std::string_view key : object.exactly_one) {
    schema["oneOf"].push_back(OrderedJson{{"required", OrderedJson::array({key})}});
  }
  schema["additionalProperties"] = false;
  return schema;
}

OrderedJson list_schema(const Shape& shape) {
  OrderedJson schema{{"type", "array"}, {"items", schema_of(shape.parts[0])}};
  if (shape.kind == ShapeKind::pair && shape.parts.size() == 2) {
    schema = {{"type", "array"},
              {"prefixItems", {schema_of(shape.parts[0]), schema_of(shape.parts[1])}},
              {"items", false},
              {"minItems", 2}};
  } else if (shape.kind == ShapeKind::pair) {
    schema["minItems"] = 2;
    schema["maxItems"] = 2;
  } else if (shape.min_items > 0) {
    schema["minItems"] = shape.min_items;
  }
  return schema;
}

OrderedJson any_of_schema(const Shape& shape) {
  OrderedJson schema;
  for (const Shape& part : shape.parts) schema["anyOf"].push_back(schema_of(part));
  return schema;
}

OrderedJson money_schema(const Shape& shape) {
  return OrderedJson{
      {"anyOf", OrderedJson::array({number_schema(shape, "number"), text_schema(money_pattern)})}};
}

}  // namespace

nlohmann::ordered_json schema_of(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::flag:
      return OrderedJson{{"type", "boolean"}};
    case ShapeKind::integer:
      return number_schema(shape, "integer");
    case ShapeKind::number:
      return number_schema(shape, "number");
    case ShapeKind::duration:
      return text_schema(duration_pattern);
    case ShapeKind::instant:
      return text_schema(instant_pattern);
    case ShapeKind::usd:
    case ShapeKind::usd_per_hour:
      return money_schema(shape);
    case ShapeKind::text:
      return text_schema(shape.pattern);
    case ShapeKind::choice:
      return OrderedJson{{"enum", shape.choices}};
    case ShapeKind::list:
    case ShapeKind::pair:
      return list_schema(shape);
    case ShapeKind::map:
      return OrderedJson{{"type", "object"}, {"additionalProperties", schema_of(shape.parts[0])}};
    case ShapeKind::object:
      return object_schema(*shape.object);
    case ShapeKind::any_of:
      return any_of_schema(shape);
    case ShapeKind::condition:
      return OrderedJson{{"$ref", "#/$defs/condition"}};
  }
  return OrderedJson::object();
}

nlohmann::ordered_json scenario_schema() {
  OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "reeve scenario"}};
  schema.update(object_schema(*scenario_table().shape()));
  schema["$defs"]["condition"] = object_schema(condition_shape());
  return schema;
}

}  // namespace reeve::scenarios
