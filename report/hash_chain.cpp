#include "report/hash_chain.hpp"

#include <nettle/sha2.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace reeve::report {

namespace {

/// SHA-256 of what `add` is given.
class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }
  void add(const char* bytes, std::size_t count) {
    sha256_update(&state_, count, reinterpret_cast<const unsigned char*>(bytes));
  }
  std::string hex() {
    std::array<unsigned char, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&state_, digest.size(), digest.data());
    std::string hex;
    hex.reserve(2 * digest.size());
    for (const unsigned char byte : digest) {
      constexpr std::string_view digits = "0123456789abcdef";
      hex += digits[byte >> 4];
      hex += digits[byte & 15];
    }
    return hex;
  }

 private:
  sha256_ctx state_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hex();
}

std::string sha256(std::istream& bytes) {
  Sha256 hash;
  std::vector<char> block(std::size_t{1} << 16);
  while (bytes) {
    bytes.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add(block.data(), static_cast<std::size_t>(bytes.gcount()));
  }
  if (bytes.bad()) throw std::runtime_error{"a file cannot be read to its end"};
  return hash.hex();
}

void HashChain::append(std::span<const std::string> cells) {
  std::string bytes;
  for (const std::string& cell : cells) {
    bytes += std::to_string(cell.size());
    bytes += ':';
    bytes += cell;
  }
  head_ = sha256(bytes);
}

}  // namespace reeve::report
