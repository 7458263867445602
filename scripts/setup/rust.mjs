import { ask } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';
import { rustToolchain } from '../lib/versions.mjs';

const words = (text) => (text ?? '').split(/\s+/);

/** Which components and targets of `wanted` are not in the lists that rustup prints. */
export function missingParts(wanted, componentList, targetList) {
  const targets = words(targetList);
  const components = words(componentList);
  return [
    ...wanted.targets.filter((name) => !targets.includes(name)),
    ...wanted.components.filter((name) => !components.some((found) => found.startsWith(name))),
  ];
}

export const rust = {
  title: 'Rust toolchain',
  find(env) {
    if (!ask('rustup', ['--version'], env)) {
      throw new Stop('Rust is missing: install rustup from https://rustup.rs and run this again.');
    }
    const wanted = rustToolchain();
    const on = ['--installed', '--toolchain', wanted.channel];
    const components = ask('rustup', ['component', 'list', ...on], env);
    const targets = ask('rustup', ['target', 'list', ...on], env);
    if (components === undefined || missingParts(wanted, components, targets).length > 0)
      return undefined;
    return wanted.channel;
  },
  async bring({ run }) {
    const { channel, components, targets } = rustToolchain();
    await run('rustup', [
      ...['toolchain', 'install', channel, '--no-self-update', '--profile', 'minimal'],
      ...components.flatMap((name) => ['--component', name]),
      ...targets.flatMap((name) => ['--target', name]),
    ]);
  },
  cost: 'rustup downloads it',
};
