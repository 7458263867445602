// A byte-order mark is a character of the data, and not of the encoding.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Up to here it is quicker to put a text together than to call a decoder. */
const SHORT_BYTES = 24;

/** The text of `count` bytes of UTF-8. */
export function textAt(bytes: Uint8Array, start: number, count: number): string {
  if (count > SHORT_BYTES) return decoder.decode(bytes.subarray(start, start + count));
  let text = '';
  for (let at = start; at < start + count; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= 0x80) return decoder.decode(bytes.subarray(start, start + count));
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Names that were read before, each in a slot of its hash: as keys of objects, strings that are known are quicker. */
const names = new Array<string>(256).fill('');

/** The text of `count` bytes of UTF-8, one of few that come again and again. */
export function nameAt(bytes: Uint8Array, start: number, count: number): string {
  let hash = 0;
  for (let at = start; at < start + count; at += 1) hash = (hash * 31 + (bytes[at] as number)) | 0;
  const slot = hash & 0xff;
  const known = names[slot] as string;
  if (isText(known, bytes, start, count)) return known;
  const name = textAt(bytes, start, count);
  names[slot] = name;
  return name;
}

/** Whether the bytes are this text; of what is not ASCII they never are. */
function isText(text: string, bytes: Uint8Array, start: number, count: number): boolean {
  if (text.length !== count) return false;
  for (let i = 0; i < count; i += 1) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}
