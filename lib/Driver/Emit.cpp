//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The values of --emit.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Emit.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Analysis/KernelSummary.h"
#include "helionc/Artifact/HeaderWriter.h"
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Driver/Configuration.h"
#include "helionc/Driver/Output.h"
#include "helionc/Driver/Prompt.h"
#include "helionc/Support/FileSystem.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::driver;
using llvm::Error;
using llvm::StringRef;

Error helionc::driver::writeText(StringRef path, StringRef text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    if (llvm::outs().has_error()) {
      llvm::outs().clear_error();
      return failWith(ExitEnvironment, "cannot write to standard output");
    }
    return Error::success();
  }
  if (Error error = support::writeFileAtomically(path, text))
    return failWith(ExitEnvironment, std::move(error));
  return Error::success();
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << '\n';
  return text;
}

/// The stages that look at the symbolic kernel; nothing for a later stage.
static std::optional<llvm::Expected<std::string>> emitSymbolic(Session &session, StringRef stage,
                                                               mlir::ModuleOp module) {
  hl::KernelOp kernel = *module.getOps<hl::KernelOp>().begin();
  if (stage == "space")
    return analysis::readConfigSpace(kernel).toText();
  if (stage == "space=json")
    return llvm::formatv("{0:2}\n", analysis::readConfigSpace(kernel).toJson()).str();
  const analysis::TargetFacts &facts = session.targets().front().facts;
  if (stage == "summary")
    return analysis::summarizeKernel(kernel).toText() + "\ntarget\n  " + facts.toText();
  if (stage == "summary=json")
    return llvm::formatv("{0:2}\n", analysis::summarizeKernel(kernel).toJson()).str();
  if (stage == "prompt")
    return promptText(session, kernel, facts);
  return std::nullopt;
}

static pipeline::Stage toStage(StringRef name) {
  return llvm::StringSwitch<pipeline::Stage>(name)
      .Case("hl-instantiated", pipeline::Stage::HLInstantiated)
      .Case("vector", pipeline::Stage::Vector)
      .Case("hlg", pipeline::Stage::HLG)
      .Case("nvvm", pipeline::Stage::NVVM)
      .Case("llvm", pipeline::Stage::LLVM)
      .Case("asm", pipeline::Stage::Asm)
      .Case("ptx", pipeline::Stage::PTX)
      .Case("cubin", pipeline::Stage::Cubin)
      .Case("obj", pipeline::Stage::Obj)
      .Default(pipeline::Stage::Image);
}

static llvm::Expected<std::string> emitCode(Session &session, StringRef stageName,
                                            mlir::OwningOpRef<mlir::ModuleOp> module) {
  const pipeline::Target &target = session.targets().front();
  pipeline::Stage stage = toStage(stageName);
  if (Error error = pipeline::checkStage(stage, stageName, target))
    return failWith(ExitUsage, std::move(error));
  auto config = chooseConfig(session, *module);
  if (!config)
    return config.takeError();
  pipeline::CompileOptions options{session.options().optLevel, session.options().compileTimeout};
  auto compiled = pipeline::compileKernel(std::move(module), *config, target, options, stage);
  if (!compiled)
    return failWith(target.gpu ? ExitEnvironment : ExitInput, compiled.takeError());
  if (stageName == "header")
    return artifact::headerText({compiled->image});
  if (stageName == "so")
    return sharedLibraryBytes({std::move(compiled->image)});
  return std::move(compiled->text);
}

Error helionc::driver::emitStage(Session &session) {
  StringRef stage = session.options().emit;
  if (stage == "ast")
    return writeText(session.options().output, session.source().dumpAST());
  auto module = session.lower(session.workloads().front());
  if (!module)
    return module.takeError();
  if (stage == "hl")
    return writeText(session.options().output, print(**module));
  if (Error error = pipeline::prepareSymbolic(**module, session.targets().front().facts))
    return failWith(ExitInput, std::move(error));
  if (auto text = emitSymbolic(session, stage, **module))
    return *text ? writeText(session.options().output, **text) : text->takeError();
  auto text = emitCode(session, stage, std::move(*module));
  return text ? writeText(session.options().output, *text) : text.takeError();
}
