/** A diff of two texts by line, with the changed words marked. Load it lazily: it brings a library. */
import { Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import classes from './Diff.module.css';
import { type DiffLine, diffLines, MAX_CONTEXT, MIN_CONTEXT, showInvisibleCharacters } from './diff.ts';
import { t } from './i18n.ts';
import { NumberField } from './NumberField.tsx';

interface DiffProps {
  before: string;
  after: string;
  /** Initial number of lines shown around a change, 3 to 10. */
  context?: number;
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

export default function Diff({ before, after, context = MIN_CONTEXT }: DiffProps) {
  const [around, setAround] = useState(context);
  const hunks = useMemo(() => diffLines(before, after, around), [before, after, around]);
  if (hunks.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('The texts are the same.')}
      </Text>
    );
  return (
    <div>
      <Group justify="flex-end" mb="xs">
        <NumberField
          size="xs"
          w="9rem"
          label={t('Lines around a change')}
          min={MIN_CONTEXT}
          max={MAX_CONTEXT}
          value={around}
          empty={context}
          onChange={setAround}
        />
      </Group>
      {/* What scrolls has to be reached by keyboard */}
      <div className={classes.box} role="region" aria-label={t('Differences')} tabIndex={0}>
        {hunks.map((hunk, index) => (
          <table key={`${hunk[0]?.before}-${hunk[0]?.after}`} className={classes.hunk} data-first={index === 0}>
            <tbody>
              {hunk.map((line) => (
                <Line key={`${line.kind}-${line.before}-${line.after}`} line={line} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </div>
  );
}

function Line({ line }: { line: DiffLine }) {
  const name = { same: undefined, added: t('Added'), removed: t('Removed') }[line.kind];
  return (
    <tr className={classes[line.kind]}>
      <td className={classes.number}>{line.before}</td>
      <td className={classes.number}>{line.after}</td>
      <td className={classes.sign} {...(name === undefined ? {} : { 'aria-label': name })}>
        {SIGNS[line.kind]}
      </td>
      <td className={classes.text}>
        {line.parts.map((part, index) => {
          const key = `${index}`;
          return part.changed ? (
            <mark key={key}>{showInvisibleCharacters(part.text)}</mark>
          ) : (
            <span key={key}>{showInvisibleCharacters(part.text)}</span>
          );
        })}
      </td>
    </tr>
  );
}
