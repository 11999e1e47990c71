//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Operations of the hl dialect on tiles.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace helionc::hl;

#define GET_OP_CLASSES
#include "helionc/Dialect/HL/HLOps.cpp.inc"

static bool isOne(Attribute dim) {
  auto integer = dyn_cast<IntegerAttr>(dim);
  return integer && integer.getInt() == 1;
}

//===----------------------------------------------------------------------===//
// FullOp, ArangeOp
//===----------------------------------------------------------------------===//

LogicalResult FullOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError() << "C1: a value of type " << getValue().getType() << " for " << getResult().getType();
  return success();
}

LogicalResult ArangeOp::verify() {
  TileType tile = getResult().getType();
  if (tile.getRank() != 1 || !tile.getElementType().isIntOrIndex())
    return emitOpError() << "the result must be a tile of integers of rank 1, not " << tile;
  return success();
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, inputs) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size() || type.getNumResults() != 1)
    return parser.emitError(loc) << "expected a type for each input and one for the result";
  for (auto [argument, input] : llvm::zip(arguments, type.getInputs())) {
    auto tile = dyn_cast<TileType>(input);
    if (!tile)
      return parser.emitError(loc) << "an input must be a tile, not " << input;
    argument.type = tile.getElementType();
  }
  result.addTypes(type.getResults());
  return failure(parser.resolveOperands(inputs, type.getInputs(), loc, result.operands) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : (" << getInputs().getTypes() << ") -> " << getResult().getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult MapOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "C1: needs an input; a constant tile is hl.full";
  TileType result = getResult().getType();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "C3: " << body.getNumArguments() << " block arguments for " << getInputs().size()
                         << " inputs";
  for (auto [input, argument] : llvm::zip(getInputs(), body.getArguments())) {
    auto tile = cast<TileType>(input.getType());
    if (tile.getDims() != result.getDims())
      return emitOpError() << "C2: an input of type " << tile << " for a result of type " << result;
    if (argument.getType() != tile.getElementType())
      return emitOpError() << "C3: a block argument of type " << argument.getType() << " for an input of type " << tile;
  }
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().size() != 1 || yield.getValues()[0].getType() != result.getElementType())
    return emitOpError() << "C3: must yield one value of type " << result.getElementType();
  for (Operation &op : body.without_terminator())
    if (isa<HLDialect>(op.getDialect()) || !isMemoryEffectFree(&op))
      return op.emitOpError() << "C4: not allowed in the body of an hl.map";
  return success();
}

namespace {
/// An input that appears twice becomes one block argument; an input that is not used goes, unless it is the only one.
struct DedupeMapInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    unsigned count = op.getInputs().size();
    for (unsigned i = 0; i < count; ++i) {
      BlockArgument argument = body.getArgument(i);
      auto first = llvm::find(op.getInputs(), op.getInputs()[i]);
      unsigned firstIndex = std::distance(op.getInputs().begin(), first);
      bool repeated = firstIndex < i;
      if (!repeated && (!argument.use_empty() || count == 1))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        if (repeated)
          rewriter.replaceAllUsesWith(argument, body.getArgument(firstIndex));
        body.eraseArgument(i);
        op->eraseOperand(i);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "every input is used once");
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DedupeMapInputs>(context);
}

//===----------------------------------------------------------------------===//
// BroadcastOp, ReshapeOp, TransposeOp
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

LogicalResult BroadcastOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getRank() != result.getRank() || source.getElementType() != result.getElementType())
    return emitOpError() << "C1: " << source << " and " << result << " differ in rank or element type";
  for (auto [from, to] : llvm::zip(source.getDims(), result.getDims()))
    if (from != to && !isOne(from))
      return emitOpError() << "C2: cannot broadcast a dim of " << source << " to " << result;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    if (inner.getSource().getType() == getResult().getType())
      return inner.getSource();
  }
  return {};
}

LogicalResult ReshapeOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "C1: element types " << source.getElementType() << " and " << result.getElementType()
                         << " differ";
  auto notOne = [](Attribute dim) { return !isOne(dim); };
  if (llvm::equal(llvm::make_filter_range(source.getDims(), notOne), llvm::make_filter_range(result.getDims(), notOne)))
    return success();
  if (source.isConcrete() && result.isConcrete()) {
    auto count = [](TileType type) {
      int64_t elements = 1;
      for (int64_t dim : type.getShape())
        elements *= dim;
      return elements;
    };
    if (count(source) == count(result))
      return success();
  }
  return emitOpError() << "C2: cannot reshape " << source << " to " << result;
}

LogicalResult TransposeOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  ArrayRef<int64_t> permutation = getPermutation();
  if (int64_t(permutation.size()) != source.getRank() || source.getRank() != result.getRank())
    return emitOpError() << "C1: a permutation of " << permutation.size() << " dims from " << source << " to "
                         << result;
  SmallVector<bool> seen(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation)) {
    if (from < 0 || from >= source.getRank() || std::exchange(seen[from], true))
      return emitOpError() << "C1: [" << permutation << "] is not a permutation";
    if (source.getDims()[from] != result.getDims()[to])
      return emitOpError() << "C2: dim " << to << " of " << result << " is not dim " << from << " of " << source;
  }
  if (source.getElementType() != result.getElementType())
    return emitOpError() << "C2: element types differ";
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp, DotOp, FillPaddingOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  int64_t dim = getDim();
  if (dim < 0 || dim >= source.getRank())
    return emitOpError() << "C1: dim " << dim << " of a tile of rank " << source.getRank();
  SmallVector<Attribute> dims(source.getDims());
  dims.erase(dims.begin() + dim);
  if (ArrayRef<Attribute>(dims) != result.getDims())
    return emitOpError() << "C2: the result must be " << source.withDims(dims) << ", not " << result;
  bool isArg = getKind() == ReduceKind::ArgMax || getKind() == ReduceKind::ArgMin;
  if (isArg ? !result.getElementType().isIntOrIndex() : result.getElementType() != source.getElementType())
    return emitOpError() << "C3: a result of " << result.getElementType() << " from " << source.getElementType();
  return success();
}

LogicalResult DotOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(), acc = getAcc().getType();
  int64_t rank = acc.getRank();
  if (rank < 2 || lhs.getRank() != rank || rhs.getRank() != rank)
    return emitOpError() << "C1: ranks " << lhs.getRank() << ", " << rhs.getRank() << " and " << rank
                         << " must be equal and at least 2";
  if (lhs.getDims().drop_back(2) != acc.getDims().drop_back(2) ||
      rhs.getDims().drop_back(2) != acc.getDims().drop_back(2))
    return emitOpError() << "C1: batch dims differ";
  if (lhs.getDims()[rank - 2] != acc.getDims()[rank - 2] || rhs.getDims()[rank - 1] != acc.getDims()[rank - 1] ||
      lhs.getDims()[rank - 1] != rhs.getDims()[rank - 2])
    return emitOpError() << "C1: cannot multiply " << lhs << " and " << rhs << " into " << acc;
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError() << "C2: operands of " << lhs.getElementType() << " and " << rhs.getElementType();
  if (acc != getResult().getType())
    return emitOpError() << "C3: the result must be " << acc << ", not " << getResult().getType();
  if (!llvm::is_contained({"tf32", "tf32x3", "ieee"}, getPrecision()))
    return emitOpError() << "precision must be tf32, tf32x3 or ieee, not " << getPrecision();
  return success();
}

LogicalResult FillPaddingOp::verify() {
  TileType type = getSource().getType();
  if (type != getResult().getType())
    return emitOpError() << "C3: " << type << " and " << getResult().getType() << " differ";
  if (getValue().getType() != type.getElementType())
    return emitOpError() << "C2: a value of type " << getValue().getType() << " for " << type;
  if (getSpans().size() != getDims().size())
    return emitOpError() << "C1: " << getSpans().size() << " spans for " << getDims().size() << " dims";
  for (auto [span, dim] : llvm::zip(getSpans(), getDims()))
    if (dim < 0 || dim >= type.getRank() || cast<SpanType>(span.getType()).getExtent() != type.getDims()[dim])
      return emitOpError() << "C1: a span of " << span.getType() << " for dim " << dim << " of " << type;
  return success();
}
