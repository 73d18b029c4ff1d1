#include "app/study/shared_object.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

namespace reeve::app {
namespace {

/// Whether `bytes` from `at` on lie in a file of so many.
bool lies_within(std::uint64_t at, std::uint64_t bytes, std::uint64_t size) {
  return at <= size && bytes <= size - at;
}

template <class Header>
bool read_at(std::ifstream& in, std::uint64_t at, Header& out) {
  in.seekg(static_cast<std::streamoff>(at));
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&out), sizeof out));
}

}  // namespace

bool is_cut_off(const std::filesystem::path& file) {
  std::error_code unreadable;
  const std::uint64_t size = std::filesystem::file_size(file, unreadable);
  std::ifstream in{file, std::ios::binary};
  Elf64_Ehdr head{};
  if (unreadable || !read_at(in, 0, head)) return false;
  const bool is_elf64 = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                        head.e_ident[EI_CLASS] == ELFCLASS64 &&
                        head.e_ident[EI_DATA] == ELFDATA2LSB;
  if (!is_elf64) return false;
  const std::uint64_t sections = std::uint64_t{head.e_shnum} * head.e_shentsize;
  const std::uint64_t segments = std::uint64_t{head.e_phnum} * head.e_phentsize;
  if (!lies_within(head.e_shoff, sections, size)) return true;
  if (!lies_within(head.e_phoff, segments, size)) return true;
  for (std::uint64_t nth = 0; nth < head.e_phnum; ++nth) {
    Elf64_Phdr segment{};
    if (!read_at(in, head.e_phoff + nth * head.e_phentsize, segment)) return true;
    const bool is_loaded = segment.p_type == PT_LOAD;
    if (is_loaded && !lies_within(segment.p_offset, segment.p_filesz, size)) return true;
  }
  return false;
}

}  // namespace reeve::app
