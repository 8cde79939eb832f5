# cubcal_module(NAME LIBRARY <cubcal|cubcal_nn> SOURCES ... DEPENDS ... [EXTERNAL ...])
#
# Adds a module's sources to its half of the library and records what the module may include:
# DEPENDS names other modules, EXTERNAL the header prefixes from outside the project and the
# standard library. tests/check_layers.cmake holds every #include against this record.
set_property(GLOBAL PROPERTY CUBCAL_LAYERS "")

function(cubcal_module name)
  cmake_parse_arguments(ARG "" "LIBRARY" "SOURCES;DEPENDS;EXTERNAL" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(${ARG_LIBRARY} PRIVATE ${ARG_SOURCES})
  cubcal_group_sources(${name} ${ARG_LIBRARY} ${ARG_SOURCES})
  set_property(GLOBAL APPEND_STRING PROPERTY CUBCAL_LAYERS
    "list(APPEND modules ${name})\nset(library_${name} ${ARG_LIBRARY})\n\
set(depends_${name} \"${ARG_DEPENDS}\")\n\
set(external_${name} \"${ARG_EXTERNAL}\")\n")
endfunction()

# Which sources of a module CUBCAL_UNITY compiles together. Small groups keep every processor busy
# to the end and, where they include LibTorch, the compiler's memory within bounds.
function(cubcal_group_sources name library)
  set(size 10)
  if(library STREQUAL cubcal_nn)
    set(size 4)
  endif()
  list(FILTER ARGN INCLUDE REGEX "\\.cpp$")
  set(place 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${place} / ${size}")
    math(EXPR place "${place} + 1")
    set_source_files_properties("${source}" TARGET_DIRECTORY ${library} PROPERTIES
      UNITY_GROUP ${name}${group})
  endforeach()
endfunction()

function(cubcal_write_layers path)
  get_property(layers GLOBAL PROPERTY CUBCAL_LAYERS)
  file(WRITE "${path}" "${layers}")
endfunction()
