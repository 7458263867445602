/** OIDs of PostgreSQL's types, as the fields of a result carry them. */
const OID = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
} as const;

const NAMES = new Map<number, string>([
  [OID.bool, 'boolean'],
  [OID.int8, 'bigint'],
  [OID.int2, 'smallint'],
  [OID.int4, 'int'],
  [OID.text, 'text'],
  [OID.float4, 'real'],
  [OID.float8, 'double'],
  [OID.date, 'date'],
  [OID.timestamp, 'timestamp'],
  [OID.timestamptz, 'timestamptz'],
  [OID.numeric, 'numeric'],
]);

const NUMBERS = new Set<number>([
  OID.int2,
  OID.int4,
  OID.int8,
  OID.float4,
  OID.float8,
  OID.numeric,
]);

/** Longer text is cut: a cell shows one line, and layout pays for every character. */
const CELL_LENGTH_MAX = 300;

export function typeName(dataTypeID: number): string {
  return NAMES.get(dataTypeID) ?? '';
}

export function isNumeric(dataTypeID: number): boolean {
  return NUMBERS.has(dataTypeID);
}

function formatDate(date: Date, dataTypeID: number): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  if (dataTypeID === OID.date) return day;
  const shown = time.replace(/(?:\.000)?Z$/, '');
  return dataTypeID === OID.timestamp ? `${day} ${shown}` : `${day} ${shown}+00`;
}

/** A value as one line of text; NULL has none. */
export function cellText(value: unknown, dataTypeID: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? 'infinity' : formatDate(value, dataTypeID);
  }
  const whole = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = whole.replaceAll('\n', '↵');
  return text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX)}…` : text;
}
