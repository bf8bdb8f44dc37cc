#include "soft_efa/status.h"

namespace pairbench::soft_efa {

ibv_wc_status verbs_status(Status status) {
  switch (status) {
    case Status::ok:
      return IBV_WC_SUCCESS;
    case Status::flushed:
      return IBV_WC_WR_FLUSH_ERR;
    case Status::local_operation:
      return IBV_WC_LOC_QP_OP_ERR;
    case Status::local_key:
      return IBV_WC_LOC_PROT_ERR;
    case Status::local_length:
      return IBV_WC_LOC_LEN_ERR;
    case Status::remote_access:
      return IBV_WC_REM_ACCESS_ERR;
    case Status::bad_queue_pair:
    case Status::remote_length:
      return IBV_WC_REM_INV_REQ_ERR;
    case Status::receiver_not_ready:
      return IBV_WC_RNR_RETRY_EXC_ERR;
    case Status::unresponsive:
      return IBV_WC_RESP_TIMEOUT_ERR;
    default:
      return IBV_WC_GENERAL_ERR;
  }
}

}  // namespace pairbench::soft_efa
