#include "app/text/clock_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace reeve::app {

std::string clock_text(policy::Duration since_start) {
  using namespace std::chrono;
  const bool before = since_start < policy::Duration{0};
  const auto whole = floor<seconds>(before ? -since_start : since_start);
  const auto rest = (before ? -since_start : since_start) - whole;
  const hh_mm_ss parts{whole};
  std::string text = fmt::format("{}{:02}:{:02}:{:02}", before ? "−" : "", parts.hours().count(),
                                 parts.minutes().count(), parts.seconds().count());
  if (rest > policy::Duration{0}) {
    text += fmt::format(".{:03}", duration_cast<milliseconds>(rest).count());
  }
  return text;
}

}  // namespace reeve::app
