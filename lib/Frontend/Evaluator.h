//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Lowers one kernel by evaluating its syntax tree: host values now, device values as operations.
//===----------------------------------------------------------------------===//
//
// Shapes are known, so evaluation does all of semantic analysis: a name is looked up, a shape checked, a dtype promoted
// at the place that uses it. Host code runs here; a loop over tiles becomes hl.grid or hl.loop around the operations
// that its body evaluates to.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_FRONTEND_EVALUATOR_H
#define HELIONC_LIB_FRONTEND_EVALUATOR_H

#include "Values.h"
#include "helionc/Frontend/Frontend.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace helionc::frontend {

/// The arguments of a call.
struct Arguments {
  llvm::SMLoc loc;
  /// The function's name, for messages.
  std::string callee;
  std::vector<Value> positional;
  std::vector<llvm::SMLoc> positionalLocs;
  std::map<std::string, Value> keywords;

  size_t size() const { return positional.size(); }
};

/// What a function call came to; flow of control out of a block of statements.
enum class Flow { Normal, Return, Failed };

class Evaluator {
public:
  Evaluator(const SourceFile &file, Diagnostics &diagnostics, mlir::MLIRContext &context);
  /// Lowers `kernel`; null after errors.
  mlir::OwningOpRef<mlir::ModuleOp> run(const KernelInfo &kernel, const Bindings &bindings);

private:
  friend struct PointwiseEmitter;
  //===------------------------------------------------------------------===//
  // Kernel (KernelBuilder.cpp)
  //===------------------------------------------------------------------===//
  bool bindParameters(const KernelInfo &kernel, Bindings bindings);
  bool bindDimsOfTensors(const Stmt &definition, Bindings &bindings);
  Value bindParameter(const Param &param, const Bindings &bindings, std::vector<std::string> &unbound);
  Value bindTensor(const Param &param, const TensorBinding &binding);
  std::optional<TensorBinding> typedSignature(const Expr *annotation, const Bindings &bindings,
                                              std::vector<std::string> &unbound, bool &failed);
  bool checkSignature(const KernelInfo &kernel, const Bindings &bindings);
  bool finishArguments(llvm::SMLoc loc);
  bool checkReturn(llvm::SMLoc loc);
  void chooseBlockDefaults();

  //===------------------------------------------------------------------===//
  // Statements (Statements.cpp)
  //===------------------------------------------------------------------===//
  Flow evalBlock(const std::vector<StmtPtr> &body);
  Flow evalStmt(const Stmt &stmt);
  Flow evalIf(const Stmt &stmt);
  Flow evalFor(const Stmt &stmt);
  Flow evalUnrolled(const Stmt &stmt, const std::vector<Value> &items);
  bool assign(const Expr &target, const Value &value);
  bool augmentedAssign(const Stmt &stmt);

  //===------------------------------------------------------------------===//
  // Loops over tiles (Loops.cpp)
  //===------------------------------------------------------------------===//
  struct LoopDims {
    std::vector<mlir::Value> lowers, uppers;
    std::vector<mlir::Attribute> steps;
    bool isSequence = false, isGrid = false;
  };
  Flow evalTileLoop(const Stmt &stmt, const Arguments &call, bool isGrid);
  bool loopDims(const Arguments &call, bool isGrid, LoopDims &dims, int64_t line);
  mlir::Attribute stepFor(const Value &blockSize, std::optional<int64_t> extent, llvm::SMLoc loc, int64_t line);
  mlir::Attribute addBlockParam(int64_t min, int64_t max, std::string doc, bool isFixed);
  bool bindLoopTarget(const Expr &target, const LoopDims &dims, mlir::ValueRange spans);
  Flow evalSequentialLoop(const Stmt &stmt, LoopDims dims);
  Flow evalParallelLoop(const Stmt &stmt, LoopDims dims);
  Value carriedAs(const Value &value, mlir::Type type, mlir::Location loc);
  std::vector<std::string> carriedNames(const std::vector<StmtPtr> &body);
  mlir::Value toIndex(const Value &value, llvm::SMLoc loc);

  //===------------------------------------------------------------------===//
  // Expressions (Expressions.cpp)
  //===------------------------------------------------------------------===//
  Value eval(const Expr &expr);
  Value evalName(const Expr &expr);
  Value evalAttribute(const Expr &expr);
  Value attributeOf(const Value &base, const std::string &name, llvm::SMLoc loc);
  Value evalBinary(const Expr &expr);
  Value binary(const std::string &op, const Value &lhs, const Value &rhs, llvm::SMLoc loc);
  Value evalUnary(const Expr &expr);
  Value evalCompare(const Expr &expr);
  Value compare(const std::string &op, const Value &lhs, const Value &rhs, llvm::SMLoc loc);
  Value evalBoolOp(const Expr &expr);
  Value evalConditional(const Expr &expr);
  Value evalComprehension(const Expr &expr);
  Value evalSequence(const Expr &expr);
  Value hostArithmetic(const std::string &op, const Value &lhs, const Value &rhs, llvm::SMLoc loc);
  std::optional<bool> truth(const Value &value, llvm::SMLoc loc, llvm::StringRef where);
  Value lookupGlobal(const std::string &name);

  //===------------------------------------------------------------------===//
  // Calls (Calls.cpp)
  //===------------------------------------------------------------------===//
  Value evalCall(const Expr &expr);
  bool evalArguments(const Expr &expr, Arguments &arguments);
  Value call(const Value &callee, Arguments &arguments);
  Value callClosure(const Closure &closure, const Arguments &arguments);
  Value callBuiltin(const std::string &name, Arguments &arguments);
  Value unknownFunction(const std::string &name, llvm::SMLoc loc);
  Value callHelion(llvm::StringRef name, Arguments &arguments);
  Value callPython(llvm::StringRef name, Arguments &arguments);
  Value integerOf(double number, llvm::SMLoc loc);
  Value callMath(llvm::StringRef name, Arguments &arguments);
  Value callTorch(llvm::StringRef name, Arguments &arguments);
  Value callPointwise(llvm::StringRef name, Arguments &arguments);
  bool takes(const Arguments &arguments, size_t least, size_t most, llvm::ArrayRef<llvm::StringRef> keywords);
  /// Positional argument `index`, or the keyword `name`; null when neither is given.
  const Value *argument(const Arguments &arguments, size_t index, llvm::StringRef name);

  //===------------------------------------------------------------------===//
  // Host tensors (HostTensors.cpp)
  //===------------------------------------------------------------------===//
  static bool fitsMemory(llvm::ArrayRef<int64_t> shape);
  Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type type, llvm::SMLoc loc);
  Value callAllocation(llvm::StringRef name, Arguments &arguments, const Value *like);
  bool fillTensor(const Value &tensor, const Value &number, llvm::SMLoc loc);
  Value view(const Value &tensor, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t offset);
  Value reshapeTensor(const Value &tensor, std::vector<int64_t> shape, llvm::SMLoc loc);
  Value permuteTensor(const Value &tensor, llvm::ArrayRef<int64_t> order);
  Value expandTensor(const Value &tensor, llvm::ArrayRef<int64_t> shape, llvm::SMLoc loc);
  Value indexTensorOnHost(const Value &tensor, llvm::ArrayRef<Value> indices, llvm::SMLoc loc);
  Value tensorMethod(const Value &self, llvm::StringRef name, Arguments &arguments);
  std::optional<std::vector<int64_t>> sizes(llvm::ArrayRef<Value> values, llvm::SMLoc loc, bool allowMinusOne);

  //===------------------------------------------------------------------===//
  // Loads and stores (Indexing.cpp)
  //===------------------------------------------------------------------===//
  struct Access {
    Value tensor;
    std::vector<mlir::Value> indices;
    std::vector<int32_t> kinds;
    /// Dims of the tile that the access gives, and the positions in it where None inserts a 1.
    std::vector<mlir::Attribute> dims;
    std::vector<unsigned> insertedOnes;
  };
  Value evalSubscript(const Expr &expr);
  Value subscript(const Value &base, std::vector<Value> indices, llvm::SMLoc loc);
  bool evalIndices(const Expr &expr, std::vector<Value> &indices);
  bool buildAccess(const Value &tensor, llvm::ArrayRef<Value> indices, llvm::SMLoc loc, Access &access);
  bool checkGather(const Access &access, llvm::SMLoc loc);
  Value load(const Value &tensor, llvm::ArrayRef<Value> indices, const Value *mask, llvm::SMLoc loc);
  bool store(const Value &tensor, llvm::ArrayRef<Value> indices, Value value, const Value *mask, llvm::SMLoc loc);
  Value indexTile(const Value &tile, llvm::ArrayRef<Value> indices, llvm::SMLoc loc);

  //===------------------------------------------------------------------===//
  // Tiles (Tiles.cpp)
  //===------------------------------------------------------------------===//
  Value full(llvm::ArrayRef<mlir::Attribute> dims, mlir::Type type, const Value &fill, llvm::SMLoc loc);
  std::optional<std::vector<mlir::Attribute>> tileDims(const Value &shape, llvm::SMLoc loc);
  Value reshapeTile(const Value &tile, llvm::ArrayRef<mlir::Attribute> dims, llvm::SMLoc loc);
  Value broadcastTile(const Value &tile, llvm::ArrayRef<mlir::Attribute> dims, llvm::SMLoc loc);
  Value permuteTile(const Value &tile, llvm::ArrayRef<int64_t> order, llvm::SMLoc loc);
  Value castTile(const Value &value, mlir::Type type, llvm::SMLoc loc);
  std::optional<int64_t> dimIndex(const Value &dim, int64_t rank, llvm::SMLoc loc);
  Value tileMethod(const Value &self, llvm::StringRef name, Arguments &arguments);
  bool commonDims(llvm::ArrayRef<Value> values, llvm::SMLoc loc, std::vector<mlir::Attribute> &dims);
  Value dimValue(mlir::Attribute dim);

  //===------------------------------------------------------------------===//
  // Pointwise operations (Pointwise.cpp, Promotion.cpp)
  //===------------------------------------------------------------------===//
  bool isPointwise(llvm::StringRef name) const;
  static std::vector<llvm::StringRef> pointwiseNames();
  Value pointwise(llvm::StringRef name, llvm::ArrayRef<Value> operands, llvm::SMLoc loc);
  using ScalarBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::Value>)>;
  /// Computes `body` on the operands converted to `compute`; the body gives a value of `resultType`'s scalar type.
  Value map(llvm::ArrayRef<Value> operands, mlir::Type compute, mlir::Type resultType, llvm::SMLoc loc,
            ScalarBody body);
  mlir::Type promote(llvm::ArrayRef<Value> operands, llvm::SMLoc loc);
  mlir::Type elementType(const Value &value);
  static mlir::Type promoteTypes(mlir::Type lhs, mlir::Type rhs);
  static mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type);
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, const Value &value);
  /// The type that arithmetic on `type` is done in: f32 for half-precision floats.
  mlir::Type computeType(mlir::Type type);

  //===------------------------------------------------------------------===//
  // Reductions and products (Reductions.cpp, MatMul.cpp)
  //===------------------------------------------------------------------===//
  bool isReduction(llvm::StringRef name) const;
  Value reduction(llvm::StringRef name, Arguments &arguments);
  Value reduceDims(const Value &tile, hl::ReduceKind kind, llvm::ArrayRef<int64_t> dims, bool keepDim, llvm::SMLoc loc);
  Value elementCount(const Value &tile, llvm::ArrayRef<int64_t> dims);
  Value mean(const Value &tile, llvm::ArrayRef<int64_t> dims, bool keepDim, llvm::SMLoc loc);
  Value variance(const Value &tile, llvm::ArrayRef<int64_t> dims, double correction, bool keepDim, llvm::SMLoc loc);
  Value softmax(const Value &tile, int64_t dim, bool isLog, llvm::SMLoc loc);
  bool isMatMul(llvm::StringRef name) const;
  Value matmul(llvm::StringRef name, Arguments &arguments);
  Value dot(Value lhs, Value rhs, const Value *acc, mlir::Type resultType, llvm::SMLoc loc);

  //===------------------------------------------------------------------===//
  // Shared
  //===------------------------------------------------------------------===//
  Value error(llvm::SMLoc loc, const llvm::Twine &message, const llvm::Twine &help = "") {
    diagnostics.error(loc, message, help);
    return Value();
  }
  mlir::Location location(llvm::SMLoc loc);
  mlir::Type floatOrIntType(llvm::StringRef dtype);
  mlir::Attribute integerDim(int64_t size) { return builder.getI64IntegerAttr(size); }
  bool insideLoop() const { return loopDepth > 0; }
  Environment &scope() { return *scopes.back(); }

  /// A value that a loop changes and cannot carry: an error where it is read.
  static Value lostValue(unsigned line) {
    Value value = Value::make(ValueKind::Lost);
    value.integer = line;
    return value;
  }

  const SourceFile &file;
  Diagnostics &diagnostics;
  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  hl::KernelOp kernelOp;

  /// The innermost scope is the last; a closure's scopes replace the caller's while it runs.
  std::vector<std::shared_ptr<Environment>> scopes;
  std::map<std::string, Value> globals;
  /// The value of the `return` that ended the innermost function.
  Value returned;
  unsigned loopDepth = 0, callDepth = 0;
  /// How many loops there are around the innermost call.
  unsigned callLoopDepth = 0;
  /// How many statements have been evaluated: unrolling is bounded.
  unsigned evaluated = 0;
  /// A whole dim of size 0 was indexed: the launch around it computes nothing.
  bool sawEmptyDim = false;

  /// One entry an argument of the kernel, in the order of the block's arguments.
  struct ArgumentInfo {
    std::string name;
    bool isAllocation = false, isStored = false;
  };
  std::vector<ArgumentInfo> argumentInfo;
  unsigned blockParams = 0;
  /// How f32 products are computed: tf32, tf32x3 or ieee.
  std::string dotPrecision = "tf32";
  /// The spans of the loops around the current place, by block.
  std::vector<std::pair<mlir::Attribute, mlir::Value>> activeSpans;
  /// The constant extent that the loop of a block walks over, where it is known.
  llvm::DenseMap<mlir::Attribute, int64_t> blockExtents;
};

} // namespace helionc::frontend

#endif // HELIONC_LIB_FRONTEND_EVALUATOR_H
