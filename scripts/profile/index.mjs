// Writes which functions of the engine most of the typical pages run, and all that the page `basics` does:
// what its first part has to hold. What fewer run is in the second part, which is there soon after the first answer.
// usage: npm run profile [-- --check]
//        With --check nothing is written: it says which share of what most pages run is not in the profile, and fails
//        above 2 %.

import { toolEnvironment } from '../lib/environment.mjs';
import { runMain } from '../lib/stop.mjs';
import { readProfile, writeProfile } from './list.mjs';
import { record } from './record.mjs';

const MISSING_SHARE_MAX = 0.02;

await runMain(async () => {
  const { pages, typical } = await record(toolEnvironment());
  const isCheck = process.argv.includes('--check');
  if (!isCheck) writeProfile(typical);
  const first = readProfile();
  const isMissing = (name) => !first.has(name);
  for (const { page, known } of pages) {
    const apart = [...known].filter(isMissing).length;
    console.log(`${page}: ${known.size} functions, ${apart} of them in the second part`);
  }
  const missing = typical.filter(isMissing).sort();
  for (const name of missing) console.log(`not in the first part: ${name}`);
  console.log(
    `${missing.length} of ${typical.length} functions of most pages are not in the first part`,
  );
  return missing.length / typical.length > MISSING_SHARE_MAX ? 1 : 0;
});
