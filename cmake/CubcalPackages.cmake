# `cpack -G DEB` in the build folder makes three packages of Debian: cubcal (the program), libcubcal-dev
# (what other programs are built with) and python3-cubcal. docs/scale.md says how to install them.
set(CPACK_PACKAGE_NAME cubcal)
set(CPACK_PACKAGE_VENDOR "The cubcal authors")
set(CPACK_PACKAGE_CONTACT "The cubcal authors <maintainers@cubcal.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")

set(CPACK_COMPONENTS_ALL development)
if(CUBCAL_PROGRAM)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
if(CUBCAL_PYTHON_BUILT)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cubcal)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Measures whether the uncertainty of classifiers matches correctness, calibrates it, trains and\n\
serves Bayesian networks. A research tool, not a medical device.")
if(CUBCAL_NN)
  # The reference BLAS is eight times slower, and OpenBLAS without OpenMP wrong with several threads.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS libopenblas0-openmp)
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcubcal-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, static libraries and find_package(cubcal).")
set(development "zlib1g-dev, nlohmann-json3-dev")
foreach(pair "PNG_FOUND libpng-dev" "JPEG_FOUND libjpeg-dev" "DCMTK_FOUND libdcmtk-dev" "CUBCAL_TIFF libtiff-dev"
             "CUBCAL_WEBP libwebp-dev" "CUBCAL_JXL libjxl-dev" "CUBCAL_OPENJPEG libopenjp2-7-dev")
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 found)
  list(GET pair 1 package)
  if(${found})
    string(APPEND development ", ${package}")
  endif()
endforeach()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development}")
if(CUBCAL_NN)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS libtorch-dev)
endif()

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-cubcal)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Arrays in, numbers, calibration, verdicts and charts out.")
if(CUBCAL_PYTHON_BUILT)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-torch")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
      "${PROJECT_SOURCE_DIR}/packaging/debian/postinst;${PROJECT_SOURCE_DIR}/packaging/debian/prerm")
endif()

foreach(pair "program cubcal" "development libcubcal-dev" "python python3-cubcal")
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 component)
  list(GET pair 1 package)
  # A plain install has one text of the license, with the program.
  set(excluded EXCLUDE_FROM_ALL)
  if(component STREQUAL program)
    set(excluded "")
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/debian/copyright" DESTINATION share/doc/${package}
          COMPONENT ${component} ${excluded})
endforeach()

include(CPack)
