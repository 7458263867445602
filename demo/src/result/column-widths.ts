import type { Field } from 'varvedb';
import { formatCount } from '../ui/figures';
import type { ArrayRow } from './array-row';
import { cellText, typeName } from './cell-text';

const SAMPLE_ROWS = 200;
const WIDTH_MIN = 6;
const WIDTH_MAX = 40;
/** A plan, or one long text: nothing else needs the room. */
const SINGLE_WIDTH_MAX = 200;
/** Room for the padding on both sides. */
const PADDING = 3;

/**
 * Widths in characters of the row number and of each column, from a sample over the whole result: fixed,
 * because a table that fits itself to the rows in sight would jump while it is scrolled.
 */
export function columnWidths(fields: readonly Field[], rows: readonly ArrayRow[]): number[] {
  const most = fields.length === 1 ? SINGLE_WIDTH_MAX : WIDTH_MAX;
  const step = Math.max(1, Math.floor(rows.length / SAMPLE_ROWS));
  const widths = fields.map(({ name, dataTypeID }, place) => {
    let longest = Math.max(name.length + 1, typeName(dataTypeID).length);
    for (let index = 0; index < rows.length; index += step) {
      const text = cellText(rows[index]?.[place], dataTypeID) ?? 'NULL';
      longest = Math.max(longest, text.length);
    }
    return Math.min(most, Math.max(WIDTH_MIN, longest)) + PADDING;
  });
  return [formatCount(rows.length).length + PADDING, ...widths];
}
