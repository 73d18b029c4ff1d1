// Writes a random but valid scenario of the tick world as a function of a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/property/drawn_text.hpp"

namespace reeve::tests {

/// Equal seeds write equal texts.  `price_factor` multiplies every price and changes nothing else.
/// The policies are `alone`, one strategy, and `watched`, the same beside others in shadow.
class RandomTicks : private DrawnText {
 public:
  explicit RandomTicks(std::uint64_t seed, std::uint64_t price_factor = 1)
      : DrawnText{seed, 3}, price_factor_{price_factor} {}

  std::string text() {
    from_the_start();
    tick_s_ = between(1, 4);
    tick_s_ *= between(60, 900);
    restart_s_ = chance(0.2) ? 0 : between(1, 3 * tick_s_);
    asks_ = chance(0.3);
    const std::string horizon =
        chance(0.5) ? "until_done" : Written{"{}s", tick_s_ * between(20, 300)}.text;
    const std::string prices = price_book();
    const std::string machines = fleet();
    const std::string work = jobs();
    const std::string kill_switch = switches();
    const std::string rules = policies();
    return Written{
        "{{ \"reeve\": 1, \"name\": \"ticks-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"{}\" }},\n"
        "\"random\": {{ \"seed\": {} }},\n{},\n{},\n"
        "\"platform\": {{ \"model\": \"ticks\", \"tick\": \"{}s\", \"restart_overhead\": \"{}s\", "
        "\"asks_when_done\": {} }},\n{},\n{}{} }}\n",
        seed_,
        horizon,
        seed_ + 1,
        prices,
        machines,
        tick_s_,
        restart_s_,
        asks_,
        work,
        kill_switch,
        rules}
        .text;
  }

 private:
  std::string price_book() {
    return Written{
        "\"prices\": {{ \"instances\": {{ \"big\": {{ \"usd_per_hour\": {}, \"spot_usd_per_hour\": "
        "{}, \"gpus\": 8 }}, \"small\": {{ \"usd_per_hour\": {}, \"spot_usd_per_hour\": {}, "
        "\"gpus\": 1 }} }} }}",
        between(1, 90) * price_factor_, between(1, 90) * price_factor_, 3 * price_factor_,
        price_factor_}
        .text;
  }

  /// A market that is up again at its end, or drawn.
  std::string availability(std::uint64_t capacity) {
    if (chance(0.4)) {
      return Written{
          ", \"availability\": {{ \"up\": {{ \"exponential\": \"{}s\" }}, \"down\": {{ "
          "\"exponential\": \"{}s\" }}, \"all_lost\": {:.3f} }}",
          tick_s_ * between(2, 30), tick_s_ * between(1, 20), luck()}
          .text;
    }
    std::string steps = Written{"[\"0s\", {}]", between(0, capacity)}.text;
    std::uint64_t at = 0;
    for (std::uint64_t left = between(1, 30); left > 0; --left) {
      at += tick_s_ * between(1, 12);
      steps += Written{", [\"{}s\", {}]", at, left == 1 ? capacity : between(0, capacity)}.text;
    }
    return Written{", \"availability\": {{ \"steps\": [{}] }}", steps}.text;
  }

  std::string spot(std::string_view name, std::string_view type) {
    const std::uint64_t capacity = between(4, 8);
    return Written{
        "{{ \"name\": \"{}\", \"instance_type\": \"{}\", \"capacity\": {}, \"market\": \"spot\", "
        "\"reclaim_order\": \"{}\"{} }}",
        name,
        type,
        capacity,
        pick({"random", "newest", "oldest"}),
        chance(0.9) ? availability(capacity) : ""}
        .text;
  }

  std::string fleet() {
    return Written{
        "\"fleet\": [ {},\n  {},\n  {},\n  {{ \"name\": \"d\", \"instance_type\": \"big\", "
        "\"capacity\": {} }},\n  {{ \"name\": \"e\", \"instance_type\": \"small\", \"capacity\": "
        "{} }} ]",
        spot("a", "big"),
        spot("b", "big"),
        spot("c", "small"),
        between(4, 12),
        between(4, 12)}
        .text;
  }

  std::string jobs() {
    std::string list;
    const std::uint64_t count = between(1, 8);
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::uint64_t work = between(1, 60 * tick_s_);
      list +=
          Written{
              "{}\n  {{ \"name\": \"job-{}\", \"submit\": \"{}s\", \"instances\": {}, \"work\": "
              "\"{}s\", \"deadline\": \"{}s\", \"fleet\": \"{}\" }}",
              number == 0 ? "" : ",",
              number,
              chance(0.5) ? 0 : between(0, 40 * tick_s_),
              between(1, 4),
              work,
              work + between(1, 60 * tick_s_),
              pick({"a", "b", "c"})}
              .text;
    }
    return Written{"\"jobs\": [{} ]", list}.text;
  }

  std::string switches() {
    if (!chance(0.2)) return "";
    const std::uint64_t from = between(0, 20 * tick_s_);
    return Written{"\"kill_switch\": {{ \"engaged\": [[\"{}s\", \"{}s\"]] }},\n", from,
                   from + between(1, 20 * tick_s_)}
        .text;
  }

  std::string strategy(std::string_view rule) const {
    const bool counts = rule == "strawman" || rule == "uniform_progress";
    std::string options = Written{"\"rule\": \"{}\"", rule}.text;
    if (counts) {
      options +=
          Written{", \"tick\": \"{}s\", \"restart_overhead\": \"{}s\"", tick_s_, restart_s_}.text;
    }
    if (rule == "strawman" && asks_) options += ", \"upstream_extra_tick\": true";
    return options;
  }

  std::string policies() {
    const std::vector<std::string_view> all{"on_demand", "spot_only", "strawman",
                                            "uniform_progress"};
    const std::string one = Written{"{{ {} }}", strategy(all[between(0, 3)])}.text;
    std::string watched = one;
    for (std::size_t shadow = 0; shadow < all.size(); ++shadow) {
      watched += Written{", {{ {}, \"name\": \"shadow-{}\", \"mode\": \"shadow\" }}",
                         strategy(all[shadow]), shadow}
                     .text;
    }
    return Written{"\"policies\": {{ \"alone\": [ {} ],\n  \"watched\": [ {} ] }}", one, watched}
        .text;
  }

  std::uint64_t price_factor_;
  std::uint64_t tick_s_ = 0;
  std::uint64_t restart_s_ = 0;
  bool asks_ = false;
};

}  // namespace reeve::tests
