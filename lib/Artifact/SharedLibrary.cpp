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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
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
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"kernel", images.front().kernel}, {"images", std::move(list)}});
  return text;
}

/// Several CPU images of one kernel name their functions alike (add_0): each image's get a suffix of its own, in the
/// object and in the image, and what else the object defines becomes local.
static llvm::Error makeSymbolsUnique(KernelImage &image, size_t number) {
  llvm::objcopy::ConfigManager config;
  std::vector<std::string> names;
  names.reserve(image.launches.size());
  for (Launch &launch : image.launches) {
    names.push_back(launch.symbol + ".image" + std::to_string(number));
    config.Common.SymbolsToRename[launch.symbol] = names.back();
    auto pattern = llvm::objcopy::NameOrPattern::create(launch.symbol, llvm::objcopy::MatchStyle::Literal,
                                                        [](llvm::Error error) { return error; });
    if (!pattern)
      return pattern.takeError();
    if (auto error = config.Common.SymbolsToKeepGlobal.addMatcher(std::move(pattern)))
      return error;
  }
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(image.code, image.kernel));
  if (!object)
    return object.takeError();
  llvm::SmallString<0> renamed;
  llvm::raw_svector_ostream os(renamed);
  if (auto error = llvm::objcopy::executeObjcopyOnBinary(config, **object, os))
    return error;
  image.code = renamed.str().str();
  for (auto [launch, name] : llvm::zip(image.launches, names))
    launch.symbol = name;
  return llvm::Error::success();
}

static llvm::Error runLinker(llvm::ArrayRef<std::string> arguments) {
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream os(output);
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  lld::Result result = lld::lldMain(pointers, os, os, {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0 ? llvm::Error::success() : llvm::createStringError(output);
}

/// The linker's arguments, its inputs written to `folder`.
static llvm::Expected<std::vector<std::string>> prepareLink(llvm::ArrayRef<KernelImage> images,
                                                            const std::string &folder, bool shared) {
  auto entries = entryObject(images);
  if (!entries)
    return entries.takeError();
  std::vector<std::string> arguments = {"ld.lld", "-o", folder + "/result"};
  auto add = [&](llvm::StringRef name, llvm::StringRef bytes) -> llvm::Error {
    std::string file = folder + "/" + name.str();
    arguments.push_back(file);
    return support::writeFileAtomically(file, bytes);
  };
  if (auto error = add("entries.o", *entries))
    return std::move(error);
  if (auto error = add("runtime.o", bakedRuntimeObject()))
    return std::move(error);
  for (auto [number, image] : llvm::enumerate(images))
    if (!image.isGpu())
      if (auto error = add("code" + std::to_string(number) + ".o", image.code))
        return std::move(error);
  if (!shared) {
    arguments.push_back("-r");
    return arguments;
  }
  std::string script = folder + "/exports";
  if (auto error = support::writeFileAtomically(script, "{ global: helion_*; local: *; };"))
    return std::move(error);
  for (const char *flag : {"-shared", "--gc-sections", "-z", "noexecstack", "-z", "now", "--build-id=none"})
    arguments.push_back(flag);
  arguments.push_back("--version-script=" + script);
  return arguments;
}

static llvm::Error link(llvm::ArrayRef<KernelImage> given, llvm::StringRef path, bool shared) {
  support::TempDirectory folder;
  if (folder.path().empty())
    return llvm::createStringError("cannot make a temporary folder\nhelp: set TMPDIR to one that can be written");
  std::vector<KernelImage> images = given.vec();
  if (llvm::count_if(images, [](const KernelImage &image) { return !image.isGpu(); }) > 1)
    for (auto [number, image] : llvm::enumerate(images))
      if (!image.isGpu())
        if (auto error = makeSymbolsUnique(image, number))
          return llvm::createStringError("linking '" + path + "' failed: " + llvm::toString(std::move(error)));
  auto arguments = prepareLink(images, folder.path(), shared);
  if (!arguments)
    return arguments.takeError();
  if (auto error = runLinker(*arguments))
    return llvm::createStringError("linking '" + path + "' failed: " + llvm::toString(std::move(error)));
  auto bytes = support::readFile(folder.path() + "/result");
  if (!bytes)
    return bytes.takeError();
  return support::writeFileAtomically(path, *bytes);
}

llvm::Error helionc::artifact::writeSharedLibrary(llvm::ArrayRef<KernelImage> images, llvm::StringRef path) {
  return link(images, path, /*shared=*/true);
}

llvm::Error helionc::artifact::writeObject(llvm::ArrayRef<KernelImage> images, llvm::StringRef path) {
  return link(images, path, /*shared=*/false);
}
