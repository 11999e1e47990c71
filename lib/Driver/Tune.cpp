//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Runs the tuner over worker processes.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Tune.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Autotune/Core/Tuner.h"
#include "helionc/Autotune/History/Journal.h"
#include "helionc/Autotune/Report/ProgressLine.h"
#include "helionc/Autotune/Report/ResultTable.h"
#include "helionc/Autotune/Report/TuneLog.h"
#include "helionc/Autotune/Search/StrategyRegistry.h"
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Driver/Configuration.h"
#include "helionc/Driver/Prompt.h"
#include "helionc/Driver/TargetSelection.h"
#include "helionc/Driver/Version.h"
#include "helionc/Driver/WorkerPool.h"
#include "helionc/Pipeline/AutotunePass.h"
#include "helionc/Runtime/CudaDriver.h"
#include "helionc/Runtime/Problem.h"
#include "helionc/Support/Digest.h"
#include "helionc/Support/FileSystem.h"
#include "helionc/Target/TargetInfo.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <unistd.h>

using namespace helionc;
using namespace helionc::driver;
using llvm::Error;
using llvm::StringRef;

namespace {

std::atomic<bool> interrupted{false};

/// The first interrupt ends the search with the best so far, the second the program.
void onInterrupt(int) {
  if (interrupted.exchange(true))
    _exit(130);
}

class InterruptGuard {
public:
  InterruptGuard() { old = std::signal(SIGINT, onInterrupt); }
  ~InterruptGuard() { std::signal(SIGINT, old); }

private:
  void (*old)(int);
};

/// One search: a workload on a target. The autotune pass asks it.
class TuneRun : public pipeline::TuneService {
public:
  TuneRun(Session &session, const frontend::Bindings &workload, const pipeline::Target &target)
      : session(session), options(session.options()), workload(workload), target(target) {}
  /// Checks, prepares, runs the pass, and compiles the winner.
  llvm::Expected<Build> run();
  llvm::Expected<pipeline::TuningOutcome> tune(hl::KernelOp kernel) override;

private:
  Error prepare();
  Error checkDevice();
  Error makeReference(WorkerBenchmarker &benchmarker);
  llvm::Expected<std::unique_ptr<autotune::SearchStrategy>> makeStrategy();
  Error addAuthorConfigs();
  autotune::TunerOptions tunerOptions();
  autotune::JournalKey journalKey();
  std::string journalPath();
  llvm::Expected<pipeline::TuningOutcome> finish(autotune::TuningResult &result);

  Session &session;
  const Options &options;
  const frontend::Bindings &workload;
  const pipeline::Target &target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  hl::KernelOp kernel;
  tuning::ConfigSpace space;
  support::TempDirectory folder;
  CandidateJob job;
  std::vector<autotune::Proposal> seeds;
  std::vector<tuning::Config> authorConfigs;
  autotune::KernelFacts facts;
  std::string moduleText;
};

std::string printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

} // namespace

Error TuneRun::checkDevice() {
  if (!target.gpu)
    return Error::success();
  auto driver = runtime::CudaDriver::load();
  if (!driver)
    return failWith(ExitEnvironment,
                    "tuning for " + llvm::Twine(target.facts.name) +
                        " needs such a GPU: " + llvm::toString(driver.takeError()) +
                        "\nhelp: tune on a machine that has one, or give a configuration with --config");
  auto info = (*driver)->deviceInfo(0);
  if (!info)
    return failWith(ExitEnvironment, info.takeError());
  if (info->major * 10 + info->minor != target.gpu->computeCapability)
    return failWith(ExitEnvironment, "tuning for " + llvm::Twine(target.facts.name) + ", but the GPU here is " +
                                         info->name + " of compute capability " + llvm::Twine(info->major) + "." +
                                         llvm::Twine(info->minor));
  return Error::success();
}

Error TuneRun::prepare() {
  auto lowered = session.lower(workload);
  if (!lowered)
    return lowered.takeError();
  module = std::move(*lowered);
  if (Error error = pipeline::prepareSymbolic(*module, target.facts))
    return failWith(ExitInput, std::move(error));
  kernel = *module->getOps<hl::KernelOp>().begin();
  space = analysis::readConfigSpace(kernel);
  facts = kernelFacts(kernel, target.facts);
  if (folder.path().empty())
    return failWith(ExitEnvironment, "cannot make a temporary folder\nhelp: set TMPDIR to one that can be written");
  moduleText = printModule(*module);
  job.modulePath = folder.path() + "/kernel.mlir";
  job.folder = folder.path();
  job.kernel = session.kernel().name;
  job.target = target.facts.name;
  job.space = &space;
  job.optLevel = options.optLevel;
  job.compileTimeout = options.compileTimeout;
  job.device = target.gpu ? "cuda:0" : "cpu";
  job.problemPath = folder.path() + "/problem.json";
  static int anchor;
  job.executable = llvm::sys::fs::getMainExecutable("helionc", &anchor);
  job.jobs = unsigned(options.jobs ? options.jobs : int64_t(std::max(1, int(sysconf(_SC_NPROCESSORS_ONLN)))));
  if (Error error = support::writeFileAtomically(job.modulePath, moduleText))
    return failWith(ExitEnvironment, std::move(error));
  return addAuthorConfigs();
}

Error TuneRun::addAuthorConfigs() {
  for (const std::string &text : session.kernel().configs) {
    auto config = tuning::parseConfig(text, space);
    if (!config)
      return failWith(ExitInput, config.takeError());
    std::vector<std::string> reasons = space.check(*config);
    if (!reasons.empty()) {
      llvm::errs() << "warning: a configuration of the kernel's author is left out: " << reasons.front() << '\n';
      continue;
    }
    authorConfigs.push_back(space.complete(*config));
    seeds.push_back({authorConfigs.back(), "author", "given by the kernel's author"});
  }
  if (options.autotune == "finite" && authorConfigs.empty())
    return failWith(ExitInput, "the kernel lists no valid configuration to choose from\nhelp: write "
                               "@helion.kernel(configs=[helion.Config(…), …]), or use another strategy");
  if (options.autotune == "llm" || options.autotune == "random")
    for (autotune::Proposal &seed : autotune::heuristicSeeds(space, facts, 3))
      seeds.push_back(std::move(seed));
  return Error::success();
}

/// The default configuration, compiled for the CPU, says what is right.
Error TuneRun::makeReference(WorkerBenchmarker &benchmarker) {
  auto cpu = selectTarget("cpu");
  if (!cpu)
    return cpu.takeError();
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  if (target.gpu) {
    auto lowered = session.lower(workload);
    if (!lowered)
      return lowered.takeError();
    copy = std::move(*lowered);
    if (Error error = pipeline::prepareSymbolic(*copy, cpu->facts))
      return failWith(ExitInput, std::move(error));
  } else {
    copy = mlir::OwningOpRef<mlir::ModuleOp>(module->clone());
  }
  runtime::Problem problem;
  problem.kernel = job.kernel;
  problem.seed = options.seed + 1;
  problem.referencePath = folder.path() + "/reference";
  auto build = buildOne(session, *copy, "{}", *cpu);
  if (!build)
    return build.takeError();
  for (const artifact::Argument &argument : build->image.args)
    if (argument.role != artifact::ArgRole::Temp)
      problem.args.push_back(argument);
  if (Error error = support::writeFileAtomically(job.problemPath, llvm::formatv("{0}", problem.toJson()).str()))
    return failWith(ExitEnvironment, std::move(error));
  std::string library = folder.path() + "/reference.so";
  auto bytes = sharedLibraryBytes({std::move(build->image)});
  if (!bytes)
    return bytes.takeError();
  if (Error error = support::writeFileAtomically(library, *bytes))
    return failWith(ExitEnvironment, std::move(error));
  if (Error error = benchmarker.makeReference(library, problem.referencePath))
    return failWith(ExitNoCandidate, std::move(error));
  return Error::success();
}

llvm::Expected<std::unique_ptr<autotune::SearchStrategy>> TuneRun::makeStrategy() {
  autotune::StrategyContext context(space);
  context.seed = options.seed;
  context.finite = authorConfigs;
  context.facts = facts;
  if (options.autotune == "llm") {
    auto choice = autotune::chooseModel(options.llm, [](const char *name) { return std::getenv(name); });
    if (!choice)
      return failWith(ExitUsage, choice.takeError());
    if (choice->isFallback && !options.quiet)
      llvm::errs() << "no language model is named: the embedded expert proposes (name one with --llm=openai, "
                      "--llm=cmd:'PROGRAM' or HELIONC_LLM_PROVIDER)\n";
    context.model = *choice;
    context.prompt = promptFacts(session, kernel, target.facts);
    context.transcriptPath = options.llmLog;
    context.llm.seeds = seeds;
    context.llm.maxTokens = options.tuneTokens.value_or(0);
    context.llm.timeoutSeconds = options.llmTimeout;
    context.llm.seed = options.seed;
    context.llm.cancel = &interrupted;
  }
  auto strategy = autotune::createStrategy(options.autotune, context);
  if (!strategy)
    return failWith(ExitEnvironment, strategy.takeError());
  return strategy;
}

autotune::TunerOptions TuneRun::tunerOptions() {
  autotune::TunerOptions tuner;
  bool quick = options.effort == "quick";
  tuner.maxSeconds = options.tuneSeconds.value_or(quick ? 30 : 300);
  tuner.maxCandidates = size_t(options.tuneCandidates.value_or(quick ? 16 : options.autotune == "exhaustive" ? 0 : 60));
  tuner.batchSize = size_t(std::max<int64_t>(4, 2 * int64_t(job.jobs)));
  tuner.measure.targetSeconds = quick ? 0.1 : 0.2;
  tuner.seeds = seeds;
  return tuner;
}

autotune::JournalKey TuneRun::journalKey() {
  autotune::JournalKey key;
  // The prepared kernel holds shapes, strides and dtypes; its locations and paths are not printed.
  key.kernelDigest = support::digest(moduleText);
  key.target = target.facts.name;
  key.device = target.facts.device;
  // Another build of the compiler may make other code of the same kernel.
  llvm::sys::fs::file_status executable;
  std::string build;
  if (!llvm::sys::fs::status(job.executable, executable))
    build = llvm::formatv(" build {0}.{1}", executable.getSize(),
                          executable.getLastModificationTime().time_since_epoch().count())
                .str();
  key.compilerVersion = HELIONC_VERSION + build;
  key.benchMode = "O" + std::to_string(options.optLevel);
  return key;
}

std::string TuneRun::journalPath() {
  llvm::SmallString<128> path;
  if (const char *folderName = std::getenv("HELIONC_CACHE_DIR"))
    path = folderName;
  else if (!llvm::sys::path::cache_directory(path))
    return "";
  else
    llvm::sys::path::append(path, "helionc");
  if (llvm::sys::fs::create_directories(path))
    return "";
  llvm::sys::path::append(path, "journal.jsonl");
  return path.str().str();
}

llvm::Expected<pipeline::TuningOutcome> TuneRun::finish(autotune::TuningResult &result) {
  if (!options.quiet)
    llvm::errs() << autotune::resultTable(result, space, job.kernel);
  if (!result.best)
    return failWith(ExitNoCandidate, "no valid candidate for " + llvm::Twine(job.kernel) + " on " + target.facts.name +
                                         "\n" + autotune::failureHistogram(result.observations));
  return pipeline::TuningOutcome{tuning::toHelionJson(*result.best, space),
                                 llvm::formatv("{0}", autotune::resultRecord(result, space, job.kernel)).str()};
}

llvm::Expected<Build> TuneRun::run() {
  if (Error error = checkDevice())
    return std::move(error);
  if (Error error = prepare())
    return std::move(error);
  mlir::PassManager passes(&session.context());
  Error failure = Error::success();
  // The pass does not outlive this object.
  passes.addPass(pipeline::createAutotunePass(std::shared_ptr<pipeline::TuneService>(this, [](auto *) {}), &failure));
  bool failed = mlir::failed(passes.run(*module));
  if (failure)
    return std::move(failure);
  if (failed)
    return failWith(ExitInternal, "the tuned kernel cannot be instantiated");
  kernel = *module->getOps<hl::KernelOp>().begin();
  auto build = buildOne(session, *module, "{}", target);
  if (!build)
    return build.takeError();
  build->record["tuned"] = true;
  build->record["device"] = target.facts.device;
  if (auto record = llvm::json::parse(kernel->getAttrOfType<mlir::StringAttr>("hl.tuning").getValue()))
    build->record["tuning"] = std::move(*record);
  else
    llvm::consumeError(record.takeError());
  return build;
}

llvm::Expected<pipeline::TuningOutcome> TuneRun::tune(hl::KernelOp) {
  auto strategy = makeStrategy();
  if (!strategy)
    return strategy.takeError();
  WorkerCompiler compiler(job);
  WorkerBenchmarker benchmarker(job);
  if (Error error = makeReference(benchmarker))
    return std::move(error);
  std::unique_ptr<autotune::TuneLog> log;
  if (!options.tuneLog.empty()) {
    auto created = autotune::TuneLog::create(options.tuneLog);
    if (!created)
      return failWith(ExitEnvironment, created.takeError());
    log = std::move(*created);
  }
  std::unique_ptr<autotune::Journal> journal;
  std::string path = options.noJournal ? "" : journalPath();
  if (!path.empty())
    journal = std::make_unique<autotune::Journal>(
        path, journalKey(), [](const std::string &warning) { llvm::errs() << "warning: " << warning << '\n'; });
  autotune::ProgressLine line(llvm::errs(), isatty(STDERR_FILENO), job.kernel);
  autotune::TunerHooks hooks;
  hooks.journal = journal.get();
  hooks.cancel = &interrupted;
  double start = autotune::Clock::system().seconds();
  if (!options.quiet)
    hooks.onProgress = [&](const autotune::Progress &progress) { line.update(progress); };
  if (log)
    hooks.onObservation = [&](const autotune::Observation &observation) {
      log->append(job.kernel, autotune::Clock::system().seconds() - start, observation);
    };
  autotune::Tuner tuner(space, compiler, benchmarker, **strategy, tunerOptions(), hooks);
  auto result = tuner.run();
  line.finish();
  if (!result)
    return failWith(ExitEnvironment, result.takeError());
  if (log)
    if (Error error = log->close())
      llvm::errs() << "warning: " << llvm::toString(std::move(error)) << '\n';
  return finish(*result);
}

llvm::Expected<std::vector<Build>> helionc::driver::buildTuned(Session &session) {
  if (session.options().effort == "none")
    return buildUntuned(session);
  InterruptGuard guard;
  std::vector<Build> builds;
  for (const frontend::Bindings &workload : session.workloads())
    for (const pipeline::Target &target : session.targets()) {
      auto build = TuneRun(session, workload, target).run();
      if (!build)
        return build.takeError();
      builds.push_back(std::move(*build));
    }
  return builds;
}
