/** Make a test case from a message of the bot: keep it, never say it again, or say what it should have said. */
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconBan, IconPencil, IconPin } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BodyInput } from '../../../platform/contract.ts';
import { call } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { keyOf } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { OVER_POPOVERS } from '../../../ui/theme.ts';
import { toast } from '../../../ui/toast.ts';
import { type CaseSource, type StudioCase, studioCases } from '../../caseContract.ts';

/** What a test case is made from, beside how. */
export type CaseFields = Omit<BodyInput<typeof studioCases.create>, 'product_id' | 'source' | 'should_say'>;

interface CaseButtonsProps {
  /** The message of the bot; without it, `fields` hold the conversation. */
  messageId?: number;
  fields?: CaseFields;
}

export function CaseButtons({ messageId, fields = {} }: CaseButtonsProps) {
  const { product } = useScope();
  const cache = useQueryClient();
  const [isWriting, setWriting] = useState(false);
  const making = useMutation({
    mutationFn: ({ source, text }: { source: CaseSource; text?: string }) =>
      call(studioCases.create, {
        body: {
          ...fields,
          product_id: product?.id ?? 0,
          source,
          ...(messageId === undefined ? {} : { from_message_id: messageId }),
          ...(text === undefined ? {} : { should_say: text }),
        },
      }),
    onSuccess: (created: StudioCase) => {
      setWriting(false);
      void cache.invalidateQueries({ queryKey: keyOf(studioCases.list) });
      toast.success(t('Test case “{{name}}” was made', { name: created.name }));
    },
    onError: (error) => {
      if (!isWriting) toast.failure(error);
    },
  });
  const make = (source: CaseSource) => () => making.mutate({ source });
  return (
    <>
      <Group gap={6}>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPin size="0.9rem" />}
          disabled={making.isPending}
          title={t('Make a test case: its facts must stay')}
          onClick={make('keep')}
        >
          {t('Keep this')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconBan size="0.9rem" />}
          disabled={making.isPending}
          title={t('Make a test case: nothing like this may be said again')}
          onClick={make('never')}
        >
          {t('Never this')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPencil size="0.9rem" />}
          disabled={making.isPending}
          onClick={() => setWriting(true)}
        >
          {t('Should have said…')}
        </Button>
        {making.data && (
          <PageLink to="studio-case" params={{ caseId: making.data.id }}>
            {t('Open the test case')}
          </PageLink>
        )}
      </Group>
      {isWriting && (
        <ShouldSayDialog
          pending={making.isPending}
          error={making.error}
          onSave={(text) => making.mutate({ source: 'should_say', text })}
          onClose={() => setWriting(false)}
        />
      )}
    </>
  );
}

interface ShouldSayDialogProps {
  pending: boolean;
  error: Error | null;
  onSave: (text: string) => void;
  onClose: () => void;
}

function ShouldSayDialog({ pending, error, onSave, onClose }: ShouldSayDialogProps) {
  const [text, setText] = useState('');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('What should it have said?')}
      closeButtonProps={{ 'aria-label': t('Close') }}
      zIndex={OVER_POPOVERS}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onSave(text.trim());
        }}
      >
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('Prices, links and hand-over of this answer are required from then on; a judge compares the meaning.')}
          </Text>
          <Textarea
            aria-label={t('What it should have said')}
            autosize
            minRows={3}
            maxRows={10}
            maxLength={10_000}
            value={text}
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={pending} disabled={text.trim() === ''}>
              {t('Make a test case')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
