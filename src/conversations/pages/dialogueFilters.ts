/** Filters of dialogue lists, and how a chat opened from a filtered list keeps that list. */
import { channels } from '../../channels/contract.ts';
import { type Filter, filterParamNames } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { type ListShape, type ListState, readListState, writeListState } from '../../ui/listState.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { dialogues } from '../contract.ts';
import { ownerOptions } from './owner.tsx';

const CHANNELS = optionSource({ resource: channels, labelOf: (channel) => channel.name });

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
        { value: 'false', label: t('Earlier, or never') },
      ],
    },
    { kind: 'source', name: 'channel_id', label: t('Channel'), source: CHANNELS },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}

const listShape = (): ListShape => ({
  orderBy: dialogues.orderBy,
  filters: dialogueFilters().flatMap(filterParamNames),
  searchable: true,
});

type Params = Readonly<Record<string, string | undefined>>;

/** Read the list state from the URL's parameters. */
export const listStateIn = (params: Params): ListState => readListState(params, listShape());

/** Return the URL's parameters that describe the list. */
export const listParamsIn = (params: Params): Record<string, string | undefined> => toListParams(listStateIn(params));

/** Convert a list state to URL parameters. */
export const toListParams = (list: ListState): Record<string, string | undefined> => writeListState(list, listShape());
