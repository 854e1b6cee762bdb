/** What a run has found as a whole. */
import { Alert, Badge, Group, List, Stack, Table, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { Section } from '../../../ui/Section.tsx';
import type { RunVerdict, StudioRun } from '../../runContract.ts';
import { changeLabel, formatShare, isNoWorse, noWorseLabel, resultLabel, verdictText } from '../labels.ts';
import classes from '../studio.module.css';

type VerdictOf<K extends RunVerdict['kind']> = Extract<RunVerdict, { kind: K }>;
type Rate = VerdictOf<'replay'>['changed'];

export function Verdict({ run }: { run: StudioRun }) {
  const { verdict } = run;
  if (verdict === null) return null;
  return (
    <Section title={t('Finding')}>
      <Stack gap="sm">
        <Text fz="lg" fw={600} role="status">
          {verdictText(run)}
        </Text>
        {details(verdict)}
      </Stack>
    </Section>
  );
}

function details(verdict: RunVerdict): ReactNode {
  switch (verdict.kind) {
    case 'gate':
      return <Gate verdict={verdict} />;
    case 'replay':
      return <Replay verdict={verdict} />;
    case 'classification':
      return <Classification verdict={verdict} />;
    case 'simulation':
      return <Simulation verdict={verdict} />;
    default:
      return verdict satisfies never;
  }
}

/** A share with how sure it is: `27 of 30, 90 % (74 to 97)`. */
function rateText({ count, total, low, high }: Rate): string {
  if (total === 0) return t('none');
  return t('{{count}} of {{total}}, {{share}} ({{low}} to {{high}})', {
    count,
    total,
    share: formatShare(count / total),
    low: Math.round(low * 100),
    high: Math.round(high * 100),
  });
}

function Gate({ verdict }: { verdict: VerdictOf<'gate'> }) {
  const { reasons, cases } = verdict;
  return (
    <>
      {reasons.map((reason) => (
        <Alert key={reason} color={verdict.state === 'red' ? 'red' : 'orange'}>
          {reason}
        </Alert>
      ))}
      <Scrolled label={t('Test cases of this run')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('Test case')}</Table.Th>
            <Table.Th>{t('Result')}</Table.Th>
            <Table.Th className={classes.short}>{t('New text')}</Table.Th>
            <Table.Th>{t('Live')}</Table.Th>
            <Table.Th>{t('Why')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cases.map((one) => (
            <GateRow key={one.case_id} {...one} />
          ))}
        </Table.Tbody>
      </Scrolled>
    </>
  );
}

function GateRow(one: VerdictOf<'gate'>['cases'][number]) {
  const { case_id: id, name, state, candidate, live, reasons } = one;
  const { label, tone } = isNoWorse(one) ? noWorseLabel() : resultLabel(state);
  return (
    <Table.Tr>
      <Table.Td>
        <PageLink to="studio-case" params={{ caseId: id }}>
          {name}
        </PageLink>
      </Table.Td>
      <Table.Td>
        <Badge color={tone} miw="max-content">
          {label}
        </Badge>
      </Table.Td>
      <Table.Td>{`${candidate.count}/${candidate.total}`}</Table.Td>
      <Table.Td>{`${live.count}/${live.total}`}</Table.Td>
      <Table.Td>{isNoWorse(one) ? t('What is live does no better.') : reasons.join(' ')}</Table.Td>
    </Table.Tr>
  );
}

function Replay({ verdict: { changed, by_kind: byKind, judged } }: { verdict: VerdictOf<'replay'> }) {
  const kinds = byKind.filter(({ turns }) => turns > 0);
  return (
    <>
      <Text size="sm" c="dimmed">
        {t(
          'Changed: {{rate}}. The live version differs from itself too; only what exceeds that counts. After the first changed answer of a dialogue the lead would have written something else, so nothing is predicted from there.',
          { rate: rateText(changed) },
        )}
      </Text>
      {kinds.length > 0 && (
        <Group gap="xs">
          {kinds.map(({ kind, turns }) => (
            <Badge key={kind} color="gray">
              {t('{{kind}}: {{turns}}', { kind: changeLabel(kind), turns })}
            </Badge>
          ))}
        </Group>
      )}
      {judged && (
        <Text size="sm">
          {t('The judge: {{better}} better, {{worse}} worse, {{tie}} the same.', judged)}{' '}
          <PageLink to="studio-judge" inText>
            {t('How far can it be trusted?')}
          </PageLink>
        </Text>
      )}
    </>
  );
}

function Classification({ verdict }: { verdict: VerdictOf<'classification'> }) {
  return (
    <>
      <Text size="sm">{t('New text: {{rate}}.', { rate: rateText(verdict.candidate) })}</Text>
      <Text size="sm">{t('Live: {{rate}}.', { rate: rateText(verdict.live) })}</Text>
      <Scrolled label={t('Stages named, by what became of the lead')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('Stage named')}</Table.Th>
            <Table.Th>{t('What became of the lead')}</Table.Th>
            <Table.Th ta="right">{t('Live')}</Table.Th>
            <Table.Th ta="right">{t('New text')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {verdict.table.map(({ stage, outcome, live, candidate }) => (
            <Table.Tr key={`${stage} ${outcome}`}>
              <Table.Td>{stage}</Table.Td>
              <Table.Td>{outcome}</Table.Td>
              <Table.Td ta="right">{live}</Table.Td>
              <Table.Td ta="right">{candidate}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Scrolled>
    </>
  );
}

function Simulation({ verdict: { personas, realism, notes } }: { verdict: VerdictOf<'simulation'> }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {realism === null
          ? t('How real they are was not measured.')
          : t('They can be told from real leads in {{rate}} of the talks; half would be as good as real.', {
              rate: rateText(realism),
            })}
      </Text>
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
      <Scrolled label={t('Simulated leads of this run')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('Simulated lead')}</Table.Th>
            <Table.Th>{t('Passes every time')}</Table.Th>
            <Table.Th className={classes.short}>{t('New text')}</Table.Th>
            <Table.Th>{t('Live')}</Table.Th>
            <Table.Th>{t('Found')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {personas.map(({ persona_id: id, name, candidate, live, passes, findings }) => (
            <Table.Tr key={id}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>
                <Group gap={4} wrap="nowrap">
                  {passes ? <IconCheck size="1rem" aria-hidden /> : <IconX size="1rem" aria-hidden />}
                  {passes ? t('Yes') : t('No')}
                </Group>
              </Table.Td>
              <Table.Td>{`${candidate.count}/${candidate.total}`}</Table.Td>
              <Table.Td>{`${live.count}/${live.total}`}</Table.Td>
              <Table.Td>
                {findings.length > 0 && (
                  <List size="sm">
                    {findings.map((finding) => (
                      <List.Item key={finding}>{finding}</List.Item>
                    ))}
                  </List>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Scrolled>
    </>
  );
}

/** A table that scrolls by itself, also by keyboard. */
function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={classes.table} aria-label={label} tabIndex={0}>
      <Table verticalSpacing="xs" horizontalSpacing="sm">
        {children}
      </Table>
    </section>
  );
}
