/** The views of Insights, by their keys in the address. */
export const views = [
  { key: 'weeks', label: 'Weeks' },
  { key: 'first-texts', label: 'First texts' },
  { key: 'follow-ups', label: 'Follow-ups' },
  { key: 'prompts', label: 'Prompts' },
  { key: 'channels', label: 'Channels' },
  { key: 'times', label: 'Times' },
  { key: 'people', label: 'People' },
  { key: 'refusals', label: 'Refusals' },
  { key: 'spending', label: 'Spending' },
] as const;
export type View = (typeof views)[number]['key'];

export const viewOf = (params: Readonly<Record<string, string>>): View =>
  views.find(({ key }) => key === params['view'])?.key ?? 'weeks';
