// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Control flits (CXL 2.0, 4.2.6, Table 54 and Figures 78 to 81).
#include "flit_codec.hpp"

namespace peer {

namespace {

constexpr uint64_t bits(unsigned high, unsigned low) {
  return (high == 63 ? ~uint64_t{0} : (uint64_t{1} << (high + 1)) - 1) &
         ~((uint64_t{1} << low) - 1);
}

// The payload bits that a control flit of this kind defines; the rest is zero.
uint64_t defined_payload(uint8_t llctrl, uint8_t subtype) {
  if (llctrl == kLlcrd && subtype == kLlcrdAcknowledge) return bits(2, 0) | bits(7, 4);
  if (llctrl == kRetry && subtype == kRetryReq) return bits(7, 0) | bits(25, 16);
  if (llctrl == kRetry && subtype == kRetryAck) return bits(1, 0) | bits(47, 3);
  if (llctrl == kInit && subtype == kInitParam) return bits(3, 0) | bits(31, 24);
  return 0;
}

bool known_subtype(uint8_t llctrl, uint8_t subtype) {
  if (llctrl == kLlcrd) return subtype == kLlcrdAcknowledge;
  if (llctrl == kRetry) return subtype <= kRetryFrame;
  return llctrl == kInit && subtype == kInitParam;
}

}  // namespace

ControlFlit get_control(const Flit& flit) {
  ControlFlit control;
  control.ak = get_bits(flit, 2, 1) != 0;
  control.ctl_fmt = static_cast<uint8_t>(get_bits(flit, 5, 3));
  control.rsp_crd = static_cast<uint8_t>(get_bits(flit, 20, 4));
  control.req_crd = static_cast<uint8_t>(get_bits(flit, 24, 4));
  control.data_crd = static_cast<uint8_t>(get_bits(flit, 28, 4));
  control.llctrl = static_cast<uint8_t>(get_bits(flit, 32, 4));
  control.subtype = static_cast<uint8_t>(get_bits(flit, 36, 4));
  control.payload = get_bits(flit, 64, 64);
  return control;
}

Flit make_control(const ControlFlit& control) {
  Flit flit{};
  put_bits(flit, 0, 1, 1);
  put_bits(flit, 2, 1, control.ak ? 1 : 0);
  put_bits(flit, 5, 3, control.ctl_fmt);
  put_bits(flit, 20, 4, control.rsp_crd);
  put_bits(flit, 24, 4, control.req_crd);
  put_bits(flit, 28, 4, control.data_crd);
  put_bits(flit, 32, 4, control.llctrl);
  put_bits(flit, 36, 4, control.subtype);
  put_bits(flit, 64, 64, control.payload);
  seal(flit);
  return flit;
}

bool control_static_bits_good(const Flit& flit) {
  const ControlFlit control = get_control(flit);
  if (control.ctl_fmt != 0 || !known_subtype(control.llctrl, control.subtype)) return false;
  if ((control.payload & ~defined_payload(control.llctrl, control.subtype)) != 0) return false;
  // Header bits without a field: 1, 3, 4, 19:8. Credits and Ak are of LLCRD only.
  const uint64_t header = get_bits(flit, 0, 32);
  const uint64_t reserved = control.llctrl == kLlcrd ? 0x000fff1a : 0xffffff1e;
  if ((header & reserved) != 0 || get_bits(flit, 40, 24) != 0) return false;
  for (unsigned byte = 16; byte < 64; ++byte) {
    if (flit[byte] != 0) return false;
  }
  return true;
}

Flit make_llcrd(unsigned full_ack, uint8_t rsp_crd, uint8_t req_crd, uint8_t data_crd) {
  ControlFlit control;
  control.llctrl = kLlcrd;
  control.subtype = kLlcrdAcknowledge;
  control.ak = (full_ack >> 3 & 1) != 0;
  control.payload = (full_ack & 7) | (full_ack & 0xf0);
  control.rsp_crd = rsp_crd;
  control.req_crd = req_crd;
  control.data_crd = data_crd;
  return make_control(control);
}

unsigned full_ack_of(const ControlFlit& llcrd) {
  return static_cast<unsigned>(llcrd.payload & 0xf7) | (llcrd.ak ? 8u : 0u);
}

namespace {

Flit make_retry(RetrySubtype subtype, uint64_t payload) {
  ControlFlit control;
  control.llctrl = kRetry;
  control.subtype = subtype;
  control.payload = payload;
  return make_control(control);
}

}  // namespace

Flit make_retry_idle() {
  return make_retry(kRetryIdle, 0);
}

Flit make_retry_frame() {
  return make_retry(kRetryFrame, 0);
}

Flit make_retry_req(uint8_t eseq, uint8_t num_retry, uint8_t num_phy_reinit) {
  return make_retry(kRetryReq, uint64_t{eseq} | uint64_t{num_retry & 31u} << 16 |
                                   uint64_t{num_phy_reinit & 31u} << 21);
}

Flit make_retry_ack(const RetryAck& ack) {
  return make_retry(kRetryAck, uint64_t{ack.empty} | uint64_t{ack.viral} << 1 |
                                   uint64_t{ack.num_retry & 31u} << 3 | uint64_t{ack.wr_ptr} << 8 |
                                   uint64_t{ack.eseq} << 16 | uint64_t{ack.num_free_buf} << 24);
}

RetryAck retry_ack_of(const ControlFlit& control) {
  RetryAck ack;
  ack.empty = (control.payload & 1) != 0;
  ack.viral = (control.payload >> 1 & 1) != 0;
  ack.num_retry = control.payload >> 3 & 31;
  ack.wr_ptr = control.payload >> 8 & 255;
  ack.eseq = control.payload >> 16 & 255;
  ack.num_free_buf = control.payload >> 24 & 255;
  return ack;
}

Flit make_init_param(uint8_t version, uint8_t wrap) {
  ControlFlit control;
  control.llctrl = kInit;
  control.subtype = kInitParam;
  control.payload = uint64_t{version} | uint64_t{wrap} << 24;
  return make_control(control);
}

}  // namespace peer
