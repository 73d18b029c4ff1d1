#include "app/live/kill_places.hpp"

#include <fmt/format.h>

#include "app/live/account.hpp"
#include "app/study/interruption.hpp"
#include "report/display_width.hpp"

namespace reeve::app {

live::KillPlaces kill_places(const scenarios::LiveSpec& settings,
                             const std::optional<std::string>& file) {
  return {file.value_or(settings.kill_file), settings.kill_parameter, settings.kill_tag,
          settings.queue};
}

std::function<void(const live::FailedCall&)> kill_trouble(const Console& console) {
  return [&console](const live::FailedCall& failed) {
    if (interruption()) return;  // it ended the call
    const std::string hint = hint_for(failed);
    console.complain(fmt::format(
        "{} failed: {}: {}\n  = help: {}nothing is sent until the kill switch can be read\n",
        failed.action, failed.error.code, report::printable(failed.error.message),
        hint.empty() ? hint : hint + "; "));
  };
}

}  // namespace reeve::app
