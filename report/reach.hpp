// How far an interval reaches from the size of a difference, as sentences print it.
#pragma once

#include <string>

namespace reeve::report {

/// The distances from a size, which is not negative, to the ends of its interval.
template <class T>
struct Reach {
  T toward{};  ///< 0 and beyond
  T away{};    ///< from 0

  Reach() = default;
  Reach(T half) : toward{half}, away{half} {}  // NOLINT(google-explicit-constructor): both ends
  Reach(T to_zero, T from_zero) : toward{to_zero}, away{from_zero} {}

  bool is_exact() const { return toward == T{} && away == T{}; }
  /// Whether 0 is outside.
  bool excludes_zero(T size) const { return is_exact() || toward < size; }
};

/// " ± $3.00", or " [$2.00, $9.00]" if the ends are not equally far; empty: exact.
template <class T, class Text>
std::string reach_text(T size, const Reach<T>& reach, const Text& text) {
  if (reach.is_exact()) return {};
  if (reach.toward == reach.away) return " ± " + text(reach.toward);
  return " [" + text(size - reach.toward) + ", " + text(size + reach.away) + ']';
}

}  // namespace reeve::report
