/** What dialogues can be narrowed by, and how a chat that was opened from such a list keeps to it. */
import { channels } from '../../channels/contract.ts';
import { type Filter, namesOf } from '../../kit/filter.ts';
import { type ListShape, type ListState, readListState, writeListState } from '../../kit/listState.ts';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { dialogues } from '../contract.ts';
import { ownerOptions } from './owner.tsx';

const CHANNELS = sourceOf(channels, (channel) => channel.name);

export function dialogueFilters(): Filter[] {
  return [
    { kind: 'options', name: 'owner', label: t('Answers'), options: ownerOptions() },
    {
      kind: 'options',
      name: 'unanswered',
      label: t('No answer'),
      options: [{ value: 'true', label: t('Only these') }],
    },
    {
      kind: 'options',
      name: 'unclassified',
      label: t('Not classified'),
      options: [{ value: 'true', label: t('Only these') }],
    },
    {
      kind: 'options',
      name: 'recent',
      label: t('Last message'),
      options: [
        { value: 'true', label: t('In the last 7 days') },
        { value: 'false', label: t('Longer ago, or none') },
      ],
    },
    { kind: 'source', name: 'channel_id', label: t('Channel'), source: CHANNELS },
    { kind: 'created', label: t('Created') },
  ];
}

const shape = (): ListShape => ({
  orderBy: dialogues.orderBy,
  filters: dialogueFilters().flatMap(namesOf),
  searchable: true,
});

type Params = Readonly<Record<string, string | undefined>>;

/** The list that an address speaks of. */
export const listIn = (params: Params): ListState => readListState(params, shape());

/** The parameters of an address that say which list it speaks of. */
export const narrowingIn = (params: Params): Record<string, string | undefined> => paramsOf(listIn(params));

/** The parameters for a list. */
export const paramsOf = (list: ListState): Record<string, string | undefined> => writeListState(list, shape());
