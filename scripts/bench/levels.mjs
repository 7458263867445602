// Builds of the package in which crates have other levels of optimisation than the one that is shipped, and their bytes.

import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { splitNamed } from '../build/split.mjs';
import { buildEngineWith } from '../build/wasm.mjs';
import { toolEnvironment } from '../lib/environment.mjs';
import { root } from '../lib/paths.mjs';
import { Step } from '../lib/progress.mjs';
import { Stop } from '../lib/stop.mjs';
import { runTool } from '../lib/wasm-module.mjs';
import { writeProfile } from '../profile/list.mjs';
import { record } from '../profile/record.mjs';
import { measure } from '../size/measure.mjs';

const SHIPPED = 'shipped';
const LEVELS = ['z', 's', '1', '2', '3'];
const FIRST = 'varve_bg.wasm';
const SECOND = 'varve_rest_bg.wasm';
const PROFILE = 'functions.txt';

/** The crates of ours that Cargo.toml has at level 3 in the profile `wasm`. */
export function quickCrates(manifest) {
  const found = manifest.matchAll(/^\[profile\.wasm\.package\.(varve-\S+)\]\nopt-level = 3$/gm);
  return [...found].map(([, crate]) => crate).filter((crate) => crate !== 'varve-bench');
}

/**
 * The levels of a build that is called CRATE.LEVEL, with more of them after a `+`; `quick` stands for all of `quick`.
 * What is shipped has none.
 */
export function levelsOf(name, quick) {
  if (name === SHIPPED) return [];
  return name.split('+').flatMap((part) => {
    const [crate, level] = part.split('.');
    if (crate === '' || !LEVELS.includes(level)) {
      throw new Stop(`a build is called CRATE.LEVEL, with one of ${LEVELS.join(', ')}: ${name}`);
    }
    return (crate === 'quick' ? quick : [crate]).map((each) => ({ crate: each, level }));
  });
}

/** The arguments of cargo that set these levels. */
export function cargoArgs(levels) {
  return levels.flatMap(({ crate, level }) => {
    const value = /\d/.test(level) ? level : JSON.stringify(level);
    return ['--config', `profile.wasm.package.${crate}.opt-level=${value}`];
  });
}

/**
 * Makes the package in `folder`, with a profile of its own, since other levels inline other functions. `js/pkg` and
 * `js/dist` are used for it.
 */
async function make(folder, levels, env, step) {
  const pkg = join(root, 'js', 'pkg');
  const dist = join(root, 'js', 'dist');
  await buildEngineWith(cargoArgs(levels), env, step);
  await runTool('npm', ['run', 'build', '--workspace', 'varvedb'], env);
  const { typical } = await record(env);
  const profile = join(pkg, PROFILE);
  writeProfile(typical, profile);
  const { code, tail } = await splitNamed(pkg, 'varve', profile, env);
  if (code !== 0) throw new Stop(tail.join('\n'));
  cpSync(dist, folder, { recursive: true });
  for (const file of [FIRST, SECOND, PROFILE]) cpSync(join(pkg, file), join(folder, file));
}

/** A line a build: the bytes of its parts, and how many fewer the first part and both are than in what is shipped. */
export function sizeTable(rows) {
  const number = (value) => value.toLocaleString('en');
  const [{ first, second }] = rows;
  const head =
    '| build | first part | second part | first part, less | both, less |\n' +
    '| --- | ---: | ---: | ---: | ---: |\n';
  const line = (row) => {
    const less = [first - row.first, first + second - row.first - row.second];
    return `| ${[row.name, ...[row.first, row.second, ...less].map(number)].join(' | ')} |\n`;
  };
  return head + rows.map(line).join('');
}

/**
 * Makes what is shipped and the builds called `names`, or one for each quick crate at level z and one with all of them
 * so, in folders of their names in `into`; those that are there are not made anew. Prints their bytes.
 */
export async function levels({ into }, names) {
  if (into === undefined) throw new Stop('--into names the folder, outside the clone, for builds');
  const env = toolEnvironment();
  const quick = quickCrates(readFileSync(join(root, 'Cargo.toml'), 'utf8'));
  const wanted = names.length > 0 ? names : ['quick.z', ...quick.map((crate) => `${crate}.z`)];
  const builds = [SHIPPED, ...wanted].map((name) => ({ name, levels: levelsOf(name, quick) }));
  const bytesOf = (folder, file) => measure(readFileSync(join(folder, file))).brotli;
  const rows = [];
  for (const [at, { name, levels }] of builds.entries()) {
    const folder = resolve(into, name);
    const step = new Step(at + 1, builds.length, name);
    if (!existsSync(folder)) {
      step.wait('cargo, wasm-opt and the pages of the profile take about 6 minutes on 2 cores');
      await make(folder, levels, env, step);
    }
    step.done(folder);
    rows.push({ name, first: bytesOf(folder, FIRST), second: bytesOf(folder, SECOND) });
  }
  console.log(sizeTable(rows));
  return 0;
}
