// fi_info as libfabric would fill it, by hand.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <utility>

#include "transport/libfabric/handles.h"

namespace pairbench::libfabric {

inline void set_text(char*& field, const std::string& text) {
  free(field);
  field = strdup(text.c_str());
}

inline InfoHandle fake_info(const std::string& provider, const std::string& fabric,
                            const std::string& domain) {
  InfoHandle info(fi_allocinfo());
  set_text(info->fabric_attr->prov_name, provider);
  set_text(info->fabric_attr->name, fabric);
  set_text(info->domain_attr->name, domain);
  info->ep_attr->type = FI_EP_RDM;
  info->ep_attr->max_msg_size = 1 << 20;
  info->tx_attr->size = 2048;
  info->rx_attr->size = 4096;
  info->tx_attr->inject_size = 64;
  info->domain_attr->cq_data_size = 8;
  return info;
}

// A NIC whose parts the test owns; attached to an info only while both live.
struct FakeNic {
  explicit FakeNic(std::string device_name) : name(std::move(device_name)) {
    device.name = name.data();
    nic.device_attr = &device;
    nic.link_attr = &link;
    nic.bus_attr = &bus;
  }
  FakeNic(const FakeNic&) = delete;
  FakeNic& operator=(const FakeNic&) = delete;

  std::string name;
  fi_device_attr device{};
  fi_link_attr link{};
  fi_bus_attr bus{};
  fid_nic nic{};
};

// Lends a NIC to an info and takes it back before libfabric would free it.
class WithNic {
 public:
  WithNic(fi_info& info, FakeNic& nic) : info_(info) { info_.nic = &nic.nic; }
  ~WithNic() { info_.nic = nullptr; }
  WithNic(const WithNic&) = delete;
  WithNic& operator=(const WithNic&) = delete;

 private:
  fi_info& info_;
};

}  // namespace pairbench::libfabric
