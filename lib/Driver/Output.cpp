//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Building images and writing files.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Output.h"

#include "helionc/Artifact/HeaderWriter.h"
#include "helionc/Artifact/SharedLibrary.h"
#include "helionc/Driver/Configuration.h"
#include "helionc/Driver/Emit.h"
#include "helionc/Driver/Version.h"
#include "helionc/Support/FileSystem.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::driver;
using llvm::Error;
using llvm::StringRef;
namespace json = llvm::json;

static llvm::Expected<OutputPlan::Kind> kindOf(StringRef path) {
  StringRef ending = llvm::sys::path::extension(path);
  if (ending == ".so")
    return OutputPlan::Kind::SharedLibrary;
  if (ending == ".o")
    return OutputPlan::Kind::Object;
  if (ending == ".cubin")
    return OutputPlan::Kind::Cubin;
  if (ending == ".ptx")
    return OutputPlan::Kind::Ptx;
  return failWith(ExitUsage,
                  "cannot tell from '" + path + "' what to write\nhelp: end the name in .so, .o, .cubin or .ptx");
}

llvm::Expected<OutputPlan> helionc::driver::planOutput(Session &session) {
  OutputPlan plan;
  plan.path = session.options().output;
  if (plan.path.empty())
    plan.path = "lib" + session.kernel().name + ".so";
  auto kind = kindOf(plan.path);
  if (!kind)
    return kind.takeError();
  plan.kind = *kind;
  bool gpuOnly = plan.kind == OutputPlan::Kind::Cubin || plan.kind == OutputPlan::Kind::Ptx;
  for (const pipeline::Target &target : session.targets())
    if (gpuOnly && !target.gpu)
      return failWith(ExitUsage, "the target " + target.facts.name + " has no " +
                                     llvm::sys::path::extension(plan.path).drop_front() +
                                     "\nhelp: choose a GPU with --target=sm_90a, or write a .so or .o");
  if (gpuOnly && session.targets().size() * session.workloads().size() != 1)
    return failWith(ExitUsage, "a " + llvm::sys::path::extension(plan.path) +
                                   " file holds one kernel for one target\nhelp: write a .so, which holds several");
  if (Error error = support::checkWritable(plan.path))
    return failWith(ExitEnvironment, std::move(error));
  return plan;
}

llvm::Expected<Build> helionc::driver::buildOne(Session &session, mlir::ModuleOp prepared, StringRef config,
                                                const pipeline::Target &target) {
  pipeline::CompileOptions options{session.options().optLevel, session.options().compileTimeout};
  Build build;
  if (StringRef(session.options().output).ends_with(".ptx")) {
    auto text = pipeline::compileKernel(mlir::OwningOpRef<mlir::ModuleOp>(prepared.clone()), config, target, options,
                                        pipeline::Stage::PTX);
    if (!text)
      return failWith(ExitInput, text.takeError());
    build.ptx = std::move(text->text);
    build.image = std::move(text->image);
    return build;
  }
  auto compiled = pipeline::compileKernel(mlir::OwningOpRef<mlir::ModuleOp>(prepared.clone()), config, target, options,
                                          pipeline::Stage::Image);
  if (!compiled)
    return failWith(target.gpu ? ExitEnvironment : ExitInput, compiled.takeError());
  build.image = std::move(compiled->image);
  build.record = json::Object{{"kernel", build.image.kernel}, {"target", build.image.target}, {"tuned", false}};
  if (auto parsed = json::parse(build.image.configJson))
    build.record["config"] = std::move(*parsed);
  else
    llvm::consumeError(parsed.takeError());
  json::Array shapes;
  for (const artifact::Argument &argument : build.image.args)
    shapes.push_back(json::Object{{"name", argument.name}, {"dtype", argument.dtype}, {"shape", argument.shape}});
  build.record["arguments"] = std::move(shapes);
  return build;
}

llvm::Expected<std::vector<Build>> helionc::driver::buildUntuned(Session &session) {
  std::vector<Build> builds;
  for (const frontend::Bindings &workload : session.workloads())
    for (const pipeline::Target &target : session.targets()) {
      auto module = session.lower(workload);
      if (!module)
        return module.takeError();
      if (Error error = pipeline::prepareSymbolic(**module, target.facts))
        return failWith(ExitInput, std::move(error));
      auto config = chooseConfig(session, **module);
      if (!config)
        return config.takeError();
      auto build = buildOne(session, **module, *config, target);
      if (!build)
        return build.takeError();
      builds.push_back(std::move(*build));
    }
  return builds;
}

llvm::Expected<std::string> helionc::driver::sharedLibraryBytes(std::vector<artifact::KernelImage> images) {
  support::TempDirectory folder;
  std::string path = folder.path() + "/library.so";
  if (Error error = artifact::writeSharedLibrary(images, path))
    return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return (*buffer)->getBuffer().str();
}

static Error writeLibrary(const OutputPlan &plan, llvm::StringRef recordPath, std::vector<Build> &builds) {
  std::vector<artifact::KernelImage> images;
  json::Array records;
  for (Build &build : builds) {
    images.push_back(build.image);
    records.push_back(std::move(build.record));
  }
  Error error = plan.kind == OutputPlan::Kind::Object ? artifact::writeObject(images, plan.path)
                                                      : artifact::writeSharedLibrary(images, plan.path);
  if (error)
    return failWith(ExitEnvironment, std::move(error));
  llvm::SmallString<128> header(plan.path), record(plan.path);
  llvm::sys::path::replace_extension(header, ".h");
  llvm::sys::path::replace_extension(record, ".json");
  if (!recordPath.empty())
    record = recordPath;
  if (Error failed = writeText(header, artifact::headerText(images)))
    return failed;
  json::Object whole{{"compiler", "helionc " HELIONC_VERSION}, {"builds", std::move(records)}};
  return writeText(record, llvm::formatv("{0:2}\n", json::Value(std::move(whole))).str());
}

Error helionc::driver::writeOutput(Session &session, const OutputPlan &plan, std::vector<Build> builds) {
  switch (plan.kind) {
  case OutputPlan::Kind::SharedLibrary:
  case OutputPlan::Kind::Object:
    if (Error error = writeLibrary(plan, session.options().tuneRecord, builds))
      return error;
    break;
  case OutputPlan::Kind::Cubin:
    if (Error error = writeText(plan.path, builds.front().image.code))
      return error;
    break;
  case OutputPlan::Kind::Ptx:
    if (Error error = writeText(plan.path, builds.front().ptx))
      return error;
    break;
  }
  if (!session.options().quiet)
    llvm::errs() << "wrote " << plan.path << '\n';
  return Error::success();
}
