#pragma once

#include "device/model/kernels.hpp"

// References of the streaming kernels; kernels/stream.h explains their walk.
namespace sonde::device::model {

/// Also through the texture unit, which is as fast here.
void stream_read(Invocation& invocation);
void stream_local(Invocation& invocation);
void stream_write(Invocation& invocation);
void stream_copy(Invocation& invocation);
void stream_add(Invocation& invocation);
void stream_add_dialled(Invocation& invocation);
void stream_triad(Invocation& invocation);

}  // namespace sonde::device::model
