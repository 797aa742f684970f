// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "knobs.hpp"

#include <vector>

namespace peer {
namespace {

DeviceKnob knob(const char* name, const char* what, const char* clause, void (*set)(DeviceKnobs&)) {
  DeviceKnob made{name, what, clause, {}};
  set(made.set);
  return made;
}

std::vector<DeviceKnob> make() {
  return {
      knob("plain", "Every choice at its usual value", "3.3", [](DeviceKnobs&) {}),
      knob("one_message_a_flit", "One message a flit, nothing beside data", "4.2.5",
           [](DeviceKnobs& k) { k.packing = PackPolicy::OnePerFlit; }),
      knob("generic_slots", "Messages in generic slots wherever one can carry them", "4.2.5",
           [](DeviceKnobs& k) { k.packing = PackPolicy::GenericOnly; }),
      knob("any_packing", "Another legal packing in every flit", "4.2.5",
           [](DeviceKnobs& k) { k.packing = PackPolicy::Random; }),
      knob("no_mdh", "No slot with several data headers", "4.2.5",
           [](DeviceKnobs& k) { k.mdh = false; }),
      knob("smallest_llrb", "A retry buffer of 22 entries", "4.2.8.1",
           [](DeviceKnobs& k) { k.wrap = 22; }),
      knob("largest_llrb", "A retry buffer of 255 entries", "4.2.8.1",
           [](DeviceKnobs& k) { k.wrap = 255; }),
      knob("one_buffer", "One buffer for requests and one for writes", "4.2.8.1",
           [](DeviceKnobs& k) { k.buffers_req = k.buffers_rwd = 1; }),
      knob("one_credit", "One credit at a time", "4.2.8.2",
           [](DeviceKnobs& k) { k.one_credit_at_a_time = true; }),
      knob("late_acks", "Acknowledgements are forced after 500 clocks only", "4.2.8.2; 8.2.5.11.6",
           [](DeviceKnobs& k) {
             k.ack_force_threshold = 16;
             k.flush_retimer = 500;
           }),
      knob("late_init", "INIT.Param comes 2000 cycles after Active", "4.2.7",
           [](DeviceKnobs& k) { k.init_delay = 2000; }),
      knob("cache_credits", "Credits of CXL.cache, which the host has not", "4.2.7",
           [](DeviceKnobs& k) { k.credit_flood = true; }),
      knob("bad_crc", "One of 200 flits is sent with a wrong CRC", "4.2.8",
           [](DeviceKnobs& k) { k.corrupt_per_64k = 330; }),
      knob("needless_retry", "A retry is requested of one of 200 good flits", "4.2.8",
           [](DeviceKnobs& k) { k.retry_per_64k = 330; }),
      knob("late_status", "A request for Active is answered after 300 cycles", "5.1.2.2",
           [](DeviceKnobs& k) { k.status_delay = 300; }),
      knob("retrains", "The device asks for Recovery at any moment", "5.1.2.3",
           [](DeviceKnobs& k) { k.retrain_per_1m = 300; }),
      knob("io_first", "CXL.io has ten times the weight of CXL.cachemem", "5.3",
           [](DeviceKnobs& k) { k.weight_io = 10; }),
      knob("fast", "Answers after one cycle", "3.3",
           [](DeviceKnobs& k) { k.latency_min = k.latency_max = 1; }),
      knob("latency_10", "Answers after ten cycles", "3.3",
           [](DeviceKnobs& k) { k.latency_min = k.latency_max = 10; }),
      knob("latency_100", "Answers after a hundred cycles", "3.3",
           [](DeviceKnobs& k) { k.latency_min = k.latency_max = 100; }),
      knob("latency_400", "Answers after four hundred cycles", "3.3",
           [](DeviceKnobs& k) { k.latency_min = k.latency_max = 400; }),
      knob("slow", "Answers after 400 to 1000 cycles", "3.3",
           [](DeviceKnobs& k) {
             k.latency_min = 400;
             k.latency_max = 1000;
           }),
      knob("any_order", "Responses in any order", "3.4",
           [](DeviceKnobs& k) {
             k.out_of_order = true;
             k.latency_min = 1;
             k.latency_max = 300;
           }),
      knob("half_lines", "Read data in two halves of 32 bytes", "3.3.7; 4.2.2",
           [](DeviceKnobs& k) { k.half_lines = true; }),
      knob("half_lines_any_packing", "Halves of 32 bytes in any packing", "3.3.7; 4.2.2",
           [](DeviceKnobs& k) {
             k.half_lines = true;
             k.packing = PackPolicy::Random;
           }),
      knob("half_lines_poison",
           "One of 100 reads in halves finds a media error: in the lower half, the upper or both",
           "3.3.6; 4.2.2; 12.2.3",
           [](DeviceKnobs& k) {
             k.half_lines = true;
             k.poison_per_64k = 660;
           }),
      knob("halves_apart",
           "The upper half is ready up to 40 cycles later; lines in any order, poison, retries",
           "3.3.7; 4.2.2; 4.2.8; 12.2.3",
           [](DeviceKnobs& k) {
             k.half_lines = k.out_of_order = true;
             k.half_gap_max = 40;
             k.latency_min = 1;
             k.latency_max = 300;
             k.poison_per_64k = 660;
             k.corrupt_per_64k = k.retry_per_64k = 330;
             k.packing = PackPolicy::Random;
           }),
      knob("always_light", "DevLoad is always light", "3.3.2",
           [](DeviceKnobs& k) { k.dev_load = 0; }),
      knob("always_optimal", "DevLoad is always optimal", "3.3.2",
           [](DeviceKnobs& k) { k.dev_load = 1; }),
      knob("always_moderate", "DevLoad is always moderate overload", "3.3.2",
           [](DeviceKnobs& k) { k.dev_load = 2; }),
      knob("always_severe", "DevLoad is always severe overload", "3.3.2",
           [](DeviceKnobs& k) { k.dev_load = 3; }),
      knob("serves_speculation", "MemSpecRd occupies the media", "3.3.3",
           [](DeviceKnobs& k) { k.serve_spec = true; }),
      knob("keeps_metadata", "The device stores the metadata state and returns it", "3.3.3; B.2",
           [](DeviceKnobs& k) { k.keeps_meta = true; }),
      knob("drops_speculation", "MemSpecRd is dropped", "3.3.3",
           [](DeviceKnobs& k) { k.serve_spec = false; }),
      knob("every_answer", "Every legal NDR and DRS: any DevLoad, any metadata, halves, any order",
           "3.3.5; 3.3.6; B.2",
           [](DeviceKnobs& k) {
             k.any_ignored = k.keeps_meta = k.half_lines = k.out_of_order = true;
             k.latency_min = 1;
             k.latency_max = 200;
             k.packing = PackPolicy::Random;
           }),
      knob("writes_late", "A write is seen by reads only when its NDR leaves", "3.4",
           [](DeviceKnobs& k) { k.writes_late = true; }),
      knob("poison", "One of 200 reads finds a media error", "12.2.3",
           [](DeviceKnobs& k) { k.poison_per_64k = 330; }),
      knob("viral", "The device becomes viral", "12.4; 4.2.9.1",
           [](DeviceKnobs& k) { k.viral_at = 5000; }),
      knob("all_at_random", "Many of these together", "3.3; 4.2",
           [](DeviceKnobs& k) {
             k.packing = PackPolicy::Random;
             k.wrap = 40;
             k.buffers_req = 3;
             k.buffers_rwd = 2;
             k.one_credit_at_a_time = true;
             k.corrupt_per_64k = 200;
             k.retry_per_64k = 200;
             k.out_of_order = true;
             k.latency_min = 1;
             k.latency_max = 200;
             k.half_lines = true;
             k.half_gap_max = 20;
             k.poison_per_64k = 200;
             k.keeps_meta = true;
             k.serve_spec = true;
             k.status_delay = 20;
             k.credit_flood = true;
           }),
  };
}

}  // namespace

std::span<const DeviceKnob> legal_device_knobs() {
  static const std::vector<DeviceKnob> kKnobs = make();
  return kKnobs;
}

}  // namespace peer
