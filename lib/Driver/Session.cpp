//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loads what the command line names.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Session.h"

#include "helionc/Driver/TargetSelection.h"
#include "helionc/Pipeline/Registration.h"
#include "helionc/Support/EditDistance.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::driver;
using llvm::Error;

char DriverError::ID = 0;

Error helionc::driver::failWith(ExitCode code, const llvm::Twine &message) {
  return llvm::make_error<DriverError>(code, message.str());
}

Error helionc::driver::failWith(ExitCode code, Error error) {
  Error result = Error::success();
  llvm::handleAllErrors(
      std::move(error),
      [&](std::unique_ptr<DriverError> known) {
        result = llvm::joinErrors(std::move(result), Error(std::move(known)));
      },
      [&](const llvm::ErrorInfoBase &other) {
        result = llvm::joinErrors(std::move(result), failWith(code, llvm::Twine(other.message())));
      });
  return result;
}

int helionc::driver::report(Error error) {
  int code = ExitOk;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DriverError &known) {
        code = known.code;
        if (!known.message.empty())
          llvm::errs() << "error: " << known.message << '\n';
      },
      [&](const llvm::ErrorInfoBase &other) {
        code = ExitInput;
        llvm::errs() << "error: " << other.message() << '\n';
      });
  return code;
}

Session::Session(Options options) : opts(std::move(options)) {}
Session::~Session() = default;

Error Session::readSource() {
  if (opts.inputs.size() != 1)
    return failWith(ExitUsage, opts.inputs.empty()
                                   ? "no input file\nhelp: helionc FILE.hl [options]; helionc --help lists the options"
                                   : "more than one input file: " + llvm::Twine(opts.inputs[0]) + " and " +
                                         opts.inputs[1] + "\nhelp: compile one file at a time");
  const std::string &path = opts.inputs.front();
  if (llvm::sys::fs::is_directory(path))
    return failWith(ExitInput, "'" + llvm::Twine(path) + "' is a directory\nhelp: name a .hl or .py file");
  if (path != "-" && !llvm::sys::fs::exists(path))
    return failWith(ExitInput, "cannot read '" + llvm::Twine(path) + "': no such file");
  file = frontend::parseFile(path, llvm::errs());
  // The diagnostics have been printed.
  return file ? Error::success() : failWith(ExitInput, "");
}

Error Session::chooseKernel() {
  llvm::ArrayRef<frontend::KernelInfo> kernels = file->kernels();
  std::vector<llvm::StringRef> names;
  for (const frontend::KernelInfo &kernel : kernels)
    names.push_back(kernel.name);
  if (opts.kernel.empty() && kernels.size() > 1)
    return failWith(ExitUsage, "'" + llvm::Twine(opts.inputs.front()) + "' holds " + llvm::Twine(kernels.size()) +
                                   " kernels: " + llvm::join(names, ", ") +
                                   "\nhelp: choose one with --kernel=" + names.front());
  for (const frontend::KernelInfo &kernel : kernels)
    if (opts.kernel.empty() || kernel.name == opts.kernel)
      chosen = &kernel;
  if (chosen)
    return Error::success();
  std::string nearest = support::didYouMean(opts.kernel, names);
  return failWith(ExitInput, "no kernel '" + llvm::Twine(opts.kernel) + "' in '" + opts.inputs.front() +
                                 "'\nhelp: " + (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                                 "it holds " + llvm::join(names, ", "));
}

Error Session::bindArguments() {
  frontend::Bindings given;
  for (llvm::StringRef text : opts.args) {
    auto [name, value] = text.split('=');
    if (name.empty() || !text.contains('='))
      return failWith(ExitUsage, "'--arg=" + text + "' has no value\nhelp: write --arg x=bf16[4096,4096]");
    auto binding = frontend::parseArgBinding(value);
    if (!binding)
      return failWith(ExitUsage, "--arg " + text + ": " + llvm::toString(binding.takeError()));
    given.args[name.str()] = std::move(*binding);
  }
  for (llvm::StringRef text : opts.dims) {
    auto [name, value] = text.split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return failWith(ExitUsage, "'--dim=" + text + "' is not a dim\nhelp: write --dim M=4096");
    given.dims[name.str()] = size;
  }
  if (!opts.args.empty() || !opts.dims.empty() || chosen->workloads.empty()) {
    bound.push_back(std::move(given));
    return Error::success();
  }
  bound = chosen->workloads;
  return Error::success();
}

Error Session::load() {
  if (Error error = readSource())
    return error;
  if (opts.emit == "ast")
    return Error::success();
  if (Error error = chooseKernel())
    return error;
  if (Error error = bindArguments())
    return error;
  std::vector<std::string> names = opts.targets;
  if (names.empty())
    names.push_back("auto");
  for (const std::string &name : names) {
    auto target = selectTarget(name);
    if (!target)
      return failWith(ExitUsage, target.takeError());
    selected.push_back(std::move(*target));
  }
  mlir::DialectRegistry registry;
  pipeline::registerDialects(registry);
  mlirContext = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  mlirContext->loadAllAvailableDialects();
  return Error::success();
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> Session::lower(const frontend::Bindings &bindings) {
  auto module = frontend::lowerToHL(*file, chosen->name, bindings, *mlirContext, llvm::errs());
  if (!module)
    return failWith(ExitInput, "");
  return module;
}
