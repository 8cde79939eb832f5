# `cmake --install` gives a package that find_package(cubcal) finds, with the target cubcal::cubcal
# and, where the network half was built, cubcal::cubcal_nn.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/cubcal")
set(halves cubcal)
if(CUBCAL_NN)
  list(APPEND halves cubcal_nn)
endif()

install(TARGETS ${halves} EXPORT cubcalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cubcalTargets NAMESPACE cubcal:: DESTINATION ${package_dir})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/cubcal" "${PROJECT_BINARY_DIR}/generated/cubcal"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cubcalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cubcalConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cubcalConfig.cmake"
              "${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake" DESTINATION ${package_dir})
