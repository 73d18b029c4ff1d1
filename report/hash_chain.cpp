#include "report/hash_chain.hpp"

#include <openssl/evp.h>

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

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != digest.size()) {
    throw std::runtime_error{"SHA-256 is not available"};
  }
  return hex_of(digest);
}

std::string sha256(std::istream& bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free};
  bool is_good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> block(std::size_t{1} << 16);
  while (is_good && bytes) {
    bytes.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(bytes.gcount());
    is_good = EVP_DigestUpdate(context.get(), block.data(), count) == 1;
  }
  if (bytes.bad()) throw std::runtime_error{"a file cannot be read to its end"};
  Digest digest{};
  unsigned int length = 0;
  is_good = is_good && EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1;
  if (!is_good || length != digest.size()) throw std::runtime_error{"SHA-256 is not available"};
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
