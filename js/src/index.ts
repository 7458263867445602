export { VarveDB } from './database.js';
export {
  type ClientErrorCode,
  type ErrorCode,
  type ErrorFields,
  type ErrorKind,
  VarveError,
} from './errors.js';
export type {
  CopyOptions,
  CopyProgress,
  CopyResult,
  CopySource,
  Database,
  Durability,
  Field,
  Notice,
  Parser,
  Parsers,
  Queryable,
  QueryOptions,
  Results,
  Row,
  RowMode,
  Transaction,
  VarveDBOptions,
} from './interface.js';
export { types } from './types.js';
