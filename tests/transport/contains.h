#pragma once

#include <string>

namespace pairbench::libfabric {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace pairbench::libfabric
