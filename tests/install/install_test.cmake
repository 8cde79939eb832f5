# Installs the build into a scratch prefix, builds the consumer against it with find_package and
# runs it.
#   cmake -DBUILD=<build> -DSOURCE=<tests/install> -DSCRATCH=<folder> -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${output}")
  endif()
  message("${output}")
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${SCRATCH}/prefix")
run(${CMAKE_COMMAND} -S "${SOURCE}" -B "${SCRATCH}/build" "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix"
    ${EXTRA})
run(${CMAKE_COMMAND} --build "${SCRATCH}/build")
run("${SCRATCH}/build/consumer")
run("${SCRATCH}/prefix/bin/cubcal" --version)
