# Turns scenarios/prices/*.csv into a source of reeve_scenarios: one copy of each price book, which
# the loader has wherever the program runs.

file(GLOB books CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenarios/prices/*.csv)
list(SORT books)
if(NOT books)
  message(FATAL_ERROR "scenarios/prices: no *.csv; a program without prices is a mistake")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${books})

set(entries)
foreach(file IN LISTS books)
  cmake_path(GET file STEM LAST_ONLY name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"csv(${text})csv\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/price_book_texts.cpp @ONLY CONTENT
[=[#include <array>

#include "scenarios/price_book.hpp"

namespace reeve::scenarios {

std::span<const PriceBookText> price_book_texts() {
  static constexpr std::array books = std::to_array<PriceBookText>({
@entries@  });
  return books;
}

}  // namespace reeve::scenarios
]=])
target_sources(reeve_scenarios PRIVATE ${PROJECT_BINARY_DIR}/generated/price_book_texts.cpp)
