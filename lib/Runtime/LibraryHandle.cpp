//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loads libraries.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/LibraryHandle.h"

#include <dlfcn.h>
#include <utility>

using namespace helionc::runtime;

LibraryHandle::LibraryHandle(LibraryHandle &&other) noexcept
    : library(std::exchange(other.library, nullptr)), invoke(other.invoke), lastError(other.lastError) {}

LibraryHandle::~LibraryHandle() {
  // Its threads end with it.
  if (library)
    dlclose(library);
}

llvm::Expected<LibraryHandle> LibraryHandle::open(llvm::StringRef path, llvm::StringRef kernel) {
  LibraryHandle handle;
  handle.library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle.library)
    return llvm::createStringError(llvm::Twine("cannot load the library: ") + dlerror());
  std::string prefix = "helion_" + kernel.str();
  handle.invoke = reinterpret_cast<decltype(handle.invoke)>(dlsym(handle.library, (prefix + "_invoke").c_str()));
  handle.lastError =
      reinterpret_cast<decltype(handle.lastError)>(dlsym(handle.library, (prefix + "_last_error").c_str()));
  if (!handle.invoke || !handle.lastError)
    return llvm::createStringError("the library '" + path + "' holds no kernel '" + kernel + "'");
  return handle;
}

llvm::Error LibraryHandle::call(llvm::ArrayRef<void *> arguments, void *stream) const {
  if (invoke(arguments.data(), int64_t(arguments.size()), stream))
    return llvm::createStringError(lastError());
  return llvm::Error::success();
}
