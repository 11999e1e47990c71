//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Links libraries with the embedded lld.
//===----------------------------------------------------------------------===//
#include "helionc/Artifact/SharedLibrary.h"

#include "helionc/Support/FileSystem.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace helionc;
using namespace helionc::artifact;
namespace json = llvm::json;

namespace helionc::artifact {
/// Generated: the relocatable object of lib/Runtime/Baked.
llvm::StringRef bakedRuntimeObject();
} // namespace helionc::artifact

int64_t helionc::artifact::dtypeBytes(const std::string &dtype) {
  static const std::pair<const char *, int64_t> sizes[] = {{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"i8", 1},
                                                           {"i16", 2}, {"i32", 4},  {"i64", 8}, {"bool", 1}};
  for (auto [name, bytes] : sizes)
    if (dtype == name)
      return bytes;
  return 0;
}

static llvm::StringRef roleText(ArgRole role) {
  static constexpr llvm::StringRef names[] = {"in", "out", "inout", "temp", "scalar"};
  return names[size_t(role)];
}

std::string helionc::artifact::describe(llvm::ArrayRef<KernelImage> images) {
  json::Array list;
  for (const KernelImage &image : images) {
    json::Array arguments;
    for (const Argument &argument : image.args)
      arguments.push_back(json::Object{{"name", argument.name},
                                       {"role", roleText(argument.role)},
                                       {"dtype", argument.dtype},
                                       {"shape", argument.shape},
                                       {"strides", argument.strides}});
    json::Object entry{{"target", image.target}, {"arguments", std::move(arguments)}};
    if (auto config = json::parse(image.configJson))
      entry["config"] = std::move(*config);
    else
      llvm::consumeError(config.takeError());
    list.push_back(std::move(entry));
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object{{"kernel", images.front().kernel}, {"images", std::move(list)}});
  return text;
}

static llvm::Error link(llvm::ArrayRef<KernelImage> images, llvm::StringRef path, bool shared) {
  support::TempDirectory folder;
  if (folder.path().empty())
    return llvm::createStringError("cannot make a temporary folder\nhelp: set TMPDIR to one that can be written");
  auto entries = entryObject(images);
  if (!entries)
    return entries.takeError();
  std::vector<std::string> arguments = {"ld.lld", "-o", (path + ".link.tmp").str()};
  auto add = [&](llvm::StringRef name, llvm::StringRef bytes) -> llvm::Error {
    std::string file = folder.path() + "/" + name.str();
    arguments.push_back(file);
    return support::writeFileAtomically(file, bytes);
  };
  if (auto error = add("entries.o", *entries))
    return error;
  if (auto error = add("runtime.o", bakedRuntimeObject()))
    return error;
  for (auto [number, image] : llvm::enumerate(images))
    if (!image.isGpu())
      if (auto error = add("code" + std::to_string(number) + ".o", image.code))
        return error;
  if (shared) {
    std::string script = folder.path() + "/exports";
    if (auto error = support::writeFileAtomically(script, "{ global: helion_*; local: *; };"))
      return error;
    for (const char *flag : {"-shared", "--gc-sections", "-z", "noexecstack", "-z", "now", "--build-id=none"})
      arguments.push_back(flag);
    arguments.push_back("--version-script=" + script);
  } else {
    arguments.push_back("-r");
  }
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream os(output);
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  lld::Result result = lld::lldMain(pointers, os, os, {{lld::Gnu, &lld::elf::link}});
  std::string made = (path + ".link.tmp").str();
  if (result.retCode != 0) {
    llvm::sys::fs::remove(made);
    return llvm::createStringError("linking '" + path + "' failed: " + output);
  }
  if (std::error_code code = llvm::sys::fs::rename(made, path))
    return llvm::createStringError("cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

llvm::Error helionc::artifact::writeSharedLibrary(llvm::ArrayRef<KernelImage> images, llvm::StringRef path) {
  return link(images, path, /*shared=*/true);
}

llvm::Error helionc::artifact::writeObject(llvm::ArrayRef<KernelImage> images, llvm::StringRef path) {
  return link(images, path, /*shared=*/false);
}
