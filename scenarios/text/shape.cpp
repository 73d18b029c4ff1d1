#include "scenarios/text/shape.hpp"

namespace reeve::scenarios {

// Out of line, as tables copy many: each copy in place would cost the compiler as much as a key.
Shape::Shape() = default;
Shape::Shape(const Shape& other) = default;
Shape::Shape(Shape&& other) noexcept = default;
Shape& Shape::operator=(const Shape& other) = default;
Shape& Shape::operator=(Shape&& other) noexcept = default;
Shape::~Shape() = default;

Shape shape_of(ShapeKind kind, std::initializer_list<Shape> parts) {
  Shape shape;
  shape.kind = kind;
  shape.parts = parts;
  return shape;
}

}  // namespace reeve::scenarios
