//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Exchange between threads: layout conversions, reductions, dots.
//===----------------------------------------------------------------------===//
#include "NvvmEmitter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

void NvvmEmitter::barrier() { NVVM::Barrier0Op::create(b); }

Value NvvmEmitter::sharedPointer(Value element, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 3);
  return LLVM::GEPOp::create(b, pointer, memoryType(type), shared, ValueRange(element));
}

Value NvvmEmitter::readShared(Value element, Type type) {
  Type memory = memoryType(type);
  Value value =
      LLVM::LoadOp::create(b, memory, sharedPointer(element, type), std::max(1u, memory.getIntOrFloatBitWidth() / 8));
  return fromMemory(value, type);
}

/// The tile, row-major with `pitch` elements from one row of the last dim to the next, converted to `elementType`.
void NvvmEmitter::writeShared(Value tile, int64_t offsetElements, int64_t pitch, Type elementType) {
  auto type = cast<hlg::RegType>(tile.getType());
  hlg::Layout layout = toLayout(type.getLayout());
  Value representative = isRepresentative(layout);
  SmallVector<int64_t> strides(type.getShape().size(), 1);
  for (int64_t dim = int64_t(strides.size()) - 2, stride = pitch; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= type.getShape()[dim];
  }
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    Value condition = isInside(type, layout, reg, {});
    if (representative)
      condition = condition ? arith::AndIOp::create(b, condition, representative).getResult() : representative;
    Value at = i32(offsetElements);
    for (auto [dim, stride] : llvm::enumerate(strides))
      at = arith::AddIOp::create(b, at, arith::MulIOp::create(b, elementIndex(layout, reg, dim), i32(stride)));
    Value value = registers[tile][reg];
    if (value.getType() != elementType)
      value = isa<FloatType>(elementType) ? arith::ExtFOp::create(b, elementType, value).getResult()
                                          : arith::ExtSIOp::create(b, elementType, value).getResult();
    OpBuilder::InsertionGuard guard(b);
    if (condition) {
      auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    LLVM::StoreOp::create(b, toMemory(value), sharedPointer(at, elementType),
                          std::max(1u, memoryType(elementType).getIntOrFloatBitWidth() / 8));
  }
}

NvvmEmitter::Registers NvvmEmitter::emitConvert(hlg::ConvertLayoutOp convert) {
  hlg::RegType type = convert.getResult().getType();
  hlg::Layout layout = toLayout(type.getLayout());
  int64_t elements = 1, pitch = type.getShape().empty() ? 1 : type.getShape().back();
  for (int64_t size : type.getShape())
    elements *= size;
  useShared(elements * std::max(1u, memoryType(type.getElementType()).getIntOrFloatBitWidth() / 8));
  barrier();
  writeShared(convert.getSource(), 0, pitch, type.getElementType());
  barrier();
  Registers values;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    Value at = i32(0);
    int64_t stride = 1;
    for (int64_t dim = layout.rank - 1; dim >= 0; --dim) {
      Value place = elementIndex(layout, reg, dim);
      // Beyond the shape there is nothing to read: the last element stands in.
      if (mayExceed(layout, reg, dim, type.getShape()[dim]))
        place = arith::MinSIOp::create(b, place, i32(type.getShape()[dim] - 1));
      at = arith::AddIOp::create(b, at, arith::MulIOp::create(b, place, i32(stride)));
      stride *= type.getShape()[dim];
    }
    values.push_back(readShared(at, type.getElementType()));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value NvvmEmitter::combine(StringRef kind, Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(lhs.getType()), isBool = lhs.getType().isInteger(1);
  if (kind == "sum")
    return isFloat ? arith::AddFOp::create(b, lhs, rhs).getResult() : arith::AddIOp::create(b, lhs, rhs).getResult();
  if (kind == "prod")
    return isFloat ? arith::MulFOp::create(b, lhs, rhs).getResult() : arith::MulIOp::create(b, lhs, rhs).getResult();
  if (kind == "and" || (isBool && kind == "min"))
    return arith::AndIOp::create(b, lhs, rhs);
  if (kind == "or" || (isBool && kind == "max"))
    return arith::OrIOp::create(b, lhs, rhs);
  if (kind == "xor")
    return arith::XOrIOp::create(b, lhs, rhs);
  if (kind == "max")
    return isFloat ? arith::MaximumFOp::create(b, lhs, rhs).getResult()
                   : arith::MaxSIOp::create(b, lhs, rhs).getResult();
  return isFloat ? arith::MinimumFOp::create(b, lhs, rhs).getResult() : arith::MinSIOp::create(b, lhs, rhs).getResult();
}

Value NvvmEmitter::neutral(StringRef kind, Type type) {
  double inf = std::numeric_limits<double>::infinity();
  bool isMax = kind == "max" || kind == "argmax", isMin = kind == "min" || kind == "argmin";
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, isMax ? -inf : isMin ? inf : kind == "prod" ? 1.0 : 0.0));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bits = kind == "and"    ? APInt::getAllOnes(width)
               : kind == "prod" ? APInt(width, 1)
               : width == 1     ? APInt(1, isMin)
               : isMax          ? APInt::getSignedMinValue(width)
               : isMin          ? APInt::getSignedMaxValue(width)
                                : APInt(width, 0);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, bits));
}

/// The first index of the extremum, or of the first NaN.
NvvmEmitter::Partial NvvmEmitter::merge(StringRef kind, const Partial &lhs, const Partial &rhs) {
  if (!lhs.place)
    return {combine(kind, lhs.value, rhs.value), {}};
  bool isMax = kind == "argmax";
  Value better, equal;
  if (isa<FloatType>(lhs.value.getType())) {
    using P = arith::CmpFPredicate;
    Value greater = arith::CmpFOp::create(b, isMax ? P::OGT : P::OLT, rhs.value, lhs.value);
    Value nanL = arith::CmpFOp::create(b, P::UNO, lhs.value, lhs.value);
    Value nanR = arith::CmpFOp::create(b, P::UNO, rhs.value, rhs.value);
    Value one = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
    Value notNanL = arith::XOrIOp::create(b, nanL, one);
    better =
        arith::OrIOp::create(b, arith::AndIOp::create(b, greater, notNanL), arith::AndIOp::create(b, nanR, notNanL));
    Value same = arith::CmpFOp::create(b, P::OEQ, rhs.value, lhs.value);
    equal = arith::OrIOp::create(b, same, arith::AndIOp::create(b, nanL, nanR));
  } else {
    using P = arith::CmpIPredicate;
    bool flag = lhs.value.getType().isInteger(1);
    better =
        arith::CmpIOp::create(b, isMax ? (flag ? P::ugt : P::sgt) : (flag ? P::ult : P::slt), rhs.value, lhs.value);
    equal = arith::CmpIOp::create(b, P::eq, rhs.value, lhs.value);
  }
  Value earlier = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rhs.place, lhs.place);
  Value take = arith::OrIOp::create(b, better, arith::AndIOp::create(b, equal, earlier));
  return {arith::SelectOp::create(b, take, rhs.value, lhs.value),
          arith::SelectOp::create(b, take, rhs.place, lhs.place)};
}

/// The value of the lane whose number differs in the bits of `mask`, 32 bits at a time.
Value NvvmEmitter::shuffle(Value value, int64_t mask) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, b.getI32Type(), i32(-1), word, i32(mask), i32(31), NVVM::ShflKind::bfly, UnitAttr());
  };
  Type bits = b.getIntegerType(width);
  Value word = isa<FloatType>(type) ? arith::BitcastOp::create(b, bits, value).getResult() : value;
  if (width == 64) {
    Value low = arith::TruncIOp::create(b, b.getI32Type(), word);
    Value high = arith::TruncIOp::create(b, b.getI32Type(),
                                         arith::ShRUIOp::create(b, word, arith::ConstantIntOp::create(b, bits, 32)));
    low = arith::ExtUIOp::create(b, bits, exchange(low));
    high = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, bits, exchange(high)),
                                 arith::ConstantIntOp::create(b, bits, 32));
    word = arith::OrIOp::create(b, low, high);
  } else if (width < 32) {
    word = arith::TruncIOp::create(b, bits, exchange(arith::ExtUIOp::create(b, b.getI32Type(), word)));
  } else {
    word = exchange(word);
  }
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, word).getResult() : word;
}

NvvmEmitter::Registers NvvmEmitter::emitReduce(hlg::ReduceOp reduce) {
  hlg::RegType type = reduce.getSource().getType();
  hlg::Layout layout = toLayout(type.getLayout()), result = toLayout(reduce.getResult().getType().getLayout());
  int64_t dim = reduce.getDim(), count = result.registerCount();
  StringRef kind = reduce.getKind();
  bool isArg = kind.starts_with("arg");
  Type element = type.getElementType();
  std::vector<Partial> partials(static_cast<size_t>(count));
  // In the thread.
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    hlg::Index offset = layout.registerOffset(reg);
    offset.erase(offset.begin() + dim);
    Partial &into = partials[size_t(result.findRegister(offset))];
    Partial mine{registers[reduce.getSource()][reg], isArg ? elementIndex(layout, reg, dim) : Value()};
    if (mayExceed(layout, reg, dim, type.getShape()[dim])) {
      Value real = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, elementIndex(layout, reg, dim),
                                         i32(type.getShape()[dim]));
      mine.value = arith::SelectOp::create(b, real, mine.value, neutral(kind, element));
    }
    into = into.value ? merge(kind, into, mine) : mine;
  }
  // Between lanes.
  for (auto [bit, basis] : llvm::enumerate(layout.lane)) {
    if (basis[dim] == 0)
      continue;
    for (Partial &partial : partials) {
      Partial other{shuffle(partial.value, int64_t(1) << bit),
                    isArg ? shuffle(partial.place, int64_t(1) << bit) : Value()};
      partial = merge(kind, partial, other);
    }
  }
  // Between warps: every thread leaves its partial results and reads those of the warps that differ along the dim.
  int64_t bits = 0, warps = threads / 32;
  for (auto [bit, basis] : llvm::enumerate(layout.warp))
    bits |= basis[dim] != 0 ? int64_t(1) << bit : 0;
  if (bits) {
    int64_t bytes = std::max(1u, memoryType(element).getIntOrFloatBitWidth() / 8);
    int64_t placesAt = int64_t(llvm::divideCeil(threads * count * bytes, 4));
    useShared(placesAt * 4 + (isArg ? threads * count * 4 : 0));
    Value thread = arith::AddIOp::create(b, arith::MulIOp::create(b, warp, i32(32)), lane);
    auto slot = [&](Value who, int64_t reg, int64_t offset) -> Value {
      return arith::AddIOp::create(b, arith::MulIOp::create(b, who, i32(count)), i32(reg + offset));
    };
    auto write = [&](Value value, Value at) {
      LLVM::StoreOp::create(b, toMemory(value), sharedPointer(at, value.getType()),
                            std::max(1u, memoryType(value.getType()).getIntOrFloatBitWidth() / 8));
    };
    barrier();
    for (int64_t reg = 0; reg < count; ++reg) {
      write(partials[reg].value, slot(thread, reg, 0));
      if (isArg)
        write(partials[reg].place, slot(thread, reg, placesAt));
    }
    barrier();
    Value base = arith::AndIOp::create(b, warp, i32(~bits & (warps - 1)));
    std::vector<Partial> totals(static_cast<size_t>(count));
    for (int64_t other = 0; other < warps; ++other) {
      if (other & ~bits)
        continue;
      Value who =
          arith::AddIOp::create(b, arith::MulIOp::create(b, arith::OrIOp::create(b, base, i32(other)), i32(32)), lane);
      for (int64_t reg = 0; reg < count; ++reg) {
        Partial theirs{readShared(slot(who, reg, 0), element),
                       isArg ? readShared(slot(who, reg, placesAt), b.getI32Type()) : Value()};
        totals[reg] = totals[reg].value ? merge(kind, totals[reg], theirs) : theirs;
      }
    }
    partials = std::move(totals);
  }
  Registers values;
  Type wanted = reduce.getResult().getType().getElementType();
  for (Partial &partial : partials) {
    if (!isArg)
      values.push_back(partial.value);
    else
      values.push_back(wanted.isInteger(32) ? partial.place
                                            : arith::ExtSIOp::create(b, wanted, partial.place).getResult());
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

NvvmEmitter::Registers NvvmEmitter::emitDot(hlg::DotOp dot) {
  hlg::RegType type = dot.getResult().getType(), lhsType = dot.getLhs().getType(), rhsType = dot.getRhs().getType();
  hlg::Layout layout = toLayout(type.getLayout());
  int64_t rank = layout.rank, depth = lhsType.getShape()[rank - 1], n = rhsType.getShape()[rank - 1];
  Type sumType = type.getElementType();
  int64_t lhsPitch = depth + 1, rhsPitch = n, lhsRows = 1, rhsRows = 1;
  for (int64_t dim = 0; dim + 1 < rank; ++dim) {
    lhsRows *= lhsType.getShape()[dim];
    rhsRows *= rhsType.getShape()[dim];
  }
  int64_t rhsAt = int64_t(llvm::alignTo(lhsRows * lhsPitch, 4)), bytes = sumType.getIntOrFloatBitWidth() / 8;
  useShared((rhsAt + rhsRows * rhsPitch) * bytes);
  barrier();
  writeShared(dot.getLhs(), 0, lhsPitch, sumType);
  writeShared(dot.getRhs(), rhsAt, rhsPitch, sumType);
  barrier();
  // Where each register's row of lhs and column of rhs begin; registers of one row share them.
  std::map<hlg::Index, Value> rowStarts, columnStarts;
  std::vector<hlg::Index> rows, columns;
  auto clamped = [&](int64_t reg, int64_t dim) -> Value {
    Value at = elementIndex(layout, reg, dim);
    int64_t size = type.getShape()[dim];
    return mayExceed(layout, reg, dim, size) ? arith::MinSIOp::create(b, at, i32(size - 1)).getResult() : at;
  };
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    hlg::Index offset = layout.registerOffset(reg), row(offset.begin(), offset.end() - 1), column = offset;
    column[rank - 2] = 0;
    rows.push_back(row);
    columns.push_back(column);
    if (!rowStarts.count(row)) {
      Value number = i32(0);
      for (int64_t dim = 0; dim + 1 < rank; ++dim)
        number =
            arith::AddIOp::create(b, arith::MulIOp::create(b, number, i32(lhsType.getShape()[dim])), clamped(reg, dim));
      rowStarts[row] = arith::MulIOp::create(b, number, i32(lhsPitch));
    }
    if (!columnStarts.count(column)) {
      Value batch = i32(0);
      for (int64_t dim = 0; dim + 2 < rank; ++dim)
        batch = arith::AddIOp::create(b, arith::MulIOp::create(b, batch, i32(type.getShape()[dim])), clamped(reg, dim));
      Value start = arith::MulIOp::create(b, batch, i32(depth * rhsPitch));
      start = arith::AddIOp::create(b, start, clamped(reg, rank - 1));
      columnStarts[column] = arith::AddIOp::create(b, start, i32(rhsAt));
    }
  }
  auto loop = scf::ForOp::create(b, index(0), index(depth), index(1), registers[dot.getAcc()]);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value k = arith::IndexCastOp::create(b, b.getI32Type(), loop.getInductionVar());
  Value down = arith::MulIOp::create(b, k, i32(rhsPitch));
  std::map<hlg::Index, Value> left, right;
  for (auto &[row, start] : rowStarts)
    left[row] = readShared(arith::AddIOp::create(b, start, k), sumType);
  for (auto &[column, start] : columnStarts)
    right[column] = readShared(arith::AddIOp::create(b, start, down), sumType);
  Registers next;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    Value sum = loop.getRegionIterArg(unsigned(reg)), x = left[rows[reg]], y = right[columns[reg]];
    next.push_back(isa<FloatType>(sumType) ? math::FmaOp::create(b, x, y, sum).getResult()
                                           : arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y)).getResult());
  }
  scf::YieldOp::create(b, next);
  return Registers(loop.getResults());
}
