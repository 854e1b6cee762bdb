import { Group, Stack, Text } from '@mantine/core';
import { type Dialogue, dialogues } from '../../dialogues/contract.ts';
import { MessageStatusIcon } from '../../dialogues/pages/status.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { PlainText } from '../../kit/PlainText.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import type { Lead } from '../contract.ts';
import { dialoguesOfLead } from './talks.ts';

/** The dialogues with a lead, the one that spoke last first. */
export function LeadDialogues({ lead }: { lead: Lead }) {
  const list = useEndpoint(dialogues.list, dialoguesOfLead(lead.id));
  return (
    <Section title={t('Dialogues')}>
      <Loaded query={list} entity={t(dialogues.plural)}>
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
                    <TwoClocks iso={dialogue.last_msg_created_at} zone={lead.timezone} />
                  </Text>
                </Group>
                <Text size="sm" c="dimmed" lineClamp={1}>
                  <LastWord dialogue={dialogue} />
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function LastWord({ dialogue }: { dialogue: Dialogue }) {
  const { no_answer: noAnswer, last_message: said, last_message_trouble: trouble } = dialogue;
  if (noAnswer !== null) return noAnswer;
  if (said === null) return t('Nothing was said yet');
  return (
    <>
      {trouble !== null && <MessageStatusIcon status={trouble} />} <PlainText text={said} />
    </>
  );
}
