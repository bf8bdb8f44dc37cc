// What endpoints of killed processes leave in /dev/shm. The provider's names tell whose a file is:
// the shm provider's begin with the process ("12345:0:0"), those of efa 1.17 with the endpoint's
// address, and say the process inside. Files of processes that this one has no dealings with stay,
// whoever they belong to.
#pragma once

#include <string>

#include "transport/endpoint.h"

namespace pairbench::libfabric {

inline constexpr const char* kSharedMemory = "/dev/shm";

// The files of a process that has ended; or of this one, before it has opened its
// first endpoint: the provider refuses to open one for a process that has got the same id ("Device
// or resource busy"). Any thread.
void remove_leftovers_of(int process, const std::string& folder = kSharedMemory);

// The segment that efa 1.17 makes for the endpoint of this address, for peers on this host. An
// endpoint that does not divert to shared memory does without its name.
void remove_efa_segment(const AddressBlob& address, const std::string& folder = kSharedMemory);

}  // namespace pairbench::libfabric
