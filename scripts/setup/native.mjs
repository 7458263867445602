import { ask, which } from '../lib/run.mjs';
import { aptInstall } from './apt.mjs';

/** Any Rust build links with the C compiler. */
export const linker = {
  title: 'C linker',
  find: (env) => which('cc', env),
  bring: (tools) => aptInstall(['gcc', 'libc6-dev'], tools),
  cost: 'apt installs it',
};

/** Whether a file is the C interface of clang. `libclang-cpp`, which lies beside it, is not. */
export function isLibclang(path) {
  return /(^|\/)libclang(-[\d.]+)?\.so(\.[\d.]+)?$/.test(path);
}

function findLibclang(env) {
  if (env.LIBCLANG_PATH) return env.LIBCLANG_PATH;
  const folders = ['/usr/lib/llvm-*/lib', '/usr/lib/*', '/usr/lib64'];
  const files = folders.map((folder) => `${folder}/libclang*.so*`).join(' ');
  // What is not there is complained about, and the answer is still of use.
  const found = ask('sh', ['-c', `ls -d ${files} 2>/dev/null; true`], env) ?? '';
  return found.split('\n').find(isLibclang);
}

/** RocksDB is C++, and its Rust bindings are read from its headers by libclang. */
export const rocksdbTools = {
  title: 'C++ compiler and libclang for RocksDB',
  find: (env) => (which('c++', env) && findLibclang(env) ? 'found' : undefined),
  bring: (tools) => aptInstall(['g++', 'libclang-dev'], tools),
  cost: 'apt installs them, about 1 minute',
};
