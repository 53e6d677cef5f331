#pragma once

// OpenCL through a loader that is opened at run time, as volk does it for Vulkan: a machine without one still
// runs the program and reads what to install. opencl.hpp calls ::clX and takes its address, so for every
// function of the list there is a global loaded_clX of the same type that forwards to the loader, and the
// generated redirections turn every clX after <CL/cl.h> into it.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

#include "opencl_functions.hpp"

namespace sonde::device::opencl {

/// Opens the ICD loader, once; throws Unsupported with what to install when there is none, or it lacks a function that
/// is older than OpenCL 2.0. Loaders without the newer way to make a queue use the older one.
void load();

/// The first function of shared virtual memory that the loader lacks; none of them may be called then. Empty for every
/// loader of OpenCL 2.0 and later, which has all of them. (Wine's has none.)
const std::string& missing_shared_memory_function();

template <typename Tag, typename Function>
struct Forwarder;

template <typename Tag, typename Result, typename... Arguments>
struct Forwarder<Tag, Result (*)(Arguments...)> {
  static inline Result (*target)(Arguments...) = nullptr;
  static Result call(Arguments... arguments) { return target(arguments...); }
};

#define SONDE_FORWARD(function) \
  struct function##_tag;        \
  using function##_forwarder = Forwarder<function##_tag, decltype(&::function)>;
SONDE_OPENCL_FUNCTIONS(SONDE_FORWARD)
#undef SONDE_FORWARD

}  // namespace sonde::device::opencl

#define SONDE_REDIRECT(function) \
  inline constexpr auto& loaded_##function = sonde::device::opencl::function##_forwarder::call;
SONDE_OPENCL_FUNCTIONS(SONDE_REDIRECT)
#undef SONDE_REDIRECT

#ifndef SONDE_OPENCL_LOADER_ITSELF
#include "opencl_redirections.hpp"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <CL/opencl.hpp>
#pragma GCC diagnostic pop
#endif
