/**
 * A text editor for templates that completes variables and marks errors. It is large, so load it lazily: `lazy(()
 * => import('…/TemplateEditor.tsx'))`.
 */
import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete';
import { type EditorState, type Extension, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, placeholder } from '@codemirror/view';
import { minimalSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import { normalizeLineEndings } from '../../platform/lineEndings.ts';
import classes from './TemplateEditor.module.css';

interface Mark {
  readonly from: number;
  readonly to: number;
  /** What is wrong, shown on hover. */
  readonly title: string;
}

interface TemplateEditorProps {
  /** Accessible name of the editor. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Variables to complete inside `{{ }}`. */
  variables: readonly string[];
  /** Returns the places in the text that are wrong. */
  findErrors: (text: string) => readonly Mark[];
  hint?: string;
}

export default function TemplateEditor({ label, value, onChange, variables, findErrors, hint }: TemplateEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor outlives a render, so it reads the latest props from a ref.
  const latest = useRef({ onChange, variables, findErrors });
  useEffect(() => {
    latest.current = { onChange, variables, findErrors };
  });
  const first = useRef({ value, label, hint });

  useEffect(() => {
    const { current: parent } = box;
    if (!parent) return undefined;
    const editor = new EditorView({
      parent,
      doc: first.current.value,
      extensions: [
        minimalSetup,
        EditorView.lineWrapping,
        // The editor is focusable anyway. Some accessibility checks require the explicit attribute.
        EditorView.contentAttributes.of({ 'aria-label': first.current.label, spellcheck: 'true', tabindex: '0' }),
        placeholder(first.current.hint ?? ''),
        autocompletion({ override: [(context) => completions(context, latest.current.variables)], icons: false }),
        markErrors((text) => latest.current.findErrors(text)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const { current: editor } = view;
    // The editor uses `\n` only, so a different line ending is not a change.
    if (!editor || editor.state.doc.toString() === normalizeLineEndings(value)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={box} className={classes.editor} />;
}

function completions(context: CompletionContext, variables: readonly string[]) {
  const typed = context.matchBefore(/[\w.]*/);
  const before = context.state.sliceDoc(Math.max(0, context.pos - 200), context.pos);
  const inside = /\{[{%][^}]*$/.test(before);
  if (!typed || !inside) return null;
  const options: Completion[] = variables.map((one) => ({ label: one, type: 'variable' }));
  return { from: typed.from, options };
}

function markErrors(findErrors: (text: string) => readonly Mark[]): Extension {
  const decorations = (state: EditorState): DecorationSet =>
    Decoration.set(
      findErrors(state.doc.toString()).map(({ from, to, title }) =>
        Decoration.mark({ class: classes.error ?? '', attributes: { title } }).range(from, to),
      ),
      true,
    );
  return StateField.define<DecorationSet>({
    create: decorations,
    update: (now, change) => (change.docChanged ? decorations(change.state) : now),
    provide: (field) => EditorView.decorations.from(field),
  });
}
