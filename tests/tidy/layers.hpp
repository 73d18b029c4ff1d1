// Who may include whom: the table of ARCHITECTURE.md as data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::tidy {

/// One include directive: what stands between its quotes or angle brackets.
struct Include {
  std::string name;
  bool quoted = false;
};

/// One folder and the prefixes of what its files may include beside the standard library.
struct Layer {
  std::string_view folder;
  std::string_view name_space;               // empty where the folder has none of its own
  std::vector<std::string_view> quoted;      // prefixes; see `plain_names`
  std::vector<std::string_view> bracketed;   // prefixes
  std::vector<std::string_view> never = {};  // prefixes of `quoted` that are above this folder
  bool plain_names = false;                  // a neighbour in the same folder, named without folder
  bool everything = false;
};

/// All layers; a folder inside another stands before it.
std::span<const Layer> layers();

/// The layer of a file by its path, or null.
const Layer* layer_of(std::string_view path);

/// Whether a file of this layer may have this include.
bool may_include(const Layer& layer, const Include& include);

}  // namespace reeve::tidy
