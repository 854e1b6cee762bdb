/** What a page shows that is announced and not built yet. */
import { Notice } from '../kit/Notice.tsx';
import { PageFrame } from '../kit/PageFrame.tsx';
import { usePageContext } from '../kit/pageContext.ts';
import { t } from '../kit/t.ts';

export function NotBuilt({ title }: { title: string }) {
  const heading = t(title);
  usePageContext({
    description: t('The page {{title}}. It is not built yet.', { title: heading }),
    summary: '',
    tools: [],
  });
  return (
    <PageFrame title={heading} fill>
      <Notice title={t('Not built yet')} text={t('{{title}} comes with a later version.', { title: heading })} />
    </PageFrame>
  );
}
