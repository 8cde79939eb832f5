# Libraries of image formats that the build does without where they are not there. Each is found by
# its header and library alone, since not all of them bring a package for CMake:
# CUBCAL_<NAME> tells whether it was found, and cubcal_use_codec(<NAME>) links it.
function(cubcal_find_codec name header library)
  cmake_parse_arguments(ARG "" "" "SUFFIXES" ${ARGN})
  find_path(${name}_HEADERS ${header} PATH_SUFFIXES ${ARG_SUFFIXES})
  find_library(${name}_LIBRARY_FILE ${library})
  mark_as_advanced(${name}_HEADERS ${name}_LIBRARY_FILE)
  set(found OFF)
  if(${name}_HEADERS AND ${name}_LIBRARY_FILE)
    set(found ON)
  endif()
  option(CUBCAL_${name} "Read images with ${library}" ${found})
  if(CUBCAL_${name} AND NOT found)
    message(FATAL_ERROR "CUBCAL_${name} is on, but ${header} or the library ${library} was not found.")
  endif()
endfunction()

function(cubcal_use_codec name)
  target_include_directories(cubcal SYSTEM PRIVATE "${${name}_HEADERS}")
  target_link_libraries(cubcal PRIVATE "${${name}_LIBRARY_FILE}")
endfunction()

cubcal_find_codec(TIFF tiffio.h tiff)
cubcal_find_codec(WEBP webp/decode.h webp)
cubcal_find_codec(JXL jxl/decode.h jxl)
cubcal_find_codec(OPENJPEG openjpeg.h openjp2 SUFFIXES openjpeg-2.5 openjpeg-2.4 openjpeg-2.3)
