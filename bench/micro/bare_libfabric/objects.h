// libfabric's objects: what was found, what is opened, and the contexts of operations.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstring>
#include <memory>
#include <vector>

#include "bare_libfabric/basics.h"

namespace bare {

// Contexts, which belong to the provider while an operation is under way.
class Contexts {
 public:
  explicit Contexts(std::size_t count) : all_(count), free_(count), left_(count) {
    for (std::size_t i = 0; i < count; ++i) free_[i] = &all_[i];
  }
  std::size_t size() const { return all_.size(); }
  std::size_t under_way() const { return all_.size() - left_; }
  bool any() const { return left_ > 0; }
  bool owns(const void* context) const {
    return context >= all_.data() && context < all_.data() + all_.size();
  }
  void* next() const { return free_[left_ - 1]; }
  void take() { --left_; }
  void put(void* context) { free_[left_++] = static_cast<fi_context2*>(context); }

 private:
  std::vector<fi_context2> all_;
  std::vector<fi_context2*> free_;
  std::size_t left_;
};

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

inline Info find(const Options& options) {
  const Info hints(fi_allocinfo());
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->fabric_attr->prov_name = strdup(options.provider.c_str());
  fi_info* list = nullptr;
  check(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &list), "fi_getinfo");
  const Info owner(list);
  for (; list != nullptr; list = list->next)
    if (options.domain.empty() || options.domain == list->domain_attr->name)
      return Info(fi_dupinfo(list));
  fail(options.provider + " has no domain " + options.domain);
}

// Opened from top to bottom, closed the other way.
struct Objects {
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_mr* memory = nullptr;
  fid_cq* queue = nullptr;
  fid_av* addresses = nullptr;
  fid_ep* endpoint = nullptr;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    const auto close = [](auto* object) {
      if (object != nullptr) fi_close(&object->fid);
    };
    close(endpoint), close(addresses), close(queue), close(memory), close(domain), close(fabric);
  }
};

}  // namespace bare
