# Reads PROGRAM and fails where what cmake/CubcalCompiler.cmake asks for is not in it.

function(expect what command pattern)
  execute_process(COMMAND ${command} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${command}: ${errors}")
  endif()
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "${PROGRAM} lacks ${what}")
  endif()
endfunction()

expect("a place of its own at every start (PIE)" "${READELF};-hW;${PROGRAM}" "DYN")
expect("read-only tables of functions (RELRO)" "${READELF};-lW;${PROGRAM}" "GNU_RELRO")
expect("functions bound at the start (BIND_NOW)" "${READELF};-dW;${PROGRAM}" "NOW")
expect("a stack that is not executed" "${READELF};-lW;${PROGRAM}" "GNU_STACK[^\n]* RW ")
expect("guarded stacks" "${READELF};-W;--dyn-syms;${PROGRAM}" "__stack_chk_fail")
expect("checked calls of the C library (FORTIFY)" "${READELF};-W;--dyn-syms;${PROGRAM}"
       " __[a-z]+_chk[@ ]")
expect("marked places to jump to (CET or BTI)" "${OBJDUMP};-d;--disassemble=main;${PROGRAM}"
       "endbr64|paciasp|bti")
