// Whether a shared object is whole: the loader of the system dies of one that was cut off.
#pragma once

#include <filesystem>

namespace reeve::app {

/// Whether headers of the file speak of bytes behind its end.  False for what is no shared object
/// of this machine: that the loader refuses itself.
bool is_cut_off(const std::filesystem::path& file);

}  // namespace reeve::app
