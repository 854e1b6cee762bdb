/** A link to a page of the console. Navigates in place, and opens in a new tab like any other link. */
import { Anchor } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { hrefOf, type PageParams, usePage } from './page.ts';

interface PageLinkProps {
  to: string;
  params?: PageParams;
  /** The link is inside a sentence and is underlined, so that colour is not its only mark. */
  inText?: boolean;
  children: ReactNode;
}

/** Return whether a click on a link should navigate this tab. */
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
