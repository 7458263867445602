import { existsSync } from 'node:fs';
import { which } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';
import { aptInstall } from './apt.mjs';

/** With these it runs as root and without a display, and asks nobody anything. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser for tests: `CHROMIUM` when set, else the first of the usual names on the path. */
export function findChromium(env = process.env) {
  if (env.CHROMIUM) {
    if (!existsSync(env.CHROMIUM)) {
      throw new Stop(`CHROMIUM names ${env.CHROMIUM}, which does not exist: correct or unset it.`);
    }
    return env.CHROMIUM;
  }
  for (const name of NAMES) {
    const path = which(name, env);
    if (path) return path;
  }
  return undefined;
}

export const chromium = {
  title: 'Chromium',
  find: findChromium,
  bring: (tools) => aptInstall(['chromium'], tools),
  cost: 'apt installs it, about 1 minute',
};
