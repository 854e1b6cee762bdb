import { Group, Stack, Text } from '@mantine/core';
import { type Dialogue, dialogues } from '../../conversations/contract.ts';
import { MessageStatusIcon } from '../../conversations/pages/shared/status.tsx';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import type { Lead } from '../contract.ts';
import { leadDialoguesArgs } from './leadQueries.ts';

/** The dialogues with a lead, most recent message first. */
export function LeadDialogues({ lead }: { lead: Lead }) {
  const list = useEndpoint(dialogues.list, leadDialoguesArgs(lead.id));
  return (
    <Section title={t('Dialogues')}>
      <QueryList query={list} entity={t(dialogues.plural)}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map((dialogue) => (
              <div key={dialogue.id}>
                <Group gap="xs" justify="space-between">
                  <Text size="sm">
                    <PageLink to="dialogue-chat" params={{ dialogueId: dialogue.id, dialogueName: dialogue.lead_name }}>
                      {t('{{contact}} on {{channel}}', { contact: dialogue.contact, channel: dialogue.channel_name })}
                    </PageLink>
                  </Text>
                  <Text size="xs" c="dimmed">
                    <DualTimestamp iso={dialogue.last_msg_created_at} zone={lead.timezone} />
                  </Text>
                </Group>
                <Text size="sm" c="dimmed" lineClamp={1}>
                  <LastMessage dialogue={dialogue} />
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </QueryList>
    </Section>
  );
}

function LastMessage({ dialogue }: { dialogue: Dialogue }) {
  const { no_answer: noAnswer, last_message: lastMessage, last_message_trouble: deliveryFailure } = dialogue;
  if (noAnswer !== null) return noAnswer;
  if (lastMessage === null) return t('No messages yet');
  return (
    <>
      {deliveryFailure !== null && <MessageStatusIcon status={deliveryFailure} />} <PlainText text={lastMessage} />
    </>
  );
}
