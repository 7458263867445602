import { expect, test } from './demo/fixtures';
import { fuzzIn } from './jsfuzz/run.mjs';

const { VARVEDB_TESTS } = process.env;
const CALLS = VARVEDB_TESTS === 'full' ? 100_000 : 3_000;

test(`${CALLS} calls with values of any kind settle, and the database answers on`, async ({
  profile,
}) => {
  test.setTimeout(60_000 + CALLS * 20);
  await profile.open();
  const { problems, answered, refused } = await fuzzIn(profile.context, {
    seed: 7,
    calls: CALLS,
    plant: undefined,
  });
  expect(problems).toEqual([]);
  expect(answered).toBeGreaterThan(CALLS / 20);
  expect(refused).toBeGreaterThan(CALLS / 4);
});

for (const plant of ['unchecked text', 'a rejection of another kind']) {
  test(`a planted fault is found: ${plant}`, async ({ profile }) => {
    await profile.open();
    const { problems } = await fuzzIn(profile.context, { seed: 7, calls: 500, plant });
    expect(problems).not.toEqual([]);
  });
}
