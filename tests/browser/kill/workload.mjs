/** What transaction number `token` does, given which there are before it; the page does it, the test foretells it. */

/** Keys of a transaction begin at its number times this. */
export const KEYS = 100_000;

/** The same numbers for the same token, everywhere. */
function mixed(token) {
  let z = (token + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}

/** Work, what follows it, and how durable the commit is. */
export function work(token) {
  const chance = mixed(token);
  const durability = chance % 3 === 0 ? 'strict' : 'relaxed';
  const after = token % 6 === 3 ? 'flush' : token % 6 === 5 ? 'compaction' : undefined;
  if (token % 6 === 0) return { kind: 'load', count: 4000 + (chance % 8000), durability, after };
  const other = 1 + (chance % Math.max(1, token - 1));
  const kind = ['insert', 'insert', 'update', 'delete'][(chance >>> 8) % 4];
  return { kind, other, count: 1 + ((chance >>> 4) % 300), durability, after };
}

/**
 * The rows after `token`, as groups: how many rows with keys of one transaction another one wrote last.
 * Even and odd keys are apart, since updates and deletes take one kind each.
 */
export function apply(groups, token) {
  const { kind, other, count } = work(token);
  if (kind === 'insert' || kind === 'load') {
    groups.set(`${token} 0 ${token}`, Math.ceil(count / 2));
    if (count > 1) groups.set(`${token} 1 ${token}`, Math.floor(count / 2));
    return;
  }
  const parity = kind === 'update' ? 0 : 1;
  let moved = 0;
  for (const [name, rows] of groups) {
    if (!name.startsWith(`${other} ${parity} `)) continue;
    moved += rows;
    groups.delete(name);
  }
  if (kind === 'update' && moved > 0) groups.set(`${other} 0 ${token}`, moved);
}
