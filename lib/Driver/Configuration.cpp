//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Choosing a configuration.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Configuration.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Tuning/ConfigCodec.h"

using namespace helionc;
using namespace helionc::driver;

llvm::Expected<std::string> helionc::driver::chooseConfig(Session &session, mlir::ModuleOp prepared) {
  bool given = !session.options().config.empty();
  if (!given && session.kernel().configs.empty())
    return "{}";
  std::string text = given ? session.options().config : session.kernel().configs.front();
  std::string origin = given ? "--config" : "the configuration that the kernel pins";
  tuning::ConfigSpace space = analysis::readConfigSpace(*prepared.getOps<hl::KernelOp>().begin());
  auto config = tuning::parseConfig(text, space);
  if (!config)
    return failWith(given ? ExitUsage : ExitInput, origin + ": " + llvm::toString(config.takeError()));
  std::vector<std::string> reasons = space.check(*config);
  if (reasons.empty())
    return text;
  std::string message = origin + " is not valid";
  for (const std::string &reason : reasons)
    message += "\n  " + reason;
  return failWith(given ? ExitUsage : ExitInput,
                  message + "\nhelp: --emit=space lists the parameters and their values");
}
