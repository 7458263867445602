import { ask, which } from '../lib/run.mjs';
import { aptInstall } from './apt.mjs';

/** Any Rust build links with the C compiler. */
export const linker = {
  title: 'C linker',
  find: (env) => which('cc', env),
  bring: (tools) => aptInstall(['gcc', 'libc6-dev'], tools),
  cost: 'apt installs it',
};

function findLibclang(env) {
  if (env.LIBCLANG_PATH) return env.LIBCLANG_PATH;
  return ask(
    'sh',
    [
      '-c',
      'ls -d /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* /usr/lib64/libclang*.so* 2>/dev/null | head -n 1 | grep .',
    ],
    env,
  );
}

/** RocksDB is C++, and its Rust bindings are read from its headers by libclang. */
export const rocksdbTools = {
  title: 'C++ compiler and libclang for RocksDB',
  find: (env) => (which('c++', env) && findLibclang(env) ? 'found' : undefined),
  bring: (tools) => aptInstall(['g++', 'libclang-dev'], tools),
  cost: 'apt installs them, about 1 minute',
};
