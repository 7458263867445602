export { VarveDB } from './database.js';
export {
  type ClientErrorCode,
  type ErrorCode,
  type ErrorFields,
  type ErrorKind,
  VarveError,
} from './errors.js';
export type {
  BatchOptions,
  CheckReport,
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
  RepairReport,
  Results,
  Row,
  RowMode,
  Transaction,
  VarveDBOptions,
} from './interface.js';
export { types } from './types.js';
