# Turns scenarios/gallery/*.jsonc into a source of reeve_app: one copy of each, in the program too.

file(GLOB gallery CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenarios/gallery/*.jsonc)
list(SORT gallery)
if(NOT gallery)
  message(FATAL_ERROR "scenarios/gallery: no *.jsonc; a program without scenarios is a mistake")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${gallery})

set(entries)
foreach(file IN LISTS gallery)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"jsonc(${text})jsonc\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/gallery_texts.cpp @ONLY CONTENT
[=[#include <array>

#include "app/gallery.hpp"

namespace reeve::app {

std::span<const GalleryScenario> gallery() {
  static constexpr std::array scenarios = std::to_array<GalleryScenario>({
@entries@  });
  return scenarios;
}

}  // namespace reeve::app
]=])
target_sources(reeve_app PRIVATE ${PROJECT_BINARY_DIR}/generated/gallery_texts.cpp)
