/** Rows of the studio for the tests that need one of every resource. */
/** Insert a row. Returns its id. */
export type Insert = (table: string, row: Readonly<Record<string, unknown>>) => Promise<number>;

/** Insert a persona, a case, a run that has ended, and a pair of answers to label. */
export async function insertStudio(
  insert: Insert,
  of: {
    readonly name: string;
    readonly product: number;
    readonly lead: number;
    readonly dialogue: number;
    readonly message: number;
  },
) {
  const { name, product } = of;
  const history = JSON.stringify([{ side: 'user', text: `${name} question`, kind: 'text' }]);
  const studio_persona = await insert('studio_personas', {
    product_id: product,
    name: `${name} persona`,
    style: `${name} style`,
    language: 'en',
    goal: `${name} goal`,
    questions: JSON.stringify([`${name} question`]),
    ending: 'buys',
  });
  const studio_case = await insert('studio_cases', {
    product_id: product,
    prompt_type: 'prompt',
    name: `${name} case`,
    source: 'manual',
    history,
    facts: JSON.stringify({
      lead: { name: `${name} lead`, stage: 'ongoing', crm_fields: {} },
      contact: { contact: '79991234567', type: 'whatsapp' },
      documents: {},
      now: '2026-01-01T00:00:00.000Z',
      texts: [],
      notes: [],
      may_hand_over: true,
      as_of_creation: [],
    }),
    requirements: '[]',
  });
  const studio_run = await insert('studio_runs', {
    product_id: product,
    kind: 'gate',
    prompt_name: `${name} prompt`,
    prompt_type: 'prompt',
    text: `${name} text`,
    model_vendor: 'chatgpt',
    model_name: 'gpt-4o-mini',
    temperature: 0.7,
    repeats: 3,
    state: 'cancelled',
    budget: 1,
    estimated_calls: 6,
    finished_at: new Date(),
  });
  const studio_pair = await insert('studio_pairs', {
    product_id: product,
    dialogue_id: of.dialogue,
    lead_id: of.lead,
    message_id: of.message,
    history,
    first: `${name} first`,
    second: `${name} second`,
    is_candidate_first: true,
    judge: 'chatgpt/gpt-4o-mini v1',
    judged_order: 'first',
    judged_reverse: 'first',
    judged: 'first',
  });
  return { studio_persona, studio_case, studio_run, studio_pair };
}
