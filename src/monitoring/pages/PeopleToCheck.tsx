/** Dialogues that may be with one person, or hold messages of several chats: somebody has to look at them. */
import { Text } from '@mantine/core';
import { listOpenLinks } from '../../conversations/linksContract.ts';
import { LinkNotices } from '../../conversations/pages/shared/LinkNotices.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import classes from './system.module.css';

export function PeopleToCheck() {
  const links = useEndpoint(listOpenLinks, {});
  if (links.error) return <Failure error={links.error} onRetry={() => links.refetch()} />;
  if (links.data === undefined || links.data.length === 0) return null;
  return (
    <Section title={t('Dialogues to check')}>
      <ul className={classes.rows}>
        {links.data.map((link) => (
          <li key={link.id}>
            <Text size="sm" mb="xs">
              <PageLink to="dialogue-chat" params={{ dialogueId: link.dialogue_id }}>
                {link.lead_name}
              </PageLink>
            </Text>
            <LinkNotices links={[link]} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
