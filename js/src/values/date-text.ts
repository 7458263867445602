/**
 * Dates and times as PostgreSQL prints them (`ISO`, time zone UTC), made from the numbers that the engine
 * sends and not from `Date`, which has neither microseconds nor all of the years.
 */

const DAY_US = 86_400_000_000n;

function digits(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

/** The greatest and the least number are no dates. */
export const DAYS_INFINITY = 2_147_483_647;
export const US_INFINITY = 9_223_372_036_854_775_807n;

/** What `count` is that is no moment: infinite, where `greatest` is the greatest count. */
export function infinite<T extends number | bigint>(count: T, greatest: T): number | undefined {
  if (count === greatest) return Number.POSITIVE_INFINITY;
  return count < -greatest ? Number.NEGATIVE_INFINITY : undefined;
}

const MOMENT = /^(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:\+00)?( BC)?$/;

/** The milliseconds since 1970 of a date or time as it is printed here, without parts of one; infinite ones too. */
export function momentMs(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', bc] =
    MOMENT.exec(text) ?? [];
  const moment = new Date(0);
  const years = Number(year);
  moment.setUTCFullYear(bc === undefined ? years : 1 - years, Number(month) - 1, Number(day));
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  return moment.setUTCHours(Number(hour), Number(minute), Number(second), ms);
}

/** `2026-01-31`, with ` BC` after years before 1. Takes days since 1970-01-01. */
export function dateText(days: number): string {
  if (days === DAYS_INFINITY) return 'infinity';
  if (days === -DAYS_INFINITY - 1) return '-infinity';
  const { text, isBc } = civil(days);
  return isBc ? `${text} BC` : text;
}

/** `2026-01-31 12:00:00.5`. Takes microseconds since 1970-01-01 00:00; `zone` goes behind the time. */
export function timestampText(us: number | bigint, zone: '' | '+00'): string {
  const all = BigInt(us);
  if (all === US_INFINITY) return 'infinity';
  if (all === -US_INFINITY - 1n) return '-infinity';
  const time = ((all % DAY_US) + DAY_US) % DAY_US;
  const { text, isBc } = civil(Number((all - time) / DAY_US));
  const seconds = Number(time / 1_000_000n);
  const fraction = Number(time % 1_000_000n);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => digits(part, 2))
    .join(':');
  const rest = fraction === 0 ? '' : `.${digits(fraction, 6).replace(/0+$/, '')}`;
  return `${text} ${clock}${rest}${zone}${isBc ? ' BC' : ''}`;
}

/** Days to year, month and day of the proleptic Gregorian calendar, in eras of 400 years from March 0. */
function civil(days: number): { text: string; isBc: boolean } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const isBc = year < 1;
  const text = `${digits(isBc ? 1 - year : year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return { text, isBc };
}
