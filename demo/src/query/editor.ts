import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import { endOfToken } from '../sql-text';
import { editorTheme } from './editor-theme';

/** The tables and columns that completion offers. */
export type Schema = Readonly<Record<string, readonly string[]>>;

function language(schema: SQLNamespace) {
  return sql({ dialect: PostgreSQL, schema, upperCaseKeywords: true });
}

/** The SQL text: Ctrl or Cmd with Enter runs it, and an error is underlined where it is. */
export class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();

  constructor(parent: HTMLElement, onRun: () => void) {
    const run = () => {
      onRun();
      return true;
    };
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          // Before the default keys, where Mod-Enter inserts a line. Tab stays free to leave the editor.
          keymap.of([{ key: 'Mod-Enter', run }]),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          history(),
          drawSelection(isStill ? { cursorBlinkRate: 0 } : {}),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            'aria-label': 'SQL',
            'aria-describedby': 'query-error',
            spellcheck: 'false',
          }),
          // A mark belongs to the text that was run; it would be wrong for any other.
          EditorView.updateListener.of((update) => {
            if (update.docChanged) this.clearError();
          }),
          this.#language.of(language({})),
          editorTheme,
        ],
      }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set text(text: string) {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  /** What shall run, and where it begins: the selection, or everything when nothing is selected. */
  get chosen(): { readonly text: string; readonly offset: number } {
    const { from, to, empty } = this.#view.state.selection.main;
    if (empty) return { text: this.text, offset: 0 };
    return { text: this.#view.state.sliceDoc(from, to), offset: from };
  }

  offerSchema(schema: Schema): void {
    this.#view.dispatch({ effects: this.#language.reconfigure(language(schema)) });
  }

  /** Underlines the token at `offset` and gives its line and column, both from 1. */
  showError(offset: number, message: string): { readonly line: number; readonly column: number } {
    const { doc } = this.#view.state;
    const from = Math.min(offset, doc.length);
    const to = Math.min(endOfToken(this.text, from), doc.length);
    this.#view.dispatch(
      setDiagnostics(this.#view.state, [{ from, to, severity: 'error', message }]),
    );
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from) });
    const line = doc.lineAt(from);
    return { line: line.number, column: from - line.from + 1 };
  }

  clearError(): void {
    this.#view.dispatch(setDiagnostics(this.#view.state, []));
  }

  focus(): void {
    this.#view.focus();
  }
}
