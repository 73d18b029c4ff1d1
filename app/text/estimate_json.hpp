// An estimate in a summary of results.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/statistics.hpp"

namespace reeve::app {

/// {"mean", "lo", "hi"}: null without a sample, and the ends without an interval.
inline nlohmann::ordered_json estimate_json(const experiments::Estimate& of, bool has_interval) {
  nlohmann::ordered_json json{{"mean", nullptr}, {"lo", nullptr}, {"hi", nullptr}};
  if (of.samples == 0) return json;
  json["mean"] = of.mean;
  if (has_interval) {
    json["lo"] = of.low;
    json["hi"] = of.high;
  }
  return json;
}

}  // namespace reeve::app
