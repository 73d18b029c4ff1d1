// The scenarios that are part of the program: scenarios/gallery, embedded when it is built.
#pragma once

#include <span>
#include <string_view>

namespace reeve::app {

/// One file of the gallery.
struct GalleryScenario {
  std::string_view name;  ///< of the file, without ".jsonc"
  std::string_view text;
};

/// Ordered by name.  Defined in a generated source.
std::span<const GalleryScenario> gallery();

/// The one of that name; throws UsageError with the nearest name if there is none.
const GalleryScenario& gallery_scenario(std::string_view name);

/// The "title" of a scenario text: one line for lists.
std::string_view title_of(const GalleryScenario& scenario);

}  // namespace reeve::app
