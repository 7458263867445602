import { expect, test } from 'vitest';
import { CallScope } from '../../src/calls/call-scope.js';
import { Gate } from '../../src/calls/gate.js';
import { Lane } from '../../src/engine/lane.js';

/** A task that notes its start and ends when told. */
function task(log: string[], name: string) {
  let end = () => {};
  const run = () => {
    log.push(name);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  return { run, end: () => end() };
}

test('calls start in order, and none while someone is inside alone', async () => {
  const log: string[] = [];
  const gate = new Gate();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => task(log, name)) as [
    ReturnType<typeof task>,
    ...ReturnType<typeof task>[],
  ];
  const all = [gate.pass(a.run), gate.alone(b?.run ?? a.run), gate.pass(c?.run ?? a.run)];
  expect(log).toEqual([]);
  gate.open();
  expect(log).toEqual(['a', 'b']);
  all.push(gate.pass(d?.run ?? a.run));
  b?.end();
  await all[1];
  expect(log).toEqual(['a', 'b', 'c', 'd']);
  for (const { end } of [a, c, d].filter((item) => item !== undefined)) end();
  await Promise.all(all);
});

test('who fails inside leaves too, and who gives up waiting is forgotten', async () => {
  const gate = new Gate();
  gate.open();
  const failing = gate.alone(() => Promise.reject(new Error('inside')));
  const controller = new AbortController();
  const waiting = gate.pass(() => Promise.resolve('never'), controller.signal);
  const next = gate.pass(() => Promise.resolve('next'));
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: '57014' });
  await expect(failing).rejects.toThrow('inside');
  expect(await next).toBe('next');
});

test('a lane runs one task at a time and stops those that wait or run', async () => {
  const log: string[] = [];
  const first = task(log, 'first');
  const lane = new Lane(() => {
    log.push('interrupt');
    first.end();
  });
  const running = lane.run(1, first.run);
  const waiting = lane.run(2, task(log, 'second').run);
  const refused = expect(waiting).rejects.toMatchObject({ code: '57014' });
  await Promise.resolve();
  lane.cancel(2);
  lane.cancel(1);
  await Promise.all([running, refused]);
  expect(log).toEqual(['first', 'interrupt']);
  await lane.drain();
});

test('a scope spans the microtasks after it was entered, and no more', async () => {
  const scope = new CallScope();
  expect(scope.isInside).toBe(false);
  scope.enter();
  await (async () => await Promise.all([Promise.resolve()]))();
  expect(scope.isInside).toBe(true);
  await new Promise((resolve) => setTimeout(resolve));
  expect(scope.isInside).toBe(false);
});
