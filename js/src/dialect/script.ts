import { call, type Runner } from '../calls/runner.js';
import { VarveError } from '../errors.js';
import type { DialectName, Notice, ScriptOptions, ScriptResult } from '../interface.js';
import type { ScriptLine, Translation } from '../protocol.js';
import { wasmSource } from '../start-worker.js';

/** So many faults are told in the detail of the error. */
const FAULTS_TOLD_MAX = 20;

/** Runs a script of another database: see `ScriptOptions.dialect`. */
export async function runDialectScript(
  runner: Runner,
  text: string,
  dialect: DialectName,
  options: ScriptOptions,
): Promise<ScriptResult> {
  const { signal, onNotice, partial = false } = options;
  const wasm = await wasmSource(options.dialectWasm, 'dialectWasm');
  const script = await runner.client.request('translate', { text, dialect, wasm }, { signal });
  const tell = (severity: string, { line, text: message }: ScriptLine) => {
    const notice: Notice = { severity, code: '00000', message: `line ${line}: ${message}` };
    onNotice?.(notice);
  };
  for (const remark of script.remarks) tell('NOTICE', remark);
  const ignored = script.passedOver.map(({ text: passed }) => passed);
  for (const { line, text: passed } of script.passedOver) {
    tell('NOTICE', { line, text: `${passed} changes nothing here` });
  }
  if (!partial) {
    refuseFaults(script);
    await runWhole(runner, script, signal);
    return { statements: script.statements.length, copied: 0, ignored };
  }
  for (const fault of script.faults) tell('WARNING', fault);
  let statements = 0;
  for (const { line, text: sql } of script.statements) {
    try {
      await runner.exec(call(sql, undefined, { signal, onNotice }));
      statements += 1;
    } catch (error) {
      if (!(error instanceof VarveError) || error.kind !== 'statement') throw error;
      tell('WARNING', { line, text: error.message });
    }
  }
  return { statements, copied: 0, ignored };
}

function refuseFaults({ faults }: Translation): void {
  const [first] = faults;
  if (first === undefined) return;
  const told = faults.slice(0, FAULTS_TOLD_MAX).map(({ line, text }) => `line ${line}: ${text}`);
  throw new VarveError({
    code: '0A000',
    message: told[0] ?? first.text,
    detail: told.join('\n'),
    hint: 'Nothing was loaded. The option `partial` leaves out what cannot be translated.',
  });
}

async function runWhole(
  runner: Runner,
  { statements }: Translation,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (statements.length === 0) return;
  try {
    await runner.executeBatch({ statements: statements.map(({ text }) => text), signal });
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const failed = statements[error.statementIndex ?? -1];
    if (failed === undefined) throw error;
    const { code, failure, position, detail, hint, where, table, column, constraint, dataType } =
      error;
    const more = { position, detail, hint, where, table, column, constraint, dataType };
    const message = `line ${failed.line}: ${error.message}`;
    throw new VarveError({ code, failure, message, ...more }, { query: failed.text, cause: error });
  }
}
