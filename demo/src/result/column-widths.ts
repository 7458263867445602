import type { Field } from 'varvedb';
import { formatCount } from '../ui/figures';
import type { ArrayRow } from './array-row';
import { cellText, typeName } from './cell-text';

const SAMPLE_ROWS = 200;
const WIDTH_MIN = 6;
const WIDTH_MAX = 40;
/** Room for the padding on both sides. */
const PADDING = 3;

const clamp = (length: number) => Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, length)) + PADDING;

/**
 * Widths in characters of the row number and of each column, from a sample over the whole result: fixed,
 * because a table that fits itself to the rows in sight would jump while it is scrolled.
 */
export function columnWidths(fields: readonly Field[], rows: readonly ArrayRow[]): number[] {
  const step = Math.max(1, Math.floor(rows.length / SAMPLE_ROWS));
  const widths = fields.map(({ name, dataTypeID }, place) => {
    let longest = Math.max(name.length + 1, typeName(dataTypeID).length);
    for (let index = 0; index < rows.length; index += step) {
      const text = cellText(rows[index]?.[place], dataTypeID) ?? 'NULL';
      longest = Math.max(longest, text.length);
    }
    return clamp(longest);
  });
  return [formatCount(rows.length).length + PADDING, ...widths];
}
