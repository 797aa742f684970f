// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/wave_text.hpp"

#include "tb/flit_text.hpp"

namespace cxlgpu {

void WaveText::attach(VerilatedFst& trace) {
  trace.addInitCb(&declare, this);
  trace.addFullCb(&dump_all, this);
  trace.addChgCb(&dump_changes, this);
}

void WaveText::set(std::size_t track, std::string_view text) {
  auto& words = tracks_[track].words;
  words.fill(0);
  const std::string shown = fitted(std::string(text), kChars);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::size_t byte = shown.size() - 1 - i;
    words[byte / 4] |= std::uint32_t{static_cast<unsigned char>(shown[i])} << byte % 4 * 8;
  }
}

void WaveText::declare(void* self, VerilatedFst* trace, std::uint32_t code) {
  auto& text = *static_cast<WaveText*>(self);
  text.code_ = code;
  for (const Track& track : text.tracks_) {
    trace->pushNamePrefix(track.scope + ' ');
    trace->declArray(code, track.name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1,
                     kBits - 1, 0);
    trace->popNamePrefix();
    code += kBits / 32;
  }
}

void WaveText::dump_all(void* self, VerilatedFst::Buffer* buffer) {
  auto& text = *static_cast<WaveText*>(self);
  std::uint32_t* old = buffer->oldp(text.code_);
  for (const Track& track : text.tracks_) {
    buffer->fullWData(old, track.words.data(), kBits);
    old += kBits / 32;
  }
}

void WaveText::dump_changes(void* self, VerilatedFst::Buffer* buffer) {
  auto& text = *static_cast<WaveText*>(self);
  std::uint32_t* old = buffer->oldp(text.code_);
  for (const Track& track : text.tracks_) {
    buffer->chgWData(old, track.words.data(), kBits);
    old += kBits / 32;
  }
}

}  // namespace cxlgpu
