//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The option table and its parser.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Options.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <functional>

using namespace helionc::driver;
using llvm::Error;
using llvm::StringRef;

namespace {

/// One option. `value` is the placeholder shown in the help, empty for a flag.
struct OptionSpec {
  StringRef group, name, value, help;
  std::function<Error(Options &, StringRef)> apply;
};

Error usage(const llvm::Twine &message) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), message);
}

auto text(std::string Options::*field) {
  return [=](Options &options, StringRef value) {
    options.*field = value.str();
    return Error::success();
  };
}

auto append(std::vector<std::string> Options::*field) {
  return [=](Options &options, StringRef value) {
    (options.*field).push_back(value.str());
    return Error::success();
  };
}

auto flag(bool Options::*field) {
  return [=](Options &options, StringRef) {
    options.*field = true;
    return Error::success();
  };
}

/// One of a closed set, with the nearest one suggested.
std::function<Error(Options &, StringRef)> oneOf(std::string Options::*field, StringRef what,
                                                 std::vector<StringRef> choices) {
  return [=](Options &options, StringRef value) -> Error {
    if (!llvm::is_contained(choices, value)) {
      std::string nearest = helionc::support::didYouMean(value, choices);
      return usage("unknown " + what + " '" + value +
                   "'\nhelp: " + (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "the choices are " +
                   llvm::join(choices, ", "));
    }
    options.*field = value.str();
    return Error::success();
  };
}

template <typename T> auto number(T Options::*field, StringRef what, int64_t minimum) {
  return [=](Options &options, StringRef value) -> Error {
    int64_t parsed;
    if (value.getAsInteger(10, parsed) || parsed < minimum)
      return usage("'" + value + "' is not a valid " + what + "\nhelp: give an integer of at least " +
                   llvm::Twine(minimum));
    options.*field = T(parsed);
    return Error::success();
  };
}

auto seconds(double Options::*field, StringRef what) {
  return [=](Options &options, StringRef value) -> Error {
    double parsed;
    if (value.ends_with("s"))
      value = value.drop_back();
    if (value.getAsDouble(parsed) || !std::isfinite(parsed) || parsed <= 0)
      return usage("'" + value + "' is not a valid " + what + "\nhelp: give seconds, such as 30 or 2.5");
    options.*field = parsed;
    return Error::success();
  };
}

Error applyEmit(Options &options, StringRef value) {
  static const std::vector<StringRef> stages = {
      "ast",    "hl",   "space", "space=json", "summary", "summary=json", "prompt", "hl-instantiated", "hlg", "nvvm",
      "vector", "llvm", "ptx",   "cubin",      "asm",     "obj",          "so",     "header"};
  return oneOf(&Options::emit, "stage", stages)(options, value);
}

const std::vector<OptionSpec> &optionTable() {
  static const std::vector<OptionSpec> table = {
      {"Input", "kernel", "NAME", "which kernel of the file (needed when there are several)", text(&Options::kernel)},
      {"Input", "arg", "NAME=VALUE",
       "bind an argument: x=bf16[4096,4096], x=f16[128,64]:strides(1,128), n=3, bias=none; repeatable",
       append(&Options::args)},
      {"Input", "dim", "NAME=SIZE", "bind a dim of a typed signature, such as M=4096; repeatable",
       append(&Options::dims)},

      {"Output", "o", "FILE", "write the result here: .so, .o, .cubin or .ptx by its ending", text(&Options::output)},
      {"Output", "emit", "STAGE",
       "print a stage instead: ast, hl, space[=json], summary[=json], prompt, hl-instantiated, vector (CPU), hlg and "
       "nvvm (GPU), llvm, asm (CPU), ptx, cubin, obj, so, header",
       applyEmit},
      {"Output", "target", "NAME",
       "cpu, sm_80, sm_90a, sm_100a, … or auto (the GPU that is present, else cpu); repeatable",
       append(&Options::targets)},
      {"Output", "config", "JSON",
       "use exactly this configuration: '{\"block_sizes\": [64, 64]}', missing keys by default",
       text(&Options::config)},
      {"Output", "print-targets", "", "list the targets", flag(&Options::printTargets)},

      {"Tuning", "autotune", "STRATEGY", "llm, random, exhaustive, finite or none",
       oneOf(&Options::autotune, "strategy", {"llm", "random", "exhaustive", "finite", "none"})},
      {"Tuning", "tune-budget", "BUDGET", "when to stop: 60s, 2m, 30c (candidates), 20000t (tokens); join by commas",
       [](Options &options, StringRef value) { return parseBudget(value, options); }},
      {"Tuning", "effort", "LEVEL", "none (default configuration), quick or full",
       oneOf(&Options::effort, "effort", {"none", "quick", "full"})},
      {"Tuning", "seed", "N", "makes the search repeatable", number(&Options::seed, "seed", 0)},
      {"Tuning", "jobs", "N", "candidates compiled at the same time (default: one a core)",
       number(&Options::jobs, "number of jobs", 1)},
      {"Tuning", "tune-log", "FILE", "write every candidate as it is measured: .csv or .jsonl",
       text(&Options::tuneLog)},
      {"Tuning", "tune-record", "FILE", "write the JSON record of the run here (default: beside the output)",
       text(&Options::tuneRecord)},
      {"Tuning", "compile-timeout", "SECONDS", "longest time one candidate may compile",
       seconds(&Options::compileTimeout, "time-out")},
      {"Tuning", "no-journal", "", "neither read nor write earlier measurements", flag(&Options::noJournal)},

      {"Language model", "llm", "PROVIDER",
       "who proposes: offline (the embedded expert), openai, cmd:'PROGRAM ARGS', replay:FILE", text(&Options::llm)},
      {"Language model", "llm-log", "FILE", "write the whole conversation here (JSON lines)", text(&Options::llmLog)},
      {"Language model", "llm-timeout", "SECONDS", "longest wait for one reply",
       seconds(&Options::llmTimeout, "time-out")},

      {"General", "quiet", "", "no progress, only errors", flag(&Options::quiet)},
      {"General", "verbose", "", "accepted; says nothing more yet", flag(&Options::verbose)},
      {"General", "help", "", "this text", flag(&Options::help)},
      {"General", "version", "", "the versions of helionc and LLVM", flag(&Options::version)},
  };
  return table;
}

const OptionSpec *findOption(StringRef name) {
  for (const OptionSpec &spec : optionTable())
    if (spec.name == name)
      return &spec;
  return nullptr;
}

Error unknownOption(StringRef name) {
  std::vector<StringRef> names;
  for (const OptionSpec &spec : optionTable())
    names.push_back(spec.name);
  std::string nearest = helionc::support::didYouMean(name, names);
  return usage("unknown option '--" + name + "'\nhelp: " +
               (nearest.empty() ? "helionc --help lists the options" : "did you mean '--" + nearest + "'?"));
}

/// -O0 … -O3.
Error parseOptLevel(StringRef argument, Options &options) {
  StringRef level = argument.drop_front(2);
  if (level.size() != 1 || level[0] < '0' || level[0] > '3')
    return usage("unknown optimization level '" + argument + "'\nhelp: the levels are -O0, -O1, -O2 and -O3");
  options.optLevel = level[0] - '0';
  return Error::success();
}

} // namespace

llvm::Error helionc::driver::parseBudget(StringRef textValue, Options &options) {
  llvm::SmallVector<StringRef> parts;
  textValue.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    double value;
    char unit = part.empty() ? ' ' : part.back();
    StringRef digits = llvm::isDigit(unit) ? part : part.drop_back();
    if (part.empty() || digits.getAsDouble(value) || !std::isfinite(value) || value <= 0 || value > 1e15)
      return usage("'" + part + "' is not a budget\nhelp: give 60s, 2m, 30c (candidates) or 20000t (tokens)");
    switch (unit) {
    case 'm':
      options.tuneSeconds = value * 60;
      break;
    case 'c':
      options.tuneCandidates = int64_t(std::ceil(value));
      break;
    case 't':
      options.tuneTokens = int64_t(std::ceil(value));
      break;
    default:
      if (unit != 's' && !llvm::isDigit(unit))
        return usage("unknown unit in the budget '" + part + "'\nhelp: s, m, c (candidates) and t (tokens) are known");
      options.tuneSeconds = value;
    }
  }
  return Error::success();
}

llvm::Expected<Options> helionc::driver::parseOptions(llvm::ArrayRef<std::string> arguments) {
  Options options;
  bool onlyFiles = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (onlyFiles || argument == "-" || !argument.starts_with("-")) {
      options.inputs.push_back(argument.str());
      continue;
    }
    if (argument == "--") {
      onlyFiles = true;
      continue;
    }
    if (argument.starts_with("-O") && !argument.starts_with("--")) {
      if (Error error = parseOptLevel(argument, options))
        return std::move(error);
      continue;
    }
    auto [name, value] = argument.drop_while([](char c) { return c == '-'; }).split('=');
    if (name == "h")
      name = "help";
    const OptionSpec *spec = findOption(name);
    if (!spec)
      return unknownOption(name);
    bool inlineValue = argument.contains('=');
    if (spec->value.empty() && inlineValue)
      return usage("option '--" + name + "' takes no value\nhelp: write --" + name + " alone");
    if (!spec->value.empty() && !inlineValue) {
      if (i + 1 == arguments.size())
        return usage("option '" + argument + "' needs a value\nhelp: write --" + name + "=" + spec->value);
      value = arguments[++i];
    }
    if (Error error = spec->apply(options, value))
      return std::move(error);
  }
  return options;
}

std::string helionc::driver::helpText() {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "helionc: compiles Helion-style tile kernels, tuned for the machine\n\n"
        "usage: helionc FILE [options]\n\n"
        "examples\n"
        "  helionc examples/matmul.hl -O3 --autotune=llm -o libmatmul.so\n"
        "      tune for this machine and write a shared library and its header\n"
        "  helionc kernel.py --kernel matmul --arg x=bf16[4096,4096] --arg y=bf16[4096,4096] --emit=hl\n"
        "      print the tile program of a kernel written for Helion\n"
        "  helionc examples/matmul.hl --emit=space\n"
        "      what can be tuned, and the values\n"
        "  helionc examples/softmax.hl --target=sm_90a --config '{\"num_warps\": 8}' -o softmax.cubin\n"
        "      one configuration, for a GPU that need not be present\n";
  StringRef group;
  for (const OptionSpec &spec : optionTable()) {
    if (spec.group != group)
      os << '\n' << (group = spec.group) << '\n';
    std::string left = ("  " + StringRef(spec.name.size() == 1 ? "-" : "--") + spec.name).str();
    if (!spec.value.empty())
      left += (spec.name.size() == 1 ? " " : "=") + spec.value.str();
    os << left << '\n' << "      " << spec.help << '\n';
  }
  os << "  -O0 … -O3\n      optimization level (default -O3)\n";
  os << "\nexit codes: 0 done, 1 input error, 2 usage error, 3 environment (toolchain, device, endpoint), "
        "4 no valid candidate, 70 internal error\n";
  return result;
}
