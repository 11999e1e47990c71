//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// helionc's main program, as a table of contents.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Driver.h"

#include "helionc/Driver/CompileOperation.h"
#include "helionc/Driver/Emit.h"
#include "helionc/Driver/Output.h"
#include "helionc/Driver/Session.h"
#include "helionc/Driver/TargetSelection.h"
#include "helionc/Driver/Tune.h"
#include "helionc/Driver/Version.h"
#include "helionc/Runtime/Worker.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::driver;
using llvm::Error;

static Error runSession(Session &session) {
  // Input errors first, then an output that cannot be written: before minutes of tuning.
  if (Error error = session.load())
    return error;
  if (!session.options().emit.empty())
    return emitStage(session);
  auto plan = planOutput(session);
  if (!plan)
    return plan.takeError();
  // One configuration a workload and target: given, pinned, default or tuned.
  auto builds = session.options().autotune == "none" ? buildUntuned(session) : buildTuned(session);
  if (!builds)
    return builds.takeError();
  return writeOutput(session, *plan, std::move(*builds));
}

static int runWorkerProcess() { return runtime::runWorker({{"compile", compileOperation}}); }

int helionc::driver::runHelionc(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "worker")
    return runWorkerProcess();
  auto options = parseOptions(arguments);
  if (!options)
    return report(failWith(ExitUsage, options.takeError()));
  if (options->help) {
    llvm::outs() << helpText();
    return ExitOk;
  }
  if (options->version) {
    llvm::outs() << "helionc " HELIONC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
    return ExitOk;
  }
  if (options->printTargets) {
    llvm::outs() << listTargets();
    return ExitOk;
  }
  Session session(std::move(*options));
  return report(runSession(session));
}
