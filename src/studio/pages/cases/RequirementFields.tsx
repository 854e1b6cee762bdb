/** What an answer to the case has to meet. */
import { ActionIcon, Badge, Button, Group, Menu, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { stages } from '../../../leads/contract.ts';
import { BoundedNumberInput } from '../../../ui/BoundedNumberInput.tsx';
import { t } from '../../../ui/i18n.ts';
import { Section } from '../../../ui/Section.tsx';
import { caseLanguages, type RequirementKind } from '../../caseContract.ts';
import { handOverOptions, isBan, languageLabel, requirementKindLabel } from '../labels.ts';
import classes from '../studio.module.css';
import { type CaseDraft, kindsFor, newRequirement } from './caseDraft.ts';
import type { CaseEditorState } from './useCaseEditor.ts';

type Typed = CaseDraft['requirements'][number];

export function RequirementFields({ editor }: { editor: CaseEditorState }) {
  const { draft, edit, faultAt, faults } = editor;
  const { requirements, prompt_type: type } = draft;
  const kinds = kindsFor(type);
  const change = (at: number, next: Typed) =>
    edit({ requirements: requirements.map((one, index) => (index === at ? next : one)) });
  return (
    <Section title={t('An answer has to')}>
      <Stack gap="sm">
        {requirements.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('Nothing is required yet. Without a requirement the case blocks nothing.')}
          </Text>
        )}
        {requirements.map((typed, index) => {
          const kind = kinds.find((one) => one === typed.kind) ?? kinds[0];
          return (
            <div key={`requirement ${index}`} className={classes.requirement}>
              <Stack gap={4} align="flex-start">
                <Select
                  w="100%"
                  aria-label={t('Requirement {{number}}', { number: index + 1 })}
                  data={kinds.map((value) => ({ value, label: requirementKindLabel(value) }))}
                  value={typed.kind}
                  allowDeselect={false}
                  onChange={(value) => {
                    const chosen = kinds.find((one) => one === value);
                    if (chosen) change(index, newRequirement(chosen));
                  }}
                />
                {kind && isBan(kind) && (
                  <Badge color="red" title={t('One answer that violates it makes the run red.')}>
                    {t('Blocks at once')}
                  </Badge>
                )}
              </Stack>
              <Value
                typed={typed}
                label={t('Value of requirement {{number}}', { number: index + 1 })}
                fault={faultIn(index, faultAt, faults)}
                onChange={(part) => change(index, { ...typed, ...part })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                mt={4}
                aria-label={t('Remove requirement {{number}}', { number: index + 1 })}
                onClick={() => edit({ requirements: requirements.filter((_one, at) => at !== index) })}
              >
                <IconX size="1rem" />
              </ActionIcon>
            </div>
          );
        })}
        <Group>
          <AddMenu kinds={kinds} onAdd={(kind) => edit({ requirements: [...requirements, newRequirement(kind)] })} />
        </Group>
      </Stack>
    </Section>
  );
}

function AddMenu({ kinds, onAdd }: { kinds: readonly RequirementKind[]; onAdd: (kind: RequirementKind) => void }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<IconPlus size="1rem" />}>
          {t('Add a requirement')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind} onClick={() => onAdd(kind)}>
            {requirementKindLabel(kind)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The fault of a requirement's value, once the page was checked. */
function faultIn(
  index: number,
  faultAt: (path: string) => string | null,
  faults: ReadonlyMap<string, string>,
): string | null {
  const path = [...faults.keys()].find((one) => one.startsWith(`requirements.${index}`));
  return path === undefined ? null : faultAt(path);
}

interface ValueProps {
  typed: Typed;
  label: string;
  fault: string | null;
  onChange: (part: Record<string, unknown>) => void;
}

/** The control of a requirement's value; nothing where it has none. */
function Value({ typed, label, fault, onChange }: ValueProps): ReactNode {
  const text = (name: string) => (typeof typed[name] === 'string' ? typed[name] : '');
  const count = (name: string) => (typeof typed[name] === 'number' ? typed[name] : '');
  const common = { 'aria-label': label, error: fault };
  switch (typed.kind) {
    case 'contains':
    case 'not_contains':
      return (
        <TextInput
          {...common}
          value={text('text')}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      );
    case 'keeps':
    case 'never':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          maxRows={6}
          value={text('text')}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      );
    case 'matches':
    case 'not_matches':
      return (
        <TextInput
          {...common}
          ff="monospace"
          value={text('pattern')}
          onChange={(event) => onChange({ pattern: event.currentTarget.value })}
        />
      );
    case 'max_length':
      return (
        <BoundedNumberInput
          {...common}
          min={1}
          max={10_000}
          suffix={t(' characters')}
          value={count('characters')}
          onChange={(value) => onChange({ characters: value })}
        />
      );
    case 'max_questions':
      return (
        <BoundedNumberInput
          {...common}
          min={0}
          max={20}
          value={count('count')}
          onChange={(value) => onChange({ count: value })}
        />
      );
    default:
      return <ChoiceValue typed={typed} label={label} fault={fault} onChange={onChange} />;
  }
}

function ChoiceValue({ typed, label, fault, onChange }: ValueProps): ReactNode {
  const choices = {
    language: {
      name: 'language',
      data: caseLanguages.map((value) => ({ value, label: languageLabel(value) })),
      empty: undefined,
    },
    stage: { name: 'stage', data: stages.map((value) => ({ value, label: value })), empty: undefined },
    hands_over: { name: 'reason', data: handOverOptions(), empty: t('For any reason') },
  };
  const choice = Object.entries(choices).find(([kind]) => kind === typed.kind)?.[1];
  if (!choice) return <span />;
  const value = typed[choice.name];
  return (
    <Select
      aria-label={label}
      error={fault}
      data={choice.data}
      value={typeof value === 'string' ? value : null}
      allowDeselect={false}
      clearable={choice.empty !== undefined}
      placeholder={choice.empty}
      onChange={(next) => onChange({ [choice.name]: next })}
    />
  );
}
