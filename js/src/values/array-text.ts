/**
 * The arrays in PostgreSQL's text form, `{1,{"a b",NULL}}`; `element` makes a value of an element's
 * text. Bounds before the braces are left out.
 */
export function parseArray(text: string, element: (text: string) => unknown): unknown[] {
  let at = text.indexOf('{') + 1;

  function items(): unknown[] {
    const values: unknown[] = [];
    for (; at < text.length; at += 1) {
      const character = text[at];
      if (character === '}') return values;
      if (character === '{') {
        at += 1;
        values.push(items());
      } else if (character === '"') {
        values.push(element(quoted()));
      } else if (character !== ',') {
        values.push(plain());
      }
    }
    return values;
  }

  function quoted(): string {
    let item = '';
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      item += text[at];
    }
    return item;
  }

  function plain(): unknown {
    const start = at;
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at += 1;
    const item = text.slice(start, at);
    at -= 1;
    return item === 'NULL' ? null : element(item);
  }

  return items();
}

/**
 * Parses `float8[]` and `float4[]` into a typed array, as `parsers: { [types.FLOAT8_ARRAY]: float64Array }`. Arrays of
 * more dimensions and NULLs have no place in one.
 *
 * @throws RangeError for them
 */
export function float64Array(text: string): Float64Array {
  const values = parseArray(text, Number);
  if (!values.every((value) => typeof value === 'number')) {
    throw new RangeError('a Float64Array holds no NULL and no second dimension');
  }
  return Float64Array.from(values);
}

/** An array as PostgreSQL reads it; `element` gives the text of an element that is no array. */
export function arrayText(values: readonly unknown[], element: (value: unknown) => string): string {
  // Not `map`, which leaves holes out.
  const items = Array.from(values, (value) => {
    if (value === null || value === undefined) return 'NULL';
    if (Array.isArray(value)) return arrayText(value, element);
    return `"${element(value).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}
