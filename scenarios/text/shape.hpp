// What a JSON value of a scenario may look like: the one description that decoding, unknown-key
// messages, the JSON Schema and the reference pages are made from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

enum class ShapeKind : std::uint8_t {
  flag,
  integer,
  number,
  duration,      ///< text with a unit; limits in seconds
  instant,       ///< ISO 8601 with an offset
  usd,           ///< dollars
  usd_per_hour,  ///< dollars per hour
  text,
  choice,     ///< one of `choices`
  list,       ///< of parts[0]
  map,        ///< any key to parts[0]
  pair,       ///< [parts[0], parts[0]], or [parts[0], parts[1]]
  object,     ///< `object`
  any_of,     ///< one of `parts`
  condition,  ///< condition_shape(), which holds conditions again
};

struct ObjectShape;

/// A value's kind and limits.
struct Shape {
  Shape();
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape();

  ShapeKind kind = ShapeKind::text;
  double min = -1e300;        ///< inclusive; numbers, money, durations
  double max = 1e300;         ///< inclusive
  bool above_min = false;     ///< `min` itself is not allowed
  std::string_view unit;      ///< "%", "instances"
  std::string_view pattern;   ///< of a text, an ECMA regular expression for the schema
  std::size_t min_items = 0;  ///< of lists, maps
  std::vector<std::string_view> choices;
  std::vector<Shape> parts;
  std::shared_ptr<const ObjectShape> object;
};

Shape shape_of(ShapeKind kind, std::initializer_list<Shape> parts = {});

/// One key of an object.
struct FieldShape {
  std::string name;
  Shape shape;
  std::string default_json;  ///< as written in a file; empty: none, or not fixed
  std::string help;
  bool required = false;
};

/// An object: every key it may have.
struct ObjectShape {
  std::string name;  ///< "a job": what a message calls it
  std::string help;
  std::vector<FieldShape> fields;
  std::vector<std::string_view> exactly_one;  ///< of these keys one must stand, and only one
  std::vector<ObjectShape> by_rule;  ///< more keys, depending on "rule": one per kind, same name
};

}  // namespace reeve::scenarios
