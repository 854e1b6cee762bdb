/** What the versions of a prompt have achieved. */
import { Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { readOutcomesBy } from '../../outcomes/outcomeContract.ts';
import { PeriodChoice, type ResultPeriod, ResultsTable } from '../../outcomes/pages/shared/ResultsTable.tsx';
import { insightsParams, useFirstResultDay } from '../../outcomes/pages/shared/results.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import type { Prompt } from '../contract.ts';
import { countedPrompt } from './promptLabels.tsx';

/** A row for each version with attempts, the newest first. Nothing for prompts whose attempts are not counted. */
export function PromptResults({ prompt }: { prompt: Prompt }) {
  const counted = countedPrompt(prompt);
  if (counted === null) return null;
  return <Versions prompt={prompt} isFirstText={counted.kind === 'text_prompt'} />;
}

function Versions({ prompt, isFirstText }: { prompt: Prompt; isFirstText: boolean }) {
  const [period, setPeriod] = useState<ResultPeriod>('recent');
  const from = useFirstResultDay();
  const filter = {
    product_id: prompt.product_id,
    ...(period === 'recent' ? { started_from: from } : {}),
    [isFirstText ? 'text_prompt_id' : 'prompt_id']: [prompt.id],
  };
  const dimension = isFirstText ? 'first_text' : 'prompt_version';
  const read = useEndpoint(readOutcomesBy, { params: { dimension }, query: filter }, { keepPrevious: true });
  const versions = (read.data?.items ?? [])
    .map((item) => ({
      ...item,
      version: item.filter[isFirstText ? 'text_prompt_version' : 'prompt_version']?.[0] ?? 0,
    }))
    .toSorted((one, other) => other.version - one.version);
  return (
    <Section title={t('Results')} actions={<PeriodChoice value={period} onChange={setPeriod} />}>
      <Text size="sm" c="dimmed" mb="xs">
        {isFirstText
          ? t('Attempts that began with a message of this version.')
          : t('Attempts in which this version wrote the first answer, so the lead has written in all of them.')}
      </Text>
      {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
      {read.data && versions.length === 0 && <Text size="sm">{t('No attempts yet.')}</Text>}
      {versions.length > 0 && (
        <ResultsTable
          caption={t('Results by version')}
          label={t('Version')}
          hasAnswered={isFirstText}
          rows={versions.map(({ version, filter: ofVersion, ...funnel }) => ({
            key: String(version),
            label: (
              <Group gap="xs" wrap="nowrap">
                <PageLink to="insights" params={insightsParams(ofVersion)}>
                  {version === 0 ? t('Not recorded') : t('Version {{version}}', { version })}
                </PageLink>
                {version === prompt.version && (
                  <Badge color="gray" miw="max-content">
                    {t('Current')}
                  </Badge>
                )}
              </Group>
            ),
            filter: ofVersion,
            funnel,
          }))}
        />
      )}
    </Section>
  );
}
