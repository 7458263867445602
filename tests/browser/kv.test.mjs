// The IndexedDB backend in a real Chromium with a profile on disk: the suite of varve-kv, and what only a browser does to a connection.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { Browser } from './kv/browser.mjs';
import { buildSuite } from './kv/build.mjs';
import { serve } from './kv/serve.mjs';

/** @type {Browser} */
let browser;
let server;
let suite;

before(async () => {
  suite = await buildSuite();
  server = await serve([join(import.meta.dirname, 'kv'), suite]);
  browser = new Browser(`http://127.0.0.1:${server.address().port}/page.html`);
  await browser.start();
});

after(async () => {
  await browser?.remove();
  server?.close();
  if (suite) rmSync(suite, { recursive: true, force: true });
});

afterEach(async () => {
  assert.deepEqual(await browser.run(() => kit.problems.splice(0)), [], 'a handler threw');
});

for (const isEncrypted of [false, true]) {
  test(`the conformance suite${isEncrypted ? ', with values encrypted' : ''}`, async (suiteTest) => {
    const names = await browser.run(() => kit.caseNames());
    assert.ok(names.length > 25);
    const run = ([name, encrypted]) => kit.runCase(name, encrypted);
    for (const name of names) {
      await suiteTest.test(name, async () => {
        assert.equal(await browser.run(run, [name, isEncrypted]), undefined);
      });
    }
  });
}

test('WebCrypto gives the same bytes as the native ciphers', async () => {
  const native = readFileSync(
    join(import.meta.dirname, '../../crates/varve-kv-encrypted/tests/known_answers.txt'),
    'utf8',
  );
  const answers = await browser.run(() => kit.knownAnswers());
  assert.deepEqual(answers, native.trimEnd().split('\n'));
});

test('a connection closed under its user is reopened by the next call', async () => {
  const found = await browser.run(async () => {
    const store = await kit.Store.open('closed-under');
    await store.put('a', [1], true);
    const close = () => {
      for (const each of kit.connections) each.close();
    };
    const opened = kit.connections.length;
    const found = [];
    close();
    found.push([...(await store.get('a'))]);
    close();
    await store.put('b', [2], false);
    close();
    found.push(await store.count('', false));
    close();
    found.push(await store.count('', true));
    // Several calls at once that all find the connection lost.
    close();
    const calls = Array.from({ length: 8 }, (_, n) => store.put(`c${n}`, [n], false));
    await Promise.all(calls);
    found.push(await store.count('c', false));
    found.push(kit.connections.length > opened);
    await store.close();
    return found;
  });
  assert.deepEqual(found, [[1], 2, 2, 8, true]);
});

test('connections that the browser closes by force lose no call and no order', async () => {
  await browser.run(async () => {
    self.forced = await kit.Store.open('forced');
    await self.forced.put('n', [0, 0], true);
    self.opened = kit.connections.length;
  });
  const work = browser.run(async () => {
    const found = [];
    for (let n = 1; n <= 1000; n += 1) {
      const value = (number) => Uint8Array.of(number >> 8, number & 255);
      // Each commit counts on by one and is guarded by the count before: a lost or doubled one would show.
      await self.forced.putIf('n', value(n - 1), 'n', value(n));
      if (n % 10 === 0) found.push(await self.forced.count('', n % 20 === 0));
    }
    return [found.every((count) => count === 1), ...(await self.forced.get('n'))];
  });
  const closes = await browser.forceCloseDuring(work);
  assert.ok(closes > 3, `${closes} forced closes`);
  assert.deepEqual(await work, [true, 3, 1000 & 255]);
  const reopened = await browser.run(async () => {
    await self.forced.close();
    return kit.connections.length - self.opened;
  });
  assert.ok(reopened > 3, `${reopened} connections reopened`);
});

test('another connection that wants a higher version gets it, and calls go on', async () => {
  const found = await browser.run(async () => {
    const store = await kit.Store.open('upgraded');
    await store.put('a', [1], true);
    const upgrade = (version) =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('upgraded', version);
        request.onsuccess = () => resolve(request.result.close());
        request.onerror = () => reject(request.error);
        request.onblocked = () => reject(new Error('blocked'));
      });
    const busy = Array.from({ length: 20 }, (_, n) => store.put(`b${n}`, [n], false));
    await upgrade(7);
    await Promise.all(busy);
    const found = [[...(await store.get('a'))], await store.count('b', false)];
    await Promise.all([upgrade(8), store.put('c', [3], true)]);
    found.push([...(await store.get('c'))]);
    await store.close();
    const again = await kit.Store.open('upgraded');
    found.push(await again.count('', false));
    await again.close();
    return found;
  });
  assert.deepEqual(found, [[1], 20, [3], 22]);
});

test('a deleted database does not come back as an empty one', async () => {
  const found = await browser.run(async () => {
    const store = await kit.Store.open('deleted');
    await store.put('a', [1], true);
    await kit.destroy('deleted');
    const answer = (promise) => promise.then(String, (error) => error.message);
    const found = [await answer(store.get('a')), await answer(store.put('b', [1], true))];
    const names = (await indexedDB.databases()).map((each) => each.name);
    found.push(names.includes('deleted'));
    await store.close();
    const again = await kit.Store.open('deleted');
    found.push(await again.count('', false));
    await again.close();
    await kit.destroy('deleted');
    await kit.destroy('never-there');
    return found;
  });
  const unavailable = 'the storage is unavailable: the database was deleted';
  assert.deepEqual(found, [unavailable, unavailable, false, 0]);
});

test('a guard holds even when nobody waits for its commit any more', async () => {
  const found = await browser.run(async () => {
    const store = await kit.Store.open('dropped');
    await store.put('epoch', [1], true);
    store.putIfAndForget('epoch', [0], 'stale', [1]);
    store.putIfAndForget('epoch', [1], 'fresh', [1]);
    const found = [await store.count('stale', false), await store.count('fresh', false)];
    await store.close();
    return found;
  });
  assert.deepEqual(found, [0, 1]);
});

test('a database of another program is refused', async () => {
  const message = await browser.run(async () => {
    await new Promise((resolve) => {
      const request = indexedDB.open('foreign', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('theirs');
      request.onsuccess = () => resolve(request.result.close());
    });
    return kit.Store.open('foreign').then(String, (error) => error.message);
  });
  assert.match(message, /made by another program/);
});

test('a full quota aborts the commit, writes nothing, and deletes still work', async () => {
  const usual = browser.page;
  const origin = `http://quota.localhost:${server.address().port}`;
  await browser.load(`${origin}/page.html`);
  // Chromium asks for what is left before the first commit of an origin and then reckons with that for a while.
  const devtools = await browser.devtools();
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 12 << 20 });
  const found = await browser.run(async () => {
    const store = await kit.Store.open('quota');
    await store.putMany('old', 8, 1 << 20, true);
    const answer = (promise) => promise.then(String, (error) => error.message);
    const found = [];
    for (const isStrict of [true, false]) {
      found.push(await answer(store.putMany('new', 16, 1 << 20, isStrict)));
      found.push(await answer(store.putMany('small', 8192, 2048, isStrict)));
    }
    found.push(await store.count('', false));
    await store.clear();
    found.push(await store.count('', true));
    await store.put('after', [1], true);
    found.push(await store.count('', true));
    await store.close();
    return found;
  });
  await browser.page.close();
  browser.page = usual;
  const full = 'the storage is full';
  assert.deepEqual(found, [full, full, full, full, 8, 0, 1]);
});

test('what was committed is there after the browser was closed, and after it was killed', async () => {
  await browser.run(async () => {
    const store = await kit.Store.open('kept');
    await store.putMany('closed', 20, 100_000, false);
  });
  await browser.stop();
  await browser.start();
  const afterStop = await browser.run(async () => {
    const store = await kit.Store.open('kept');
    await store.putMany('killed', 20, 100_000, true);
    await store.putIf('killed00000000', await store.get('killed00000000'), 'head', [7]);
    // Still under way when the browser dies: it must be there whole or not at all.
    store.putMany('torn', 500, 10_000, false).catch(() => {});
    return store.count('closed', false);
  });
  assert.equal(afterStop, 20);
  await browser.kill();
  await browser.start();
  const afterKill = await browser.run(async () => {
    const store = await kit.Store.open('kept');
    const counts = [];
    for (const prefix of ['closed', 'killed', 'head', 'torn'])
      counts.push(await store.count(prefix, true));
    await store.close();
    return counts;
  });
  assert.deepEqual(afterKill.slice(0, 3), [20, 20, 1]);
  assert.ok([0, 500].includes(afterKill[3]), `${afterKill[3]} of 500`);
});

test('a large value whose file is gone is named, and everything else is readable', async () => {
  await browser.run(async () => {
    const store = await kit.Store.open('lost-file');
    await store.put('small', [1], true);
  });
  const before = new Set(browser.largeValueFiles());
  await browser.run(async () => {
    const store = await kit.Store.open('lost-file');
    await store.putMany('big', 1, 200_000, true);
  });
  await browser.kill();
  for (const file of browser.largeValueFiles().filter((each) => !before.has(each))) rmSync(file);
  await browser.start();
  const found = await browser.run(async () => {
    const store = await kit.Store.open('lost-file');
    const answer = (promise) => promise.then(String, (error) => error.message);
    const found = [await answer(store.get('small')), await answer(store.get('big00000000'))];
    found.push(await answer(store.count('', false)), await answer(store.count('', true)));
    await store.put('big00000000', [2], true);
    found.push(await answer(store.count('', false)));
    return found;
  });
  assert.equal(found[0], '1');
  assert.match(found[1], /^the value of key x'6269673030303030303030' cannot be read: /);
  assert.match(found[2], /^the storage cannot be read: /);
  assert.match(found[3], /^the storage cannot be read: /);
  assert.equal(found[4], '2');
});
