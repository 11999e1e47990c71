# Writes a C++ file that holds the bytes of a file. cmake -DINPUT=… -DOUTPUT=… -DNAME=function [-DNAMESPACE=…] -P EmbedFile.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Generated from ${NAME}.\n#include \"llvm/ADT/StringRef.h\"\nnamespace ${NAMESPACE} {\nstatic const unsigned char bytes[] = {${bytes}};\nllvm::StringRef ${NAME}() { return {reinterpret_cast<const char *>(bytes), sizeof bytes}; }\n} // namespace ${NAMESPACE}\n")
