import { lazy, memo, Suspense } from 'react';
import { PlainText } from './PlainText.tsx';

const Markdown = lazy(() => import('./Markdown.tsx'));

/**
 * A text that a model has written for an operator: formatted once the parser is loaded, and plain until then. Nothing of it
 * is taken for HTML, and nothing is loaded from outside.
 */
export const MarkdownText = memo(function MarkdownText({ text }: { text: string }) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
});
