/** The records of CSV text, as RFC 4180 has them; what follows the last line end is left out unless it is the end of the file. */
export function readRecords(text: string, delimiter: string, isWholeFile: boolean): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let isQuoted = false;
  let at = 0;
  const endRecord = () => {
    record.push(field);
    field = '';
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  while (at < text.length) {
    const character = text.charAt(at);
    at += 1;
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text.charAt(at) === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === delimiter) {
      record.push(field);
      field = '';
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text.charAt(at) === '\n') at += 1;
      endRecord();
    } else field += character;
  }
  if (isWholeFile && (field !== '' || record.length > 0)) endRecord();
  return records;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The delimiter that cuts the first lines into the most fields, all lines alike. */
export function guessDelimiter(text: string, isWholeFile: boolean): string {
  let best = ',';
  let fieldsMost = 1;
  for (const delimiter of DELIMITERS) {
    const lines = readRecords(text, delimiter, isWholeFile).slice(0, 20);
    const fields = lines[0]?.length ?? 0;
    if (fields > fieldsMost && lines.every((line) => line.length === fields)) {
      best = delimiter;
      fieldsMost = fields;
    }
  }
  return best;
}
