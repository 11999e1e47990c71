# Finds Debian's LLVM and MLIR 22 and says how everything here is compiled and linked against them.

set(HELIONC_LLVM_PREFIX "/usr/lib/llvm-22" CACHE PATH "where LLVM and MLIR 22 are installed")
find_package(MLIR REQUIRED CONFIG HINTS ${HELIONC_LLVM_PREFIX}/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "helionc needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION}; "
                      "set HELIONC_LLVM_PREFIX or run scripts/setup")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)

# LLVM_DEFINITIONS and HandleLLVMOptions redefine _GLIBCXX_USE_CXX11_ABI here, so the needed ones are set by hand.
add_compile_definitions(_GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-comment -ffunction-sections -fdata-sections)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
if(HELIONC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize=vptr)
  add_link_options(-fsanitize=address,undefined)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld)
endif()

if(HELIONC_CCACHE)
  find_program(HELIONC_CCACHE_PROGRAM ccache)
  if(HELIONC_CCACHE_PROGRAM)
    set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${HELIONC_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endif()

# Every executable links this one library and nothing else of LLVM or MLIR: mixing archives with the shared
# libraries registers every dialect and option twice.
add_library(helionc_llvm INTERFACE)
if(HELIONC_STATIC)
  file(GLOB mlir_archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a)
  list(FILTER mlir_archives EXCLUDE REGEX "MLIRTest|TestPasses|MLIRCAPI|MLIRTlsSupport")
  file(GLOB llvm_archives ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
  file(GLOB lld_archives ${LLVM_LIBRARY_DIRS}/liblldELF.a ${LLVM_LIBRARY_DIRS}/liblldCommon.a)
  find_library(zstd_archive libzstd.a REQUIRED)
  find_library(z_archive libz.a REQUIRED)
  target_link_libraries(helionc_llvm INTERFACE
    -Wl,--start-group ${lld_archives} ${mlir_archives} ${llvm_archives} -Wl,--end-group
    ${zstd_archive} ${z_archive} -static-libstdc++ -static-libgcc dl m rt pthread)
  add_link_options(-Wl,--gc-sections -Wl,--icf=all)
else()
  target_link_libraries(helionc_llvm INTERFACE ${LLVM_LIBRARY_DIRS}/liblldELF.a ${LLVM_LIBRARY_DIRS}/liblldCommon.a
    MLIR MLIRExecutionEngineShared LLVM z zstd dl pthread)
endif()
