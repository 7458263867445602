import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, toolDir } from '../lib/paths.mjs';
import { ask } from '../lib/run.mjs';
import { printedVersion } from '../lib/versions.mjs';

/**
 * A tool built by `cargo install` into its own versioned folder. The tool runs for seconds and is
 * built for minutes, so it is built with little optimisation and without LTO.
 */
export function cargoTool({ name, binaries, version, locked }) {
  return {
    title: `${name} ${version}`,
    find(env) {
      const all = binaries.every(
        (binary) => printedVersion(ask(binary, ['--version'], env) ?? '') === version,
      );
      return all ? 'found' : undefined;
    },
    async bring({ run, env }) {
      const buildDir = join(cacheDir(env), 'tools', 'build');
      const args = ['install', name, '--version', version, '--root', toolDir(name, version, env)];
      await run('cargo', locked ? [...args, '--locked'] : args, {
        ...env,
        CARGO_TARGET_DIR: buildDir,
        CARGO_PROFILE_RELEASE_OPT_LEVEL: '1',
        CARGO_PROFILE_RELEASE_LTO: 'off',
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
        CARGO_PROFILE_RELEASE_DEBUG: '0',
      });
      rmSync(buildDir, { recursive: true, force: true });
    },
    cost: 'cargo builds it, about 3 minutes on 2 cores',
  };
}
