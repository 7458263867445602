/** A name as SQL spells it when it must be taken as it is. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Where a position of an error (characters, from 1) is in text that JavaScript counts in UTF-16 units, from 0. */
export function offsetOfPosition(text: string, position: number): number {
  let offset = 0;
  let left = position - 1;
  for (const character of text) {
    if (left <= 0) break;
    left -= 1;
    offset += character.length;
  }
  return offset;
}

/** The end of the word, number, string or sign that begins at `offset`. */
export function endOfToken(text: string, offset: number): number {
  const token = /^(?:[\p{L}_][\p{L}\p{N}_$]*|[\d.]+|"[^"]*"?|'[^']*'?|\S)/u.exec(
    text.slice(offset),
  );
  return offset + (token?.[0].length ?? 0);
}
