# Holds every #include of the library against what its module's CMakeLists.txt declares, and checks
# that every quoted #include of the tree names a file that is there, compiled in this build or not.
#   cmake -DLAYERS=<build>/layers.cmake -DROOT=<source> -P check_layers.cmake
cmake_minimum_required(VERSION 3.22)
include("${LAYERS}")
set(suffixes h cpp cu cuh)

function(complain file line text)
  message(SEND_ERROR "${file}: ${line}: ${text}")
endfunction()

# sources(VARIABLE FOLDER): every C++ and CUDA file below FOLDER.
function(sources variable folder)
  list(TRANSFORM suffixes PREPEND "${folder}/*." OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE found ${patterns})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Every folder must be a declared module of its half, so that none escapes the check.
foreach(half cubcal cubcal_nn)
  file(GLOB folders RELATIVE "${ROOT}/src/${half}" "${ROOT}/src/${half}/*")
  foreach(folder IN LISTS folders)
    if(NOT IS_DIRECTORY "${ROOT}/src/${half}/${folder}")
      continue()
    endif()
    # Modules of the network half are absent from a build of the numeric half alone.
    file(STRINGS "${ROOT}/src/${half}/${folder}/CMakeLists.txt" declared
      REGEX "cubcal_module\\(${folder} LIBRARY ${half}$")
    if(NOT declared OR (half STREQUAL cubcal AND NOT folder IN_LIST modules))
      message(SEND_ERROR "src/${half}/${folder} is no declared module of ${half}")
    endif()
  endforeach()
endforeach()

foreach(module IN LISTS modules)
  sources(files "${ROOT}/src/${library_${module}}/${module}")
  if(NOT files)
    message(SEND_ERROR "the module ${module} has no files")
  endif()
  set(allowed ${module} ${depends_${module}})
  foreach(file IN LISTS files)
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS includes)
      if(line MATCHES "\"(cubcal|cubcal_nn)/([a-z_]+)/")
        if(NOT CMAKE_MATCH_2 IN_LIST allowed)
          complain("${file}" "${line}" "${module} may include only: ${allowed}")
        endif()
      elseif(line MATCHES "<([^>]+)>")
        set(header "${CMAKE_MATCH_1}")
        # The standard library's and the system's headers have neither folder nor known suffix.
        if(header MATCHES "^[a-z_0-9]+$" OR header MATCHES "^(sys/|unistd|fcntl|signal|dlfcn|cpuid|csetjmp)")
          continue()
        endif()
        set(known FALSE)
        foreach(prefix IN LISTS external_${module})
          string(FIND "${header}" "${prefix}/" place)
          if(header STREQUAL prefix OR place EQUAL 0)
            set(known TRUE)
          endif()
        endforeach()
        if(NOT known)
          complain("${file}" "${line}" "${module} declares no EXTERNAL header ${header}")
        endif()
      else()
        complain("${file}" "${line}"
          "an include must name \"cubcal/<module>/<file>.h\", \"cubcal_nn/<module>/<file>.h\" or <header>")
      endif()
    endforeach()
  endforeach()
endforeach()

# No compiler here may see the CUDA sources, the stubs and the fuzzers: their paths are held against
# the tree all the same.
set(generated cubcal/core/version.h cubcal/report/page_assets.h phantom_recipe.h)
foreach(part src apps tests benchmarks)
  sources(files "${ROOT}/${part}")
  foreach(file IN LISTS files)
    get_filename_component(folder "${file}" DIRECTORY)
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1" header "${line}")
      if(NOT header IN_LIST generated AND NOT EXISTS "${ROOT}/src/${header}"
         AND NOT EXISTS "${ROOT}/tests/${header}" AND NOT EXISTS "${folder}/${header}")
        complain("${file}" "${line}" "the tree has no file ${header}")
      endif()
    endforeach()
  endforeach()
endforeach()
