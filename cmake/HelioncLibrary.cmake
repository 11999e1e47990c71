# helionc_add_library(Name [MLIR] [SOURCES …] [DEPENDS target…] [LINK lib…])
#   A static library of the .cpp files of the current folder. MLIR: compiled with the shared precompiled header,
#   after every tablegen step.
# helionc_add_tool(name sources… LINK libs…)
#   An executable that links LLVM and MLIR once, through helionc_llvm.

function(helionc_add_library name)
  cmake_parse_arguments(arg "MLIR" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LINK})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(arg_MLIR)
    add_dependencies(${name} helionc_tablegen)
    helionc_use_pch(${name})
  endif()
  target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

# One precompiled header for everything that includes MLIR: 20 s once, then 2 to 5 s a file instead of 15.
function(helionc_use_pch name)
  target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
  target_precompile_headers(${name} REUSE_FROM helionc_pch)
endfunction()

function(helionc_add_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(HELIONC_STATIC)
    # Debian's archives expect Polly, which has none.
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/NoPolly.cpp)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LINK} helionc_llvm)
endfunction()
