// A value of mbedTLS that frees itself.
#pragma once

#include <mbedtls/ssl.h>

namespace reeve::live {

/// A value of mbedTLS from its `init` to its `free`.
template <typename T, void (*init)(T*), void (*free)(T*)>
class TlsValue {
 public:
  TlsValue() { init(&value_); }
  ~TlsValue() { free(&value_); }
  TlsValue(const TlsValue&) = delete;
  TlsValue& operator=(const TlsValue&) = delete;

  T* get() { return &value_; }
  const T* get() const { return &value_; }

 private:
  T value_;
};
using TlsSession = TlsValue<mbedtls_ssl_context, mbedtls_ssl_init, mbedtls_ssl_free>;

}  // namespace reeve::live
