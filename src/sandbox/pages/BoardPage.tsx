/**
 * The emulated amoCRM's board: create cards, drag them (or move them by their menu) and delete them; switch
 * integrations off.
 */
import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../platform/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { dateTimeInSentence } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { addCard, deleteCard, disconnectClient, moveCard, readBoard } from '../boardContract.ts';
import classes from './board.module.css';
import { FaultPanel } from './FaultPanel.tsx';
import { SmallText } from './Panel.tsx';
import { SandboxFrame } from './SandboxFrame.tsx';
import { showIn } from './showIn.ts';

const READ_AGAIN_MS = 2000;
/** The faults of hooks apply to all vendors. */
const FAULTS_OF = ['amocrm', 'hooks'];

type Board = AnswerOf<typeof readBoard>['board'];
type BoardCard = Board['cards'][number];
type Pipeline = Board['pipelines'][number];

export function BoardPage() {
  const read = useEndpoint(readBoard, {}, { refetchInterval: READ_AGAIN_MS });
  const [chosen, choose] = useState<string | null>(null);
  const off = useCall(disconnectClient);
  const board = read.data?.board;
  const connected = board?.clients.filter((one) => one.connected) ?? [];
  const pipeline = board?.pipelines.find((one) => String(one.id) === chosen) ?? board?.pipelines[0];
  return (
    <SandboxFrame
      title="amoCRM"
      note={t('Sandbox: nothing leaves this machine.')}
      other={{ href: '/sandbox', label: t('Phones') }}
    >
      <main className={classes.main}>
        {read.isError && !board && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {board && pipeline && (
          <Stack gap="md">
            <Group justify="space-between">
              <SegmentedControl
                aria-label={t('Pipeline')}
                data={board.pipelines.map((one) => ({ value: String(one.id), label: one.name }))}
                value={String(pipeline.id)}
                onChange={choose}
              />
              <Group gap="xs">
                {connected.map(({ client_id, name }) => (
                  <Button
                    key={client_id}
                    size="xs"
                    variant="default"
                    loading={off.isPending}
                    onClick={() => off.mutate({ params: { client_id } }, showIn(readBoard))}
                  >
                    {t('Disconnect {{name}}', { name })}
                  </Button>
                ))}
              </Group>
            </Group>
            <NewCard pipeline={pipeline} />
            <Columns board={board} pipeline={pipeline} />
            <FaultPanel only={FAULTS_OF} />
          </Stack>
        )}
      </main>
    </SandboxFrame>
  );
}

function Columns({ board, pipeline }: { board: Board; pipeline: Pipeline }) {
  const { mutate } = useCall(moveCard);
  const [over, setOver] = useState<number | null>(null);
  const moveTo = (id: number, status: number) =>
    mutate({ params: { id }, body: { pipeline_id: pipeline.id, status_id: status } }, showIn(readBoard));
  return (
    <ul className={classes.lanes} tabIndex={0} aria-label={pipeline.name}>
      {pipeline.statuses.map((status) => {
        const cards = board.cards.filter((one) => one.pipeline_id === pipeline.id && one.status_id === status.id);
        return (
          <li
            key={status.id}
            className={classes.lane}
            aria-label={status.name}
            data-over={over === status.id || undefined}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(status.id);
            }}
            onDragLeave={() => setOver(null)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(null);
              const id = Number(event.dataTransfer.getData('text/plain'));
              if (board.cards.some((one) => one.id === id && one.status_id !== status.id)) moveTo(id, status.id);
            }}
          >
            <Group justify="space-between" mb="xs">
              <Text size="sm" fw={600}>
                {status.name}
              </Text>
              <SmallText>{cards.length}</SmallText>
            </Group>
            <Stack gap="xs">
              {cards.map((card) => (
                <CardView key={card.id} card={card} pipeline={pipeline} onMove={(to) => moveTo(card.id, to)} />
              ))}
            </Stack>
          </li>
        );
      })}
    </ul>
  );
}

interface CardViewProps {
  card: BoardCard;
  pipeline: Pipeline;
  onMove: (status: number) => void;
}

function CardView({ card, pipeline, onMove }: CardViewProps) {
  const { isPending, mutate } = useCall(deleteCard);
  return (
    <Paper
      withBorder
      p="xs"
      draggable
      role="group"
      aria-label={card.name}
      className={classes.card}
      onDragStart={(event) => event.dataTransfer.setData('text/plain', String(card.id))}
    >
      <Text size="sm" fw={500} className={classes.text}>
        {card.name}
      </Text>
      <SmallText className={classes.text ?? ''}>{[card.contact, card.phone].filter(Boolean).join(', ')}</SmallText>
      <OnCard title={t('Notes')} items={card.notes} />
      <OnCard
        title={t('Tasks')}
        items={card.tasks.map(({ complete_till: until, ...task }) => ({
          ...task,
          until: dateTimeInSentence(new Date(until * 1000).toISOString()),
        }))}
      />
      <Group gap="xs" mt="xs" wrap="nowrap">
        <NativeSelect
          size="xs"
          className={classes.step}
          aria-label={t('Step of {{name}}', { name: card.name })}
          value={card.status_id}
          data={pipeline.statuses.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(event) => onMove(Number(event.currentTarget.value))}
        />
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('Delete {{name}}', { name: card.name })}
          loading={isPending}
          onClick={() => mutate({ params: { id: card.id } }, showIn(readBoard))}
        >
          <IconTrash size="1rem" />
        </ActionIcon>
      </Group>
    </Paper>
  );
}

/** The notes or the tasks of a card. */
function OnCard({ title, items }: { title: string; items: readonly { id: number; text: string; until?: string }[] }) {
  if (items.length === 0) return null;
  return (
    <details className={classes.onCard}>
      <summary>
        {title}: {items.length}
      </summary>
      {items.map(({ id, text, until }) => (
        <SmallText key={id} className={classes.onCardText ?? ''}>
          {until !== undefined && `${t('Until {{time}}', { time: until })}\n`}
          {text}
        </SmallText>
      ))}
    </details>
  );
}

function NewCard({ pipeline }: { pipeline: Pipeline }) {
  const { isPending, mutate } = useCall(addCard);
  const [card, setCard] = useState(EMPTY_CARD);
  const first = pipeline.statuses.find((one) => one.type === 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!first || card.person.trim() === '') return;
    const place = { pipeline_id: pipeline.id, status_id: first.id };
    const name = t('Lead: {{name}}', { name: card.person });
    mutate(
      { body: { name, ...card, ...place } },
      showIn(readBoard, () => setCard(EMPTY_CARD)),
    );
  };
  return (
    <form onSubmit={submit} aria-label={t('New card')}>
      <Group gap="xs" align="flex-end">
        {CARD_FIELDS.map(([name, label]) => (
          <TextInput
            key={name}
            label={t(label)}
            value={card[name]}
            onChange={(event) => setCard({ ...card, [name]: event.currentTarget.value })}
          />
        ))}
        <Button type="submit" disabled={card.person.trim() === ''} loading={isPending}>
          {t('Add card')}
        </Button>
      </Group>
    </form>
  );
}

const EMPTY_CARD = { person: '', phone: '', telegram: '' };
const CARD_FIELDS = [
  ['person', 'Name'],
  ['phone', 'Phone'],
  ['telegram', 'Telegram'],
] as const;
