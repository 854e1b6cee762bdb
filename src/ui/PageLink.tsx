/** A link to a page of the console: opens in place, and in a new tab as any link does. */
import { Anchor } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { hrefOf, type PageParams, usePage } from './page.ts';

interface PageLinkProps {
  to: string;
  params?: PageParams;
  /** Within a sentence: known as a link by more than its colour. */
  inText?: boolean;
  children: ReactNode;
}

/** Whether a click on a link is meant for this tab. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
}

export function PageLink({ to, params = {}, inText = false, children }: PageLinkProps) {
  const { go } = usePage();
  return (
    <Anchor
      href={hrefOf(to, params)}
      inherit
      underline={inText ? 'always' : 'hover'}
      onClick={(event) => {
        event.stopPropagation();
        if (!isPlainClick(event)) return;
        event.preventDefault();
        go(to, params);
      }}
    >
      {children}
    </Anchor>
  );
}
