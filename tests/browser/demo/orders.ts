import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { SplitMix } from './split-mix';

const SEED = 42 + 13;

const STATUSES = [
  ['new', 5],
  ['paid', 10],
  ['packed', 10],
  ['shipped', 15],
  ['delivered', 55],
  ['returned', 5],
] as const;

const DOMAINS = [
  ['gmail.com', 40],
  ['yahoo.com', 20],
  ['hotmail.com', 18],
  ['outlook.com', 12],
  ['icloud.com', 5],
  ['example.org', 5],
] as const;

const words = (text: string) => text.split(' ');

const REGIONS = words('north south east west centre coast hills islands');
const FIRST_NAMES = words(
  'ada ben cleo dan eva finn gwen hal ida jon kim leo mia ned ola pia quin ron sue tom',
);
const LAST_NAMES = words(
  'ames bell cole dean ellis ford gray hill ives jones kent lane moss nash owen pike reed shaw todd west',
);
const NOTE_WORDS = words(
  'call before delivery leave at door ring twice gift wrap please no substitutes fragile handle with care urgent second floor back gate friend will collect paid in cash',
);

export interface Order {
  readonly id: number;
  readonly ts: number;
  readonly customerId: number;
  readonly status: string;
  readonly region: string;
  readonly email: string;
  readonly price: number;
  readonly note: string | undefined;
}

function pickOf(random: SplitMix, list: readonly string[]): string {
  return list[random.below(list.length)] ?? '';
}

function note(random: SplitMix): string | undefined {
  if (random.below(100) < 60) return undefined;
  let text = pickOf(random, NOTE_WORDS);
  while (text.length < 36) text += ` ${pickOf(random, NOTE_WORDS)}`;
  return text;
}

/** The data set "orders": some columns in order, some skewed, one unique, one often NULL. */
export function* orders(count: number): Generator<Order> {
  const random = new SplitMix(SEED);
  for (let row = 0; row < count; row += 1) {
    const ts = 1_700_000_000_000 + 50 * row + random.below(50);
    const customerId = 1 + random.below(count / 10);
    const status = random.pick(STATUSES);
    const name = `${pickOf(random, FIRST_NAMES)}.${pickOf(random, LAST_NAMES)}${row.toString(36)}`;
    const email = `${name}@${random.pick(DOMAINS)}`;
    const price = Math.round((5 + 995 * random.unit() ** 3) * 100) / 100;
    const region = REGIONS[Math.floor(row / 1000) % REGIONS.length] ?? '';
    yield { id: row + 1, ts, customerId, status, region, email, price, note: note(random) };
  }
}

/** Writes them as CSV; `look` sees every row, to compute what queries shall answer. */
export async function writeOrdersCsv(
  path: string,
  count: number,
  look: (order: Order) => void = () => {},
): Promise<void> {
  const file = createWriteStream(path);
  file.write('id,ts,customer_id,status,region,email,price,note\n');
  let lines: string[] = [];
  for (const order of orders(count)) {
    look(order);
    lines.push(`${Object.values(order).join(',')}\n`);
    if (lines.length < 10_000) continue;
    if (!file.write(lines.join(''))) await once(file, 'drain');
    lines = [];
  }
  file.end(lines.join(''));
  await once(file, 'finish');
}
