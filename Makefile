# The front door. Each target does everything it needs from a bare Debian 12 machine.
#   make build   the program, at build/cubcal
#   make test    all tests
#   make demo    the whole story on drawn images: train, calibrate, compare
#   make install [DESTDIR=D] [PREFIX=/usr/local]  program, manual pages, completions, headers and libraries
#   make deb     packages of Debian in build/packages;  make deb-test installs and uses them in a clean chroot
#                (root, debootstrap and a mirror)
#   make python  the Python package, installed into build-python/venv without a package index, and its tests
#   make asan    the numeric half's tests under AddressSanitizer and UBSan;  make asan-quick those that read
#                input and some of the network half, in the build of the fuzzers
#   make tsan    the tests of what runs on several threads under ThreadSanitizer
#   make fuzz    every fuzzer for FUZZ_SECONDS (default 600) each, as many side by side as processors
#   make coverage  which lines the numeric half's tests reach, by module
#   make bench   the benchmarks; rewrites the tables of docs/performance.md
#   make format  clang-format over the tree;  make lint checks it, compiles each header of the numeric half
#                alone and runs clang-tidy;  make lint-changed does so with the sources changed since
#                LINT_SINCE (default HEAD~5)
# NN=OFF builds the numeric half alone, without LibTorch.

NN ?= ON
WERROR ?= $(if $(CI),ON,OFF)
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 600
LINT_SINCE ?= HEAD~5
PREFIX ?= /usr/local
DESTDIR ?=
# What was compiled in one checkout need not be compiled again in another.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= true
export CCACHE_IGNOREOPTIONS ?= -Werror

# What gains nothing from a sanitizer, takes long or needs what is not there.
ASAN_NOT = layers|headers|install|python|docs_test|report_browser_test|inspection_real_sets_test
# Readers, writers, what parallel loops share, and some of the network half.
ASAN_QUICK = core_test uncertainty_test io_test record_test image_test weights_test dataset_test \
             monitor_test http_test service_test \
             $(if $(filter ON,$(NN)),losses_test batches_test train_test)
TSAN_TESTS = core_test uncertainty_test metrics_test io_test http_test service_test spool_test node_test

.PHONY: build test demo install deb deb-test python asan asan-quick tsan coverage fuzz bench format lint lint-changed check-format packages packages-fuzz \
        packages-bench packages-deb packages-lint packages-dicom

build: packages
	cmake --preset release -DCUBCAL_NN=$(NN) -DCUBCAL_WERROR=$(WERROR)
	cmake --build build -j $(JOBS)

test: build
	ctest --test-dir build --output-on-failure -j $(JOBS)

# Without the network half there is nothing to train: simulated logits take the networks' place.
demo: build
ifeq ($(NN),ON)
	build/cubcal demo --out runs/demo
else
	build/cubcal example --out runs/example
	build/cubcal evaluate runs/example/test.npz
	build/cubcal calibrate runs/example/val.npz -o runs/example/calibration.json --test runs/example/test.npz
endif

install: build
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

deb: build packages-deb
	cd build && cpack -G DEB

deb-test: deb
	tests/packages/chroot_test.sh build/packages $(CURDIR)

# --system-site-packages: NumPy is Debian's.
python: build
	/usr/bin/python3 -m venv --clear --system-site-packages build-python/venv
	build-python/venv/bin/pip install --no-index --force-reinstall --no-deps .
	cd build-python && CUBCAL_PROGRAM=$(CURDIR)/build/cubcal venv/bin/python -m pytest -q -p no:cacheprovider $(CURDIR)/python/tests

# $(call only,A B) is the expression for ctest that means these tests.
empty :=
only = ^($(subst $(empty) $(empty),|,$(strip $(1))))$$

asan: packages
	cmake --preset asan
	cmake --build build-asan -j $(JOBS)
	ctest --test-dir build-asan --output-on-failure -j $(JOBS) -E '^($(ASAN_NOT))$$'

# In the build of the fuzzers, whose libraries are instrumented anyway. What LibTorch itself leaves behind
# is not a finding.
asan-quick: packages packages-fuzz
	cmake --preset fuzz -DCUBCAL_NN=$(NN) -DCUBCAL_TESTS=ON
	cmake --build build-fuzz -j $(JOBS) --target $(ASAN_QUICK)
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks_of_libtorch.supp \
	  ctest --test-dir build-fuzz --output-on-failure -j $(JOBS) -R '$(call only,$(ASAN_QUICK))'

tsan: packages
	cmake --preset tsan
	cmake --build build-tsan -j $(JOBS) --target $(TSAN_TESTS)
	ctest --test-dir build-tsan --output-on-failure -R '$(call only,$(TSAN_TESTS))'

coverage: packages
	cmake --preset coverage
	cmake --build build-coverage -j $(JOBS)
	find build-coverage -name '*.gcda' -delete
	ctest --test-dir build-coverage -j $(JOBS) -E '^($(ASAN_NOT))$$'
	tests/coverage.py build-coverage

fuzz: packages packages-fuzz
	cmake --preset fuzz -DCUBCAL_NN=$(NN)
	cmake --build build-fuzz -j $(JOBS) --target fuzzers
	JOBS=$(JOBS) tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS)

bench: build packages-bench
	cmake --preset release -DCUBCAL_NN=$(NN) -DCUBCAL_BENCHMARKS=ON
	cmake --build build -j $(JOBS)
	/usr/bin/python3 benchmarks/run.py --build build --docs docs/performance.md
	/usr/bin/python3 benchmarks/run_limits.py --build build --docs docs/performance.md
	PYTHONPATH=build/python /usr/bin/python3 benchmarks/run_python.py --build build --docs docs/performance.md

format: packages-lint
	git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format-14 -i

check-format: packages-lint
	git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format-14 --dry-run --Werror

lint: check-format
	cmake --preset dev -DCUBCAL_NN=OFF
	tests/check_headers.sh "$(CXX) -std=c++17 -Iinclude -Isrc -Ibuild-dev/generated" include src/cubcal
	git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -n 1 -P $(JOBS) clang-tidy-14 -p build-dev --quiet

lint-changed: check-format packages
	cmake --preset dev -B build-lint -DCUBCAL_NN=$(NN)
	tests/lint_changed.sh $(LINT_SINCE) build-lint $(JOBS)

packages:
	cmake/install_packages.sh base python $(if $(filter ON,$(NN)),nn torch)
packages-fuzz:
	cmake/install_packages.sh base fuzz
packages-bench:
	cmake/install_packages.sh bench
packages-deb:
	cmake/install_packages.sh deb
packages-lint:
	cmake/install_packages.sh base lint
# What some tests of the DICOM node need, skipped without it. Debian starts the system's own Orthanc when it is installed.
packages-dicom:
	cmake/install_packages.sh dicom
