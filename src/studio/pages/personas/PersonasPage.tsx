import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconWand } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../../ui/api.ts';
import type { Column } from '../../../ui/columns.ts';
import { Failure } from '../../../ui/Failure.tsx';
import type { Field, Option } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import { NumberField } from '../../../ui/NumberField.tsx';
import { keyOf } from '../../../ui/query.ts';
import { ResourcePage } from '../../../ui/ResourcePage.tsx';
import { useScope } from '../../../ui/scope.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { derivePersonas, type Persona, personas } from '../../personaContract.ts';
import { languageLabel } from '../labels.ts';
import { StudioTabs } from '../StudioTabs.tsx';
import { personaTools } from './personaTools.ts';

type Ending = Persona['ending'];

/** Page of the simulated leads of the chosen product. */
export default function PersonasPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const [isDeriving, setDeriving] = useState(false);
  const columns = useMemo(personaColumns, []);
  const assistant = useMemo(() => personaTools(productId), [productId]);
  return (
    <>
      <ResourcePage<Persona>
        crud={personas}
        title={t('Simulated leads')}
        singular={t('simulated lead')}
        description={t(
          'Simulated leads of the chosen product: how they write, what they ask, and how their talks end. A model plays them in runs of the prompt studio.',
        )}
        columns={columns}
        filters={[{ kind: 'days', name: 'created', label: t('Created') }]}
        fixedQuery={{ product_id: productId }}
        nameOf={({ name }) => name}
        assistantFields={({ goal, ending, language, derived_from, is_small_sample }) => ({
          goal,
          ending,
          language,
          derived_from,
          is_small_sample,
        })}
        assistant={assistant}
        form={{
          crud: personas,
          fields: personaFields,
          preset: { product_id: productId, language: 'en', ending: 'buys' },
          allowAssistant: true,
        }}
        removal={{ crud: personas }}
        above={<StudioTabs />}
        buttons={
          <Button size="xs" variant="default" leftSection={<IconWand size="1rem" />} onClick={() => setDeriving(true)}>
            {t('Make from dialogues')}
          </Button>
        }
        emptyText={t(
          'A model plays simulated leads, so that a prompt can be tried in whole talks. Make them from your dialogues, or write one by hand.',
        )}
        failureText={t('Failed to load simulated leads')}
      />
      {isDeriving && <DeriveDialog productId={productId} onClose={() => setDeriving(false)} />}
    </>
  );
}

function endingLabel(ending: Ending): string {
  const labels: Readonly<Record<Ending, string>> = {
    buys: t('Agrees to buy'),
    asks_for_human: t('Asks for a person'),
    refuses: t('Refuses'),
    falls_silent: t('Stops answering'),
    opts_out: t('Wants no more messages'),
  };
  return labels[ending];
}

const endings: readonly Ending[] = ['buys', 'asks_for_human', 'refuses', 'falls_silent', 'opts_out'];
const endingOptions = (): Option[] => endings.map((value) => ({ value, label: endingLabel(value) }));

function personaFields(): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: '' },
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    {
      kind: 'textarea',
      name: 'goal',
      label: t('What they want'),
      description: t('And what ends the talk.'),
      required: true,
      rows: 2,
    },
    {
      kind: 'textarea',
      name: 'style',
      label: t('How they write'),
      description: t('Length, tone, spelling.'),
      required: true,
      rows: 2,
    },
    {
      kind: 'text',
      name: 'language',
      label: t('Language'),
      description: t('Two letters, such as en or ru.'),
      required: true,
    },
    { kind: 'select', name: 'ending', label: t('How the talk ends'), options: endingOptions(), required: true },
    { kind: 'hidden', name: 'questions', label: '' },
    { kind: 'hidden', name: 'objections', label: '' },
    { kind: 'hidden', name: 'requirements', label: '' },
  ];
}

function personaColumns(): Column<Persona>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2, render: ({ name }) => name },
    { key: 'goal', label: t('What they want'), span: 3, render: ({ goal }) => goal },
    { key: 'style', label: t('How they write'), span: 3, hiddenByDefault: true, render: ({ style }) => style },
    {
      key: 'questions',
      label: t('Questions'),
      span: 2.3,
      render: ({ questions }) => questions.join(' · ') || '–',
      text: ({ questions }) => questions.join('; '),
    },
    { key: 'language', label: t('Language'), span: 1.1, render: ({ language }) => languageLabel(language) },
    { key: 'ending', label: t('Ends'), span: 1.7, render: ({ ending }) => endingLabel(ending) },
    { key: 'derived_from', label: t('Made from'), span: 1.5, render: (row) => <Origin {...row} />, text: originText },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
  ];
}

type OriginFacts = Pick<Persona, 'derived_from' | 'is_small_sample'>;

function originText({ derived_from: dialogues }: OriginFacts): string {
  if (dialogues === null) return t('By hand');
  return t('{{count}} dialogues', { count: dialogues, defaultValue_one: '{{count}} dialogue' });
}

/** What a simulated lead was made from. What a few dialogues show may be rare. */
function Origin(facts: OriginFacts) {
  if (!facts.is_small_sample) return <>{originText(facts)}</>;
  return (
    <>
      <div>{originText(facts)}</div>
      <Badge size="sm" variant="light" color="orange" title={t('So few dialogues may show what is rare.')}>
        {t('Small sample')}
      </Badge>
    </>
  );
}

function DeriveDialog({ productId, onClose }: { productId: number; onClose: () => void }) {
  const cache = useQueryClient();
  const [count, setCount] = useState(12);
  const deriving = useMutation({
    mutationFn: () => call(derivePersonas, { body: { product_id: productId, count } }),
    onSuccess: ({ items }) => {
      void cache.invalidateQueries({ queryKey: keyOf(personas.list) });
      toast.success(
        t('{{count}} simulated leads were made', {
          count: items.length,
          defaultValue_one: 'One simulated lead was made',
        }),
      );
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={() => !deriving.isPending && onClose()}
      title={t('Make simulated leads from dialogues')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">
          {t(
            'A model reads dialogues of this product and describes kinds of leads: how they write, what they ask, what they object to and how they end. Names, numbers and addresses of real people are removed.',
          )}
        </Text>
        <NumberField
          label={t('How many')}
          min={1}
          max={24}
          value={count}
          empty={12}
          onChange={setCount}
          data-autofocus
        />
        {deriving.error && <Failure error={deriving.error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={deriving.isPending} onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button loading={deriving.isPending} onClick={() => deriving.mutate()}>
            {t('Make')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
