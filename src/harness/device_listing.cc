#include "harness/device_listing.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#ifdef PAIRBENCH_WITH_LIBFABRIC
#include "transport/libfabric/listing.h"
#endif
#ifdef PAIRBENCH_WITH_VERBS
#include "transport/verbs/listing.h"
#endif
#include "transport/inproc/device.h"

namespace pairbench {
namespace {

DeviceRow inproc_row() {
  DeviceRow row;
  row.capabilities = inproc::Device::capabilities();
  row.transport = "inproc";
  row.usable = true;
  row.state = "up";
  row.note = "two threads, no network: the harness's own cost; pairbench local only";
  return row;
}

DeviceRow unusable(std::string transport, std::string why) {
  DeviceRow row;
  row.transport = std::move(transport);
  row.note = std::move(why);
  return row;
}

std::vector<DeviceRow> libfabric_rows() {
#ifdef PAIRBENCH_WITH_LIBFABRIC
  try {
    return libfabric::list_devices();
  } catch (const Error& error) {
    return {unusable("libfabric", error.what())};
  }
#else
  return {unusable("libfabric", "this pairbench was built without libfabric")};
#endif
}

std::vector<DeviceRow> verbs_rows() {
#ifdef PAIRBENCH_WITH_VERBS
  return verbs::list_devices();
#else
  return {unusable("verbs", "this pairbench was built without libibverbs")};
#endif
}

}  // namespace

std::vector<DeviceRow> list_devices() {
  std::vector<DeviceRow> rows = libfabric_rows();
  std::ranges::move(verbs_rows(), std::back_inserter(rows));
  rows.push_back(inproc_row());
  std::stable_partition(rows.begin(), rows.end(), [](const DeviceRow& row) { return row.usable; });
  return rows;
}

}  // namespace pairbench
