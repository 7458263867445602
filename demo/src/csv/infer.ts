/** The types that the demo offers for a column, the narrowest first. */
export const COLUMN_TYPES = [
  'BOOLEAN',
  'INT',
  'BIGINT',
  'DOUBLE PRECISION',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'TEXT',
] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface ColumnPlan {
  readonly name: string;
  readonly type: ColumnType;
}

/** What a sample of a CSV file says about the table that it would make. */
export interface TablePlan {
  readonly columns: readonly ColumnPlan[];
  /** The text that stands for NULL. */
  readonly nullText: string;
}

const NULL_TEXTS = ['NA', 'NULL', '\\N', 'N/A'];

const time = String.raw`[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?`;

/** Later types are tried only when earlier ones do not fit all values. */
const PATTERNS: readonly (readonly [ColumnType, RegExp])[] = [
  ['BOOLEAN', /^(?:true|false|t|f)$/i],
  // A number with a leading zero, such as a postcode, is text; INT is left to whoever knows the data.
  ['BIGINT', /^-?(?:0|[1-9]\d{0,17})$/],
  // Longer integers would lose digits, and are more likely names of something.
  ['DOUBLE PRECISION', /^-?(?:(?:0|[1-9]\d{0,14})(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i],
  ['DATE', /^\d{4}-\d{2}-\d{2}$/],
  ['TIMESTAMP', new RegExp(`^\\d{4}-\\d{2}-\\d{2}${time}$`)],
  ['TIMESTAMPTZ', new RegExp(`^\\d{4}-\\d{2}-\\d{2}${time} ?(?:Z|[-+]\\d{2}(?::?\\d{2})?)$`)],
];

function inferType(values: readonly string[]): ColumnType {
  if (values.length === 0) return 'TEXT';
  for (const [type, pattern] of PATTERNS) {
    if (values.every((value) => pattern.test(value))) return type;
  }
  return 'TEXT';
}

/** A name that needs no quotes in SQL, made of what the header says. */
export function columnName(title: string, ordinal: number): string {
  const name = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (name === '') return `column_${ordinal}`;
  return /^\d/.test(name) ? `_${name}` : name;
}

function distinctNames(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title, index) => {
    const base = columnName(title, index + 1);
    let name = base;
    for (let copy = 2; taken.has(name); copy += 1) name = `${base}_${copy}`;
    taken.add(name);
    return name;
  });
}

/** Column names from the header, and for each the narrowest type that all sampled values have. */
export function inferTable(header: readonly string[], sample: readonly string[][]): TablePlan {
  const nullText = NULL_TEXTS.find((text) => sample.some((record) => record.includes(text))) ?? '';
  const columns = distinctNames(header).map((name, index) => {
    const values = sample
      .map((record) => record[index] ?? '')
      .filter((value) => value !== '' && value !== nullText);
    // An empty field is NULL only where it is the marker; elsewhere it is a text, which no number column takes.
    const hasEmpty = nullText !== '' && sample.some((record) => record[index] === '');
    return { name, type: hasEmpty ? 'TEXT' : inferType(values) };
  });
  return { columns, nullText };
}
