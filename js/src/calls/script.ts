import { VarveError } from '../errors.js';
import type { Notice, ScriptOptions, ScriptResult } from '../interface.js';
import { copyInto } from '../load/copy.js';
import { call, type Runner } from './runner.js';

/** What a script is cut into: text in quotes or a comment, an opening of one, a word, or a character. */
const TOKEN =
  /--[^\n]*|[eE]'(?:[^'\\]|\\[\s\S]|'')*'?|'[^']*'?|"[^"]*"?|\/\*|\$(?:[\p{L}_][\p{L}\d_]*)?\$|[\p{L}_][\p{L}\d_$]*|[\s\S]/uy;

/** Commands of psql that change only what it prints, or where it connects to. */
const IGNORED = new Set(
  'a c conninfo connect encoding f o pset r reset restrict t timing unrestrict unset x'.split(' '),
);

/** A piece of a script. */
type Part =
  | { readonly sql: string }
  | { readonly copy: string; readonly data: string }
  | { readonly command: string; readonly rest: string; readonly line: number };

/** Runs a script of psql's: see `Database.execScript`. */
export async function runScript(
  runner: Runner,
  text: string,
  options: ScriptOptions,
): Promise<ScriptResult> {
  const ignored: string[] = [];
  let copied = 0;
  let statements = 0;
  const tell = (notice: Notice) => options.onNotice?.(notice);
  for (const part of parts(text)) {
    if ('sql' in part) {
      const { signal, onNotice } = options;
      statements += (await runner.exec(call(part.sql, undefined, { signal, onNotice }))).length;
    } else if ('copy' in part) {
      const { signal } = options;
      const copy = { sql: part.copy, source: part.data, options: { signal } };
      copied += (await copyInto(runner.client, copy)).rowCount;
      statements += 1;
    } else {
      const { command, rest, line } = part;
      const written = `\\${command} ${rest}`.trim();
      if (command === 'q' || command === 'quit') break;
      if (command === 'echo' || command === 'qecho' || command === 'warn') {
        tell({ severity: 'INFO', code: '00000', message: rest.replaceAll("'", '') });
      } else if (IGNORED.has(command) || (command === 'set' && /^[A-Z_]*\b/.exec(rest)?.[0])) {
        ignored.push(written);
        tell({ severity: 'NOTICE', code: '00000', message: `${written} changes nothing here` });
      } else {
        throw new VarveError({
          code: '0A000',
          message: `line ${line}: the command \\${command} is not supported`,
        });
      }
    }
  }
  return { statements, copied, ignored };
}

/** Cuts a script: statements that stand together, COPY with its data, and commands. */
function* parts(text: string): Generator<Part> {
  let from = 0;
  let at = 0;
  let depth = 0;
  /** The first word of the statement, the last one, and whether FROM STDIN has come. */
  let first = '';
  let last = '';
  let readsInput = false;
  /** Where the statement begins. */
  let begin = 0;

  const upTo = (until: number): Part[] => {
    const sql = text.slice(from, until);
    return sql.trim() === '' ? [] : [{ sql }];
  };

  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? text.charAt(at);
    const begins = at;
    at += token.length;
    if (token === '/*') {
      at = commentEnd(text, at);
    } else if (token.length > 1 && token.startsWith('$')) {
      const close = text.indexOf(token, at);
      at = close < 0 ? text.length : close + token.length;
    } else if (token === '(' || token === ')') {
      depth = Math.max(0, depth + (token === '(' ? 1 : -1));
    } else if (token === '\\') {
      yield* upTo(begins);
      const until = lineEnd(text, at);
      const [, command = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text.slice(at, until)) ?? [];
      yield {
        command: command.replace(/;$/, ''),
        rest: rest.trim().replace(/;$/, ''),
        line: text.slice(0, begins).split('\n').length,
      };
      from = at = begin = until;
      first = last = '';
    } else if (token === ';' && depth === 0) {
      if (readsInput) {
        yield* upTo(begin);
        const data = Math.min(text.length, lineEnd(text, at) + 1);
        const close = /^\\\.\r?$/gm;
        close.lastIndex = data;
        const found = close.exec(text);
        const until = found?.index ?? text.length;
        yield { copy: text.slice(begin, at), data: text.slice(data, until) };
        from = at = lineEnd(text, until);
      }
      begin = at;
      first = last = '';
      readsInput = false;
    } else if (/^[\p{L}_]/u.test(token) && depth === 0 && !token.endsWith("'")) {
      const word = token.toLowerCase();
      first ||= word;
      readsInput ||= first === 'copy' && last === 'from' && word === 'stdin';
      last = word;
    }
  }
  yield* upTo(text.length);
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Where a comment ends that has begun; comments stand within comments. */
function commentEnd(text: string, at: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = at;
  for (let depth = 1; depth > 0; ) {
    const found = mark.exec(text);
    if (found === null) return text.length;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return mark.lastIndex;
}
