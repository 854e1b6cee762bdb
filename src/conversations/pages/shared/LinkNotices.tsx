/** Who else has an address of a lead, or may be the same person; an operator decides about the latter. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowsSplit2, IconUsers } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { dateTimeInSentence } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { keyOf } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { type DialogueLink, decideLink, listLinksOfLead, listOpenLinks } from '../../linksContract.ts';

/** The links of a lead's dialogues, each with what an operator may do about it. */
export function LinkNotices({ links }: { links: readonly DialogueLink[] }) {
  return (
    <Stack gap="xs">
      {links.map((link) => (
        <LinkNotice key={`${link.id} ${link.has_address}`} link={link} />
      ))}
    </Stack>
  );
}

function LinkNotice({ link }: { link: DialogueLink }) {
  const isMoved = link.kind === 'address_moved';
  return (
    <Alert
      color={isMoved || link.state !== 'open' ? 'gray' : 'yellow'}
      icon={isMoved ? <IconArrowsSplit2 /> : <IconUsers />}
      title={titleOf(link)}
    >
      <Stack gap="xs">
        <Text size="sm">
          {textOf(link)} {link.other_lead_id !== null && <Other link={link} />}
        </Text>
        {!isMoved && <Decision link={link} />}
      </Stack>
    </Alert>
  );
}

const Other = ({ link }: { link: DialogueLink }) => (
  <PageLink to="dialogue-chat" params={{ dialogueId: link.other_dialogue_id ?? 0 }} inText>
    {t('Open the chat with {{name}}', { name: link.other_lead_name ?? '' })}
  </PageLink>
);

function titleOf({ kind, state, has_address: hasAddress, detail, created_at: since }: DialogueLink): string {
  if (kind === 'mixed_chats') return t('Messages of several chats');
  if (kind === 'address_moved')
    return hasAddress
      ? t('{{address}} was in another chat before', { address: detail })
      : t('{{address}} belongs to another chat since {{when}}', { address: detail, when: dateTimeInSentence(since) });
  if (state === 'accepted') return t('Treated as one person');
  return state === 'rejected' ? t('Two different people') : t('Maybe the same person');
}

function textOf({ kind, state, evidence, detail, decided_by: by }: DialogueLink): string {
  if (kind === 'mixed_chats')
    return t('Messages of the chat {{chat}} are in this dialogue, too. They may be from somebody else.', {
      chat: detail,
    });
  if (kind === 'address_moved') return t('Usernames and numbers are given to other people. This is a different chat.');
  if (state !== 'open') return t('Decided by {{name}}.', { name: by ?? '' });
  const proof =
    evidence === 'upgrade'
      ? t('Both have the number {{detail}}, in different national forms.', { detail })
      : t('The messenger names {{detail}} for both.', { detail });
  return `${proof} ${t('Until you decide, no first message or follow-up is sent if one of them has written.')}`;
}

function Decision({ link }: { link: DialogueLink }) {
  const cache = useQueryClient();
  const deciding = useMutation({
    mutationFn: (state: DialogueLink['state']) => call(decideLink, { params: { id: link.id }, body: { state } }),
    onError: toast.failure,
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: keyOf(listLinksOfLead) }),
        cache.invalidateQueries({ queryKey: keyOf(listOpenLinks) }),
      ]),
  });
  const button = (state: DialogueLink['state'], label: string) => (
    <Button size="compact-sm" variant="default" loading={deciding.isPending} onClick={() => deciding.mutate(state)}>
      {label}
    </Button>
  );
  if (link.state !== 'open') return <Group>{button('open', t('Undo'))}</Group>;
  if (link.kind === 'mixed_chats') return <Group>{button('accepted', t('Mark as checked'))}</Group>;
  return (
    <Group gap="xs">
      {button('accepted', t('Treat as one person'))}
      {button('rejected', t('Keep apart'))}
    </Group>
  );
}
