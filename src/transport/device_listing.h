// What `pairbench devices` shows: one row a device, usable or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transport/capabilities.h"

namespace pairbench {

struct DeviceRow {
  std::string transport;  // as -t takes it
  bool usable = false;
  std::string state;  // up, down, …
  std::string note;   // for a person; why not, where it is not usable
  std::string endpoint_type;
  std::string address_format;
  std::string address;               // printable, where the device has one before opening
  std::optional<std::string> group;  // rows with one group are alike: shown once without --all
  Capabilities capabilities;
};

}  // namespace pairbench
