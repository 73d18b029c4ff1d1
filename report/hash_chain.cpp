#include "report/hash_chain.hpp"

#include <mbedtls/sha256.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace reeve::report {

namespace {

using Digest = std::array<unsigned char, 32>;

std::string hex_of(const Digest& digest) {
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

/// As the library takes them.
const unsigned char* octets(const char* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest{};
  if (mbedtls_sha256_ret(octets(bytes.data()), bytes.size(), digest.data(), 0) != 0) {
    throw std::runtime_error{"SHA-256 is not available"};
  }
  return hex_of(digest);
}

std::string sha256(std::istream& bytes) {
  mbedtls_sha256_context context;
  mbedtls_sha256_init(&context);
  bool is_good = mbedtls_sha256_starts_ret(&context, 0) == 0;
  std::vector<char> block(std::size_t{1} << 16);
  while (is_good && bytes) {
    bytes.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(bytes.gcount());
    is_good = mbedtls_sha256_update_ret(&context, octets(block.data()), count) == 0;
  }
  if (bytes.bad()) throw std::runtime_error{"a file cannot be read to its end"};
  Digest digest{};
  is_good = is_good && mbedtls_sha256_finish_ret(&context, digest.data()) == 0;
  mbedtls_sha256_free(&context);
  if (!is_good) throw std::runtime_error{"SHA-256 is not available"};
  return hex_of(digest);
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
