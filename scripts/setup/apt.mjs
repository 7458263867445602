import { ask, which } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';

/** How this user may call apt: undefined when it cannot. */
export function aptPrefix({ hasApt, isRoot, hasSudo }) {
  if (!hasApt) return undefined;
  if (isRoot) return [];
  return hasSudo ? ['sudo', '-n'] : undefined;
}

/** Installs Debian packages, or stops with the one command that the reader has to run. */
export async function aptInstall(packages, { run, env }) {
  const prefix = aptPrefix({
    hasApt: which('apt-get', env) !== undefined,
    isRoot: process.getuid?.() === 0,
    hasSudo: ask('sudo', ['-n', 'true'], env) !== undefined,
  });
  if (prefix === undefined) {
    throw new Stop(
      `Missing here, and only an administrator can install it: run \`sudo apt-get install -y ${packages.join(' ')}\` (or your system's equivalent), then run this again.`,
    );
  }
  const quiet = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => {
    const [command, ...rest] = [...prefix, 'apt-get', ...args];
    return run(command, rest, quiet);
  };
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', ...packages);
}
