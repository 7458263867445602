/** OIDs of the types, as they stand in `Field.dataTypeID` and as keys of `Parsers`. */
export const types = Object.freeze({
  BOOL: 16,
  INT8: 20,
  INT4: 23,
  TEXT: 25,
  FLOAT8: 701,
  DATE: 1082,
  TIMESTAMP: 1114,
  TIMESTAMPTZ: 1184,
});
