// What the static libraries of g++ 12 ask of glibc 2.35 and 2.36, so that the program runs on
// glibc 2.34 as well: Amazon Linux 2023, RHEL 9, Ubuntu 22.04.  tests/cli/package_test.sh reads the
// versions of the symbols of the program.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

namespace reeve::app {
namespace {

/// The object that holds `address`, as the unwinder needs it.
struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t frames = 0;
  for (int nth = 0; nth < object->dlpi_phnum; ++nth) {
    const auto& segment = object->dlpi_phdr[nth];
    const std::uintptr_t at = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) frames = at;
    const bool holds = search.address >= at && search.address < at + segment.p_memsz;
    if (segment.p_type != PT_LOAD || !holds) continue;
    begin = at;
    end = at + segment.p_memsz;
  }
  if (end == 0 || frames == 0) return 0;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(begin);
  search.found->dlfo_map_end = reinterpret_cast<void*>(end);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(frames);
  return 1;
}

}  // namespace
}  // namespace reeve::app

extern "C" {

/// For libgcc's unwinder (glibc 2.35): which loaded object holds `pc`.  0 if there is one, else -1.
int _dl_find_object(void* pc, dl_find_object* result) noexcept {
  reeve::app::Search search{reinterpret_cast<std::uintptr_t>(pc), result};
  return dl_iterate_phdr(reeve::app::look_at, &search) == 1 ? 0 : -1;
}

/// For libstdc++'s std::random_device (glibc 2.36).
std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) std::abort();
  return bits;
}
}
