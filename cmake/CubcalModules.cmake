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
  set_property(GLOBAL APPEND_STRING PROPERTY CUBCAL_LAYERS
    "list(APPEND modules ${name})\nset(depends_${name} \"${ARG_DEPENDS}\")\n\
set(external_${name} \"${ARG_EXTERNAL}\")\n")
endfunction()

function(cubcal_write_layers path)
  get_property(layers GLOBAL PROPERTY CUBCAL_LAYERS)
  file(WRITE "${path}" "${layers}")
endfunction()
