/** Writes the conversation of a test case by hand: who says what, oldest first. */
import { ActionIcon, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import classes from '../studio.module.css';
import type { CaseDraft } from './caseDraft.ts';
import type { CaseEditorState } from './useCaseEditor.ts';

type Message = CaseDraft['history'][number];

export function HistoryFields({ editor: { draft, edit, faultAt } }: { editor: CaseEditorState }) {
  const { history } = draft;
  const change = (at: number, part: Partial<Message>) =>
    edit({ history: history.map((one, index) => (index === at ? { ...one, ...part } : one)) });
  const add = () => edit({ history: [...history, { side: nextSide(history), text: '', kind: 'text' }] });
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('The last message is the lead’s: the bot answers it.')}
      </Text>
      {history.map(({ side, text }, index) => (
        <div key={`message ${index}`} className={classes.message}>
          <Select
            aria-label={t('Author of message {{number}}', { number: index + 1 })}
            data={[
              { value: 'user', label: t('Lead') },
              { value: 'bot', label: t('Bot') },
            ]}
            value={side}
            allowDeselect={false}
            onChange={(value) => change(index, { side: value === 'bot' ? 'bot' : 'user' })}
          />
          <Textarea
            aria-label={t('Message {{number}}', { number: index + 1 })}
            autosize
            minRows={1}
            maxRows={6}
            value={text}
            error={faultAt(`history.${index}.text`)}
            onChange={(event) => change(index, { text: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={4}
            disabled={history.length === 1}
            aria-label={t('Remove message {{number}}', { number: index + 1 })}
            onClick={() => edit({ history: history.filter((_one, at) => at !== index) })}
          >
            <IconX size="1rem" />
          </ActionIcon>
        </div>
      ))}
      {faultAt('history') !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {faultAt('history')}
        </Text>
      )}
      <Group>
        <Button size="compact-sm" variant="default" leftSection={<IconPlus size="1rem" />} onClick={add}>
          {t('Add a message')}
        </Button>
      </Group>
    </Stack>
  );
}

const nextSide = (history: readonly Message[]): Message['side'] => (history.at(-1)?.side === 'user' ? 'bot' : 'user');
