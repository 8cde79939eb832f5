# `cmake --install` gives a package: find_package(cubcal) finds the numeric half as cubcal::cubcal,
# find_package(cubcal COMPONENTS nn) also the network half as cubcal::cubcal_nn, with LibTorch.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cubcal")
install(TARGETS cubcal EXPORT cubcalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cubcalTargets NAMESPACE cubcal:: DESTINATION ${package_dir})
if(CUBCAL_NN)
  install(TARGETS cubcal_nn EXPORT cubcal_nnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT cubcal_nnTargets NAMESPACE cubcal:: DESTINATION ${package_dir})
endif()
# The public face and nothing behind it; what is of networks only where they are.
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/cubcal/*.h")
if(NOT CUBCAL_NN)
  list(FILTER public_headers EXCLUDE REGEX "/(answer|classifier|decision)\\.h$")
endif()
install(FILES ${public_headers} "${PROJECT_BINARY_DIR}/generated/cubcal/version.h"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cubcal)

# Parts of DejaVu Sans are in the library, and their license goes with them.
install(FILES "${PROJECT_SOURCE_DIR}/src/cubcal/pdf/fonts/LICENSE"
        DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.fonts)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cubcalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cubcalConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cubcalConfig.cmake"
              "${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake" DESTINATION ${package_dir})
