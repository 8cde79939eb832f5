# Compiler settings shared by every target.

find_program(CUBCAL_CCACHE ccache)
if(CUBCAL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CUBCAL_CCACHE}")
endif()

if(CUBCAL_SANITIZE)
  add_compile_options(-fsanitize=${CUBCAL_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${CUBCAL_SANITIZE})
  # Instrumented code makes GCC see uninitialised reads inside the standard library.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# What makes a fault in the code harder to use for somebody else. CUDA's compiler is left alone: it
# does not know these options. With sanitizers they would only stand in the way.
if(CUBCAL_HARDENED AND NOT CUBCAL_SANITIZE)
  include(CheckCXXCompilerFlag)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>)
  # Needs optimisation; some distributions define it already.
  set(optimised $<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>)
  add_compile_options($<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=2>)
  # Jumps and returns go where the code says.
  set(branch_flag "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(branch_flag -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(branch_flag -mbranch-protection=standard)
  endif()
  if(branch_flag)
    check_cxx_compiler_flag(${branch_flag} CUBCAL_HAS_BRANCH_PROTECTION)
    if(CUBCAL_HAS_BRANCH_PROTECTION)
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${branch_flag}>)
    endif()
  endif()
  # Tables of functions cannot be written to once the program runs.
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()

function(cubcal_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion
                                           -Wno-sign-conversion)
  if(CUBCAL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# cubcal_compile_quickly(TARGET LEVEL): for code that calls the library and does little itself, such
# as tests (-Og) and commands (-O1): optimising it fully costs more than it saves.
function(cubcal_compile_quickly target level)
  if(CUBCAL_SANITIZE)
    target_compile_options(${target} PRIVATE ${level})
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  endif()
endfunction()

# cubcal_compile_together(TARGET FILES): where CUBCAL_UNITY is on, so many sources at a time make one
# translation unit, which reads the headers they share once.
function(cubcal_compile_together target files)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${CUBCAL_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
endfunction()

function(cubcal_library_settings target)
  cubcal_warnings(${target})
  # cubcal_module says which sources go together.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CUBCAL_UNITY} UNITY_BUILD_MODE GROUP)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
