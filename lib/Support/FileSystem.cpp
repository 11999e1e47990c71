//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Files.
//===----------------------------------------------------------------------===//
#include "helionc/Support/FileSystem.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace helionc::support;
namespace fs = llvm::sys::fs;

static llvm::Error cannotWrite(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("cannot write '" + path + "': " + code.message());
}

llvm::Error helionc::support::writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes) {
  // A device such as /dev/null is written as it is.
  fs::file_status status;
  if (!fs::status(path, status) && fs::exists(status) && !fs::is_regular_file(status)) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    if (!code)
      os << bytes;
    return code ? cannotWrite(path, code) : llvm::Error::success();
  }
  llvm::SmallString<128> temporary;
  int descriptor;
  if (std::error_code code = fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, temporary, fs::OF_None, 0666))
    return cannotWrite(path, code);
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << bytes;
    os.flush();
    if (os.has_error()) {
      std::error_code code = os.error();
      os.clear_error();
      fs::remove(temporary);
      return cannotWrite(path, code);
    }
  }
  if (std::error_code code = fs::rename(temporary, path)) {
    fs::remove(temporary);
    return cannotWrite(path, code);
  }
  return llvm::Error::success();
}

llvm::Error helionc::support::checkWritable(llvm::StringRef path) {
  if (fs::is_directory(path))
    return llvm::createStringError("cannot write '" + path + "': it is a directory");
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status)) { // a device or a pipe is written as it is
    std::error_code code = fs::access(path, fs::AccessMode::Write);
    return code ? cannotWrite(path, code) : llvm::Error::success();
  }
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  if (!parent.empty() && !fs::is_directory(parent))
    return llvm::createStringError("cannot write '" + path + "': there is no directory '" + parent + "'");
  llvm::SmallString<128> probe;
  int descriptor;
  if (std::error_code code = fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, probe))
    return cannotWrite(path, code);
  llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  fs::remove(probe);
  return llvm::Error::success();
}

llvm::Expected<std::string> helionc::support::readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

TempDirectory::TempDirectory() {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "helionc-XXXXXX");
  // Libraries that will be loaded lie there: mkdtemp gives it to this user alone.
  std::string name = path.str().str();
  if (mkdtemp(name.data()))
    folder = name;
}

TempDirectory::~TempDirectory() {
  if (!folder.empty())
    fs::remove_directories(folder);
}
