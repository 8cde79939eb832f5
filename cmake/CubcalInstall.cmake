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
set(header_folders "${PROJECT_SOURCE_DIR}/src/cubcal" "${PROJECT_BINARY_DIR}/generated/cubcal")
if(CUBCAL_NN)
  list(APPEND header_folders "${PROJECT_SOURCE_DIR}/src/cubcal_nn")
endif()
install(DIRECTORY ${header_folders}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/cubcalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cubcalConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cubcalConfig.cmake"
              "${PROJECT_BINARY_DIR}/cubcalConfigVersion.cmake" DESTINATION ${package_dir})
