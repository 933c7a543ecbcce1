# Targets for a project whose memory folder is checked, mended and aged with make.
#
#   include /path/to/mem/bin/mem.mk
#
# The folder is the one that the project's agent uses, or the one in MEM_MEMORY_DIR:
#
#   export MEM_MEMORY_DIR = docs/memory
#
# memory-check   fails when the index lies, is cut, or a secret stands in a memory; changes nothing
# memory-index   mends the index
# memory-age     shows what is stale, double or to be forgotten; changes nothing
# memory-forget  carries that plan out; 'mem-age --undo' takes it back

MEM_BIN_DIR ?= $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
# Beside a checkout's scripts the commands are in its release build; installed, they are in the prefix's bin.
MEM_PATH = PATH="$${MEM_BIN:-$(MEM_BIN_DIR)/../target/release}:$(MEM_BIN_DIR)/../../bin:$$PATH"

.PHONY: memory-check memory-index memory-age memory-forget

memory-check:
	@$(MEM_PATH) mem-index -n --check --format text

memory-index:
	@$(MEM_PATH) mem-index -n --apply --format text

memory-age:
	@$(MEM_PATH) mem-age -n --format text

memory-forget:
	@$(MEM_PATH) mem-age -n --apply --format text
