//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Finds and runs ptxas.
//===----------------------------------------------------------------------===//
#include "helionc/Target/NvptxTarget.h"

#include "helionc/Support/FileSystem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cstdlib>

using namespace helionc;
using namespace helionc::target;
namespace fs = llvm::sys::fs;

/// .../lib/python3*/site-packages/nvidia/{cu13,cuda_nvcc}/bin/ptxas under a virtual environment.
static std::string inEnvironment(llvm::StringRef root) {
  std::error_code code;
  std::string library = (root + "/lib").str();
  for (fs::directory_iterator at(library, code), end; at != end && !code; at.increment(code))
    for (const char *package : {"cu13", "cuda_nvcc"}) {
      std::string path = at->path() + "/site-packages/nvidia/" + package + "/bin/ptxas";
      if (fs::can_execute(path))
        return path;
    }
  return "";
}

std::string helionc::target::findPtxas() {
  if (const char *named = std::getenv("HELIONC_PTXAS"))
    return fs::can_execute(named) ? named : "";
  if (auto onPath = llvm::sys::findProgramByName("ptxas"))
    return *onPath;
  std::vector<std::string> places;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      places.push_back(std::string(root) + "/bin/ptxas");
  places.push_back("/usr/local/cuda/bin/ptxas");
  places.push_back("/opt/cuda/bin/ptxas");
  for (const std::string &place : places)
    if (fs::can_execute(place))
      return place;
  if (const char *active = std::getenv("VIRTUAL_ENV"))
    if (std::string found = inEnvironment(active); !found.empty())
      return found;
  static int anchor;
  std::string self = fs::getMainExecutable("helionc", &anchor);
  for (llvm::StringRef folder = llvm::sys::path::parent_path(self); !folder.empty();
       folder = llvm::sys::path::parent_path(folder))
    if (std::string found = inEnvironment((folder + "/.venv").str()); !found.empty())
      return found;
  return "";
}

static int64_t largest(llvm::StringRef text, llvm::StringRef pattern) {
  int64_t result = 0;
  llvm::Regex regex(pattern);
  llvm::SmallVector<llvm::StringRef> matches;
  while (regex.match(text, &matches)) {
    int64_t value = 0;
    matches[1].getAsInteger(10, value);
    result = std::max(result, value);
    text = text.drop_front(size_t(matches[0].end() - text.begin()));
  }
  return result;
}

/// ptxas's own words, without its name and the file's.
static std::string errorText(llvm::StringRef output) {
  llvm::SmallVector<llvm::StringRef> lines;
  output.split(lines, '\n', -1, false);
  std::string text;
  for (llvm::StringRef line : lines)
    if (line.contains("error") || line.contains("fatal"))
      text += (text.empty() ? "" : "; ") + line.trim().str();
  return text.empty() ? output.trim().take_back(400).str() : text.substr(0, 600);
}

llvm::Expected<Cubin> helionc::target::assemblePtx(llvm::StringRef ptx, const GpuTarget &target, int optLevel,
                                                   double timeoutSeconds) {
  std::string ptxas = findPtxas();
  if (ptxas.empty())
    return llvm::createStringError(
        "ptxas was not found; it makes machine code for " + target.name +
        "\nhelp: install the CUDA toolkit or the Python package nvidia-cuda-nvcc, or name it "
        "with HELIONC_PTXAS");
  support::TempDirectory folder;
  if (folder.path().empty())
    return llvm::createStringError("cannot make a temporary folder");
  std::string input = folder.path() + "/kernel.ptx", output = folder.path() + "/kernel.cubin",
              log = folder.path() + "/log";
  if (auto error = support::writeFileAtomically(input, ptx))
    return std::move(error);
  std::string arch = "-arch=" + target.name.str(), level = "-O" + std::to_string(std::clamp(optLevel, 0, 3));
  llvm::SmallVector<llvm::StringRef> arguments{ptxas, arch, level, "-v", input, "-o", output};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  std::string message;
  bool failed = false;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                                       unsigned(std::max(1.0, timeoutSeconds)), 0, &message, &failed);
  auto text = support::readFile(log);
  std::string said = text ? *text : (llvm::consumeError(text.takeError()), "");
  if (failed || code == -2)
    return llvm::createStringError("ptxas " + (message.empty() ? std::string("failed") : message));
  if (code != 0) {
    if (llvm::StringRef(said).contains("is not defined for option 'gpu-name'") ||
        llvm::StringRef(said).contains("Unsupported .version"))
      return llvm::createStringError("this ptxas (" + ptxas + ") is too old for " + target.name + "; version " +
                                     llvm::Twine(target.minPtxas / 100) + "." + llvm::Twine(target.minPtxas % 100) +
                                     " or newer is needed\nhelp: name another with HELIONC_PTXAS");
    return llvm::createStringError("ptxas refused the code: " + errorText(said));
  }
  auto cubin = support::readFile(output);
  if (!cubin)
    return cubin.takeError();
  Cubin result;
  result.cubin = std::move(*cubin);
  result.registers = largest(said, "Used ([0-9]+) registers");
  result.spillStoreBytes = largest(said, "([0-9]+) bytes spill stores");
  result.spillLoadBytes = largest(said, "([0-9]+) bytes spill loads");
  result.staticSmemBytes = largest(said, "([0-9]+) bytes smem");
  return result;
}
