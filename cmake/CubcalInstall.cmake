# `cmake --install` gives a package: find_package(cubcal) finds the numeric half as cubcal::cubcal,
# find_package(cubcal COMPONENTS nn) also the network half as cubcal::cubcal_nn, with LibTorch.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cubcal")
install(TARGETS cubcal EXPORT cubcalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT development)
install(EXPORT cubcalTargets NAMESPACE cubcal:: DESTINATION ${package_dir}
        COMPONENT development)
if(CUBCAL_NN)
  install(TARGETS cubcal_nn EXPORT cubcal_nnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT development)
  install(EXPORT cubcal_nnTargets NAMESPACE cubcal:: DESTINATION ${package_dir}
        COMPONENT development)
endif()
# The public face and nothing behind it; what is of networks only where they are.
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/cubcal/*.h")
if(NOT CUBCAL_NN)
  list(FILTER public_headers EXCLUDE REGEX "/(answer|classifier|decision)\\.h$")
endif()
install(FILES ${public_headers} "${PROJECT_BINARY_DIR}/generated/cubcal/version.h"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cubcal COMPONENT development)

# Parts of DejaVu Sans are in the library, and their license goes with them.
install(FILES "${PROJECT_SOURCE_DIR}/src/cubcal/pdf/fonts/LICENSE"
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program RENAME LICENSE.fonts)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cubcalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cubcalConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cubcalConfig.cmake"
              "${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake" DESTINATION ${package_dir}
        COMPONENT development)

# Manual pages, completions and the list of what is linked are made from the program as it is installed.
if(CUBCAL_PROGRAM)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/install_generated.cmake.in"
    "${PROJECT_BINARY_DIR}/install_generated.cmake" @ONLY)
  install(SCRIPT "${PROJECT_BINARY_DIR}/install_generated.cmake" COMPONENT program)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/cubcal-serve.service"
          DESTINATION lib/systemd/system COMPONENT program)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples USE_SOURCE_PERMISSIONS
          COMPONENT program)
endif()
# Not of a plain install: elsewhere `pip install .` knows where Python looks.
if(CUBCAL_PYTHON_BUILT)
  set(CUBCAL_PYTHON_FOLDER "lib/python3/dist-packages" CACHE STRING
      "Where the component 'python' is installed, below the prefix")
  install(TARGETS cubcal_python LIBRARY DESTINATION ${CUBCAL_PYTHON_FOLDER}/cubcal COMPONENT python
          EXCLUDE_FROM_ALL)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/package/cubcal"
          DESTINATION ${CUBCAL_PYTHON_FOLDER} COMPONENT python EXCLUDE_FROM_ALL
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed"
          PATTERN "__pycache__" EXCLUDE)
endif()
