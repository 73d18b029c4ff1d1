# Turns files of text into a source of a target: the program carries one copy of each, and has it
# wherever it runs.

# embed_texts(<target> <pattern> HEADER <h> NAMESPACE <n> TYPE <t> FUNCTION <f>) adds to the target
# `std::span<const t> f()` of namespace n, declared in h: one {name, text} for each file, by name.
function(embed_texts target pattern)
  cmake_parse_arguments(PARSE_ARGV 2 embed "" "HEADER;NAMESPACE;TYPE;FUNCTION" "")
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
  list(SORT files)
  if(NOT files)
    message(FATAL_ERROR "${pattern}: no such file; a program without any is a mistake")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

  set(entries)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/generated/${embed_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
[=[#include <array>

#include "@embed_HEADER@"

namespace @embed_NAMESPACE@ {

std::span<const @embed_TYPE@> @embed_FUNCTION@() {
  static constexpr std::array texts = std::to_array<@embed_TYPE@>({
@entries@  });
  return texts;
}

}  // namespace @embed_NAMESPACE@
]=])
  reeve_real_target(target ${target})
  target_sources(${target} PRIVATE ${source})
endfunction()
